"""The one place where sizes are counted."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.measure import Meter, Size, lines_in, measure, utf8_length
from strategies import byte_strings, line_count, texts, utf8_size


@given(texts())
def test_text_is_measured_in_characters_lines_and_bytes(text: str) -> None:
    assert measure(text) == Size(len(text), line_count(text), utf8_size(text), None)
    assert (lines_in(text), utf8_length(text)) == (line_count(text), utf8_size(text))


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\nb\n", 2), ("\n\n", 2), ("a\rb\r", 1), ("\u2028", 1)],
)
def test_line_ends_with_a_newline_or_with_the_text(text: str, lines: int) -> None:
    assert lines_in(text) == lines


@given(byte_strings(2_000), st.lists(st.integers(0, 2_000), max_size=20))
def test_meter_counts_pieces_as_their_text(data: bytes, cuts: list[int]) -> None:
    meter = Meter()
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    meter.feed(b"")
    for start, stop in pairwise(places):
        meter.feed(data[start:stop])
    text = data.decode("utf-8", "replace")
    expected = Size(len(text), line_count(text), utf8_size(text))
    assert meter.finish() == expected == meter.finish()
    assert (meter.raw, meter.newlines) == (len(data), data.count(b"\n"))


@given(texts(1_000), st.lists(st.integers(0, 3_000), max_size=20))
def test_meter_counts_bytes_of_a_text_however_they_are_cut(text: str, cuts: list[int]) -> None:
    data = text.encode("utf-8", "surrogatepass")
    meter = Meter("surrogatepass")
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, stop in pairwise(places):
        meter.feed(data[start:stop])
    assert meter.finish() == measure(text)


def test_size_names_the_first_limit_that_it_is_over() -> None:
    size = Size(10, 10, 10, 10)
    assert size.over(Limits(9, 9, 9, 9)) == "chars"
    assert size.over(Limits(10, 9, 9, 9)) == "lines"
    assert size.over(Limits(None, 10, 9, 9)) == "bytes"
    assert size.over(Limits(None, None, 10, 9)) == "tokens"
    assert size.over(Limits(10, 10, 10, 10)) is None
    assert size.over(Limits()) is None
    assert Size(10, 10, 10).over(Limits(tokens=1)) is None
