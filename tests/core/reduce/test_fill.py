"""What a reducer chooses fits its room, with a mark for every gap, and leaves little of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hurtful import collected, logs, safe_cuts, whole_contents
from penstock.core.content import Content, Hole, Span, content_of_text
from penstock.core.measure import Size
from penstock.core.reduce import EXPLICIT
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.fill import from_end, from_start, left

_some = st.none() | st.integers(0, 60) | st.integers(0, 3_000)
rooms = st.builds(
    Room, _some, st.none() | st.integers(0, 50), _some, st.just(Size(30, 1, 40)), st.sampled_from([0.5, 0.0, 0.3, 1.0])
)
contents = whole_contents | collected()


@st.composite
def several_holes(draw: st.DrawFn) -> Content:
    """What is left of a text when some of its lines were shown before."""
    text = draw(logs).encode()
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    holes = tuple(Hole(place, draw(st.integers(1, 90)), 1, ends_line=draw(st.booleans())) for place in places)
    return Content(text, Size(len(text), 9_999, len(text)), "replace", holes)


def chosen(name: str, content: Content, room: Room) -> list[Span]:
    return EXPLICIT[name].reduce(content, Ask()).choose(room).spans


def used(content: Content, spans: list[Span]) -> Size:
    """What spans with a mark for every gap take, each mark on a line of its own."""
    pieces = [part for span in spans for part in content.split(span)]
    sizes = [content.size_of(piece) for piece in pieces]
    gaps, place, end = 0, 0, len(content.data)
    for start, stop in [*pieces, Span(end, end)]:
        gaps += start > place or bool(content.holes_within(place, start))
        place = stop
    return Size(
        sum(size.chars for size in sizes) + 30 * gaps,
        sum(content.size_of(span).lines for span in spans) + gaps,
        sum(size.bytes for size in sizes) + 40 * gaps,
    )


@pytest.mark.parametrize("name", EXPLICIT)
@given(contents | several_holes(), rooms)
@settings(max_examples=200)
def test_choice_fits_its_room_with_a_mark_for_every_gap(name: str, content: Content, room: Room) -> None:
    spans = chosen(name, content, room)
    assert all(a.stop < b.start for a, b in pairwise(spans)), "in order and apart"
    if not any(span.start < span.stop for span in spans):
        return
    size = used(content, spans)
    assert room.chars is None or size.chars <= room.chars
    assert room.lines is None or size.lines <= room.lines
    assert room.bytes is None or size.bytes <= room.bytes


@pytest.mark.parametrize("name", EXPLICIT)
@given(whole_contents, rooms)
def test_choice_is_cut_at_whole_units(name: str, content: Content, room: Room) -> None:
    cuts = safe_cuts(content.data) | {0}
    for start, stop in chosen(name, content, room):
        assert start in cuts and stop in cuts


@given(logs, st.integers(1_300, 3_000), st.sampled_from(list(EXPLICIT)))
def test_lines_of_a_log_are_not_cut(text: str, chars: int, name: str) -> None:
    content = content_of_text(text)
    spans = chosen(name, content, Room(chars, None, None, Size(30, 1, 30)))
    for start, stop in spans:
        assert start == 0 or text[start - 1] == "\n"
        assert stop == len(text) or text[stop - 1] == "\n"


@given(st.integers(100, 4_000), st.floats(0, 1))
def test_one_long_line_fills_its_room_to_the_last_character(chars: int, ratio: float) -> None:
    content = content_of_text("0123456789" * 1_000)
    spans = chosen("head_tail", content, Room(chars, None, None, Size(30, 1, 30), ratio))
    assert sum(stop - start for start, stop in spans) == chars - 30


def test_end_alone_is_shown_where_the_start_has_no_share() -> None:
    text = "".join(f"line {n:3d}\n" for n in range(100))
    (last,) = chosen("head_tail", content_of_text(text), Room(120, None, None, Size(30, 1, 30), 0.0))
    assert last == Span(len(text) - 90, len(text))


def test_what_the_end_leaves_is_used_at_the_start() -> None:
    text = "short\n" * 100 + "x" * 400 + "\n"
    (first, last) = chosen("head_tail", content_of_text(text), Room(630, None, None, Size(30, 1, 30)))
    assert text[last.start : last.stop] == "x" * 200 + "\n" or last.stop == len(text)
    assert 570 < first.stop + (last.stop - last.start) <= 600


def test_whole_content_that_fits_is_one_span() -> None:
    room = Room(1_000, 50, None, Size(30, 1, 30))
    for name in EXPLICIT:
        assert chosen(name, content_of_text("a\nb\nc\n"), room) == [Span(0, 6)]


HOLE = Content(
    b"one\ntwo\nend\n", Size(99, 9, 99), holes=(Hole(4, 9, 2, ends_line=True), Hole(8, 9, 2, ends_line=True))
)


def test_piece_over_a_hole_pays_for_its_mark() -> None:
    whole = Span(0, 12)
    assert from_start(HOLE, whole, Room(12 + 20, None, None, Size(10, 1, 10))) == whole
    assert from_start(HOLE, whole, Room(11 + 20, None, None, Size(10, 1, 10))) == Span(0, 11)
    assert from_start(HOLE, whole, Room(13, None, None, Size(10, 1, 10))) == Span(0, 4)
    assert from_end(HOLE, whole, Room(12 + 20, None, None, Size(10, 1, 10))) == whole
    assert from_end(HOLE, whole, Room(12 + 10, None, None, Size(10, 1, 10))) == Span(4, 12)
    assert from_end(HOLE, whole, Room(13, None, None, Size(10, 1, 10))) == Span(8, 12)
    assert left(HOLE, whole, Room(50, 10, None, Size(10, 1, 10))) == Room(18, 5, None, Size(10, 1, 10))
    assert left(HOLE, Span(4, 4), Room(50, 10, None, Size(10, 1, 10))) == Room(50, 10, None, Size(10, 1, 10))


@pytest.mark.parametrize(
    ("chars", "lines", "start", "end"),
    [
        (None, None, (0, 9), (0, 9)),
        (None, 1, (0, 3), (6, 9)),
        (None, 2, (0, 6), (3, 9)),
        (None, 0, (0, 0), (9, 9)),
        (None, 9, (0, 9), (0, 9)),
        (0, None, (0, 0), (9, 9)),
        (4, None, (0, 3), (6, 9)),
        (5, None, (0, 5), (4, 9)),
        (8, 2, (0, 6), (3, 9)),
    ],
)
def test_room_is_filled_by_whole_lines_unless_much_would_be_left(
    chars: int | None, lines: int | None, start: tuple[int, int], end: tuple[int, int]
) -> None:
    content, room = content_of_text("aa\nbb\ncc\n"), Room(chars, lines, None, Size())
    assert from_start(content, Span(0, 9), room) == start
    assert from_end(content, Span(0, 9), room) == end


def test_unit_that_does_not_fit_gives_an_empty_piece() -> None:
    content = content_of_text("e" + "\u0301" * 50)
    assert from_start(content, Span(0, 101), Room(10, None, None, Size())) == Span(0, 0)
    assert from_end(content, Span(0, 101), Room(10, None, None, Size())) == Span(101, 101)
