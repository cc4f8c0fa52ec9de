"""Finding lines in kept output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import Shelf
from penstock.core import source as module
from penstock.core.source import after_lines, errors_of, is_mostly_utf8, line_start, newlines_before, text_of

contents = st.lists(st.sampled_from([b"\n", b"a", b"\r\n", b"long " * 9, b"\xff"]), max_size=60).map(b"".join)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEP", 5)


@given(contents, st.integers(1, 40), st.integers(1, 90))
def test_line_start_is_where_the_line_begins_or_the_end(data: bytes, line: int, block: int) -> None:
    source = Shelf(data, block)
    lines = data.split(b"\n")
    place, newlines = line_start(source, line)
    if line <= len(lines):
        assert (place, newlines) == (len(b"\n".join(lines[: line - 1])) + (line > 1), line - 1)
    else:
        assert (place, newlines) == (len(data), data.count(b"\n"))


@given(contents, st.data(), st.integers(1, 90))
def test_newlines_before_an_offset_are_those_before_it(data: bytes, draw: st.DataObject, block: int) -> None:
    offset = draw.draw(st.integers(0, len(data)))
    assert newlines_before(Shelf(data, block), offset) == data[:offset].count(b"\n")


def test_line_of_a_large_output_is_found_without_reading_it() -> None:
    source = Shelf(b"a line of some length\n" * 100_000, 4_096)
    assert line_start(source, 90_001) == (90_000 * 22, 90_000)
    assert newlines_before(source, 90_000 * 22 + 5) == 90_000
    assert source.read_bytes < 3 * 4_096


@given(contents, st.integers(0, 40))
def test_after_lines_is_behind_that_many_line_ends(data: bytes, lines: int) -> None:
    stop = after_lines(data, lines)
    if data.count(b"\n") >= lines:
        assert data[:stop].count(b"\n") == lines and (stop == 0 or data[stop - 1] == ord("\n"))
    else:
        assert stop == 0


def test_bytes_of_a_text_with_half_pairs_are_shown_as_that_text() -> None:
    assert text_of("é\ud800".encode("utf-8", "surrogatepass")) == "é\ud800"
    assert errors_of(b"\xed\xa0\x80\xff") == "replace"
    assert text_of(b"ok\xff") == "ok\ufffd"


@pytest.mark.parametrize(
    ("data", "mostly"),
    [("中文 text".encode() + b"\xff", True), ("naïve café".encode("latin-1"), False), (b"ascii", False), (b"", False)],
)
def test_text_with_a_few_wrong_bytes_is_mostly_utf_8(data: bytes, mostly: bool) -> None:
    assert is_mostly_utf8(data) is mostly
