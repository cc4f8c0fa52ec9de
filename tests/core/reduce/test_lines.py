"""Content as lines, and parts of long ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import safe_cuts, whole_contents
from penstock.core.content import Content, Span, content_of_bytes
from penstock.core.reduce.lines import Lines, Runs, window


@given(whole_contents)
def test_lines_are_the_content_in_order(content: Content) -> None:
    lines = Lines(content)
    pieces = [content.data[lines.starts[i] : lines.starts[i + 1]] for i in range(len(lines))]
    assert b"".join(pieces) == content.data
    assert [piece.removesuffix(b"\n") for piece in pieces] == lines.texts
    assert len(lines) == content.size.lines
    assert lines.span(0, len(lines)) == Span(0, len(content.data))


@given(whole_contents, st.integers(8, 90))
def test_unit_of_a_long_line_is_a_part_of_it_and_of_another_line_all(content: Content, most: int) -> None:
    lines = Lines(content)
    for index, unit in enumerate(lines.units(most)):
        whole = lines.span(index, index + 1)
        if whole.stop - whole.start <= most:
            assert unit == whole
        else:
            assert whole.start <= unit.start < unit.stop <= whole.stop or unit.start == unit.stop
            assert unit.stop - unit.start <= most


@given(whole_contents, st.data(), st.integers(40, 400))
def test_window_is_around_its_place_and_cut_at_whole_units(content: Content, data: st.DataObject, most: int) -> None:
    at = data.draw(st.integers(0, len(content.data)))
    start, stop = window(content.data, Span(0, len(content.data)), at, most)
    assert 0 <= start <= stop <= len(content.data)
    assert stop - start <= most
    assert {start, stop} <= safe_cuts(content.data) | {0, len(content.data)}


def test_window_in_plain_text_holds_its_place_with_more_behind_than_before() -> None:
    data = b"x" * 10_000
    assert window(data, Span(0, 10_000), 5_000, 400) == Span(4_900, 5_300)
    assert window(data, Span(0, 10_000), 0, 400) == Span(0, 400)
    assert window(data, Span(0, 10_000), 9_990, 400) == Span(9_600, 10_000)


def test_unit_of_a_long_line_is_where_it_is_wanted() -> None:
    content = content_of_bytes(b"short\n" + b"a" * 5_000 + b"needle" + b"b" * 5_000 + b"\n")
    unit = Lines(content).unit(1, at=5_000)
    assert b"needle" in content.data[unit.start : unit.stop]


def test_units_are_the_lines_but_for_a_part_of_a_long_one() -> None:
    lines = Lines(content_of_bytes(b"one\n" + b"x" * 90 + b"\nthree\n"))
    assert lines.units(40) == [Span(0, 4), Span(4, 44), Span(95, 101)]


def test_lines_that_spans_show_something_of_are_told() -> None:
    lines = Lines(content_of_bytes(b"one\ntwo\nthree\n"))
    assert lines.covered([Span(0, 4), Span(5, 6), Span(6, 14)]) == [(0, 1), (1, 2), (1, 3)]


def test_runs_of_lines_are_units() -> None:
    lines = Lines(content_of_bytes(b"one\ntwo\n" + b"x" * 50 + b"\nend\n"))
    runs = Runs(lines, [0, 2, 3, 4], most=20)
    assert len(runs) == 3
    assert list(runs) == [Span(0, 8), Span(8, 28), Span(59, 63)]
    assert runs[-1] == Span(59, 63)
    assert runs[1:] == [Span(8, 28), Span(59, 63)]


def test_lines_are_read_without_colours() -> None:
    lines = Lines(content_of_bytes(b"\x1b[1mone\x1b[m\ntwo\x1b[K\n"))
    assert lines.coloured
    assert lines.plain() == [b"one", b"two"]
    assert lines.texts == [b"\x1b[1mone\x1b[m", b"two\x1b[K"]
    assert not Lines(content_of_bytes(b"one\n")).coloured
