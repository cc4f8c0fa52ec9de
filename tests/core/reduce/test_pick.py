"""Filling room by worth: what is taken fits with its marks, the first in order goes first, little is left."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import collected, whole_contents
from penstock.core.content import Content, Hole, Span, content_of_bytes
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.reduce.lines import Lines
from penstock.core.reduce.pick import MISSES, joined, pick, picked

MARK = Size(20, 1, 24)
_some = st.none() | st.integers(0, 90) | st.integers(0, 4_000)
rooms = st.builds(Room, _some, st.none() | st.integers(0, 50), _some, st.just(MARK), st.just(0.5))


def taken(content: Content, spans: list[Span]) -> Size:
    """What spans take with a mark for each gap."""
    pieces = [part for span in spans for part in content.split(span)]
    gaps, place, end = 0, 0, len(content.data)
    for start, stop in [*pieces, Span(end, end)]:
        gaps += start > place or bool(content.holes_within(place, start))
        place = stop
    sizes = [content.size_of(piece) for piece in pieces]
    return Size(
        sum(size.chars for size in sizes) + gaps * MARK.chars,
        sum(size.lines for size in sizes) + gaps * MARK.lines,
        sum(size.bytes for size in sizes) + gaps * MARK.bytes,
    )


@given(whole_contents | collected(), rooms, st.randoms(use_true_random=False))
def test_picked_lines_fit_with_their_marks(content: Content, room: Room, random: object) -> None:
    units = [unit for unit in Lines(content).units(300) if unit.start < unit.stop]
    order = list(range(len(units)))
    random.shuffle(order)  # type: ignore[attr-defined]
    spans = pick(content, units, order, room)
    assert all(a.stop < b.start or content.holes_within(a.stop, b.start) for a, b in pairwise(spans))
    if not spans:
        return
    used = taken(content, spans)
    # What is shown is text: bytes that are not UTF-8 take three, and those a room of bytes does not foresee.
    assert room.bytes is None or sum(b - a for a, b in spans) + (len(spans) - 1) * MARK.bytes <= room.bytes
    assert room.chars is None or used.chars <= room.chars
    assert room.lines is None or used.lines <= room.lines + len(content.holes)


def test_first_in_order_goes_first_and_smaller_ones_fill_what_is_left() -> None:
    content = content_of_bytes(b"".join(b"%d%s\n" % (n, b"x" * 50 * n) for n in range(6)))
    units = Lines(content).units()
    room = Room(420, None, None, MARK)
    assert list(picked(content, units, [5, 4, 3, 0, 1], room)) == [1, 1, 0, 0, 0, 1]


def test_neighbours_need_no_mark_between_them() -> None:
    content = content_of_bytes(b"123456789\n" * 100)
    units = Lines(content).units()
    room = Room(None, None, 10 * 10 + 2 * MARK.bytes, MARK)
    assert pick(content, units, range(40, 60), room) == [Span(400, 500)]
    assert pick(content, units, range(40, 60, 4), room) == [Span(400, 410), Span(440, 450), Span(480, 490)]
    assert pick(content, units, range(100), Room(None, None, None, MARK)) == [Span(0, 1000)]


def test_gap_that_is_no_longer_than_its_mark_is_shown() -> None:
    content = content_of_bytes(b"one\ntwo\nthree\n" + b"long line that is hidden\n" * 9 + b"end\n")
    units = Lines(content).units()
    spans = joined(content, units, bytearray([1, 0, 1] + [0] * 9 + [1]), MARK)
    assert [content.text(span) for span in spans] == ["one\ntwo\nthree\n", "end\n"]
    # Two lines take more than the one of their mark.
    spans = joined(content_of_bytes(b"a\n\n\nb\n"), [Span(0, 2), Span(4, 6)], bytearray([1, 1]), MARK)
    assert spans == [Span(0, 2), Span(4, 6)]


def test_hole_between_two_units_stays_a_gap() -> None:
    content = Content(b"one\ntwo\n", Size(99, 9, 99), holes=(Hole(4, 91, 7, ends_line=True),))
    assert joined(content, [Span(0, 4), Span(4, 8)], bytearray([1, 1]), MARK) == [Span(0, 4), Span(4, 8)]
    content = Content(b"one\n.\ntwo\n", Size(99, 9, 99), holes=(Hole(5, 91, 7, ends_line=True),))
    assert joined(content, [Span(0, 4), Span(6, 10)], bytearray([1, 1]), MARK) == [Span(0, 4), Span(6, 10)]


def test_what_is_taken_already_uses_room_first_and_fits_in_any_case() -> None:
    content = content_of_bytes("é\n".encode() * 50)
    units = Lines(content).units()
    shown = picked(content, units, range(50), Room(30, None, None, Size(5, 1, 5)), taken=[7, 8])
    assert shown[7] and shown[8] and sum(shown) < 15


def test_room_counts_as_full_after_many_that_do_not_fit() -> None:
    content = content_of_bytes(b"a line that is too long for the room\n" * (MISSES + 10) + b"ok\n")
    units = Lines(content).units()
    last = len(units) - 1
    room = Room(60, None, None, MARK)
    assert picked(content, units, [*range(1, MISSES), last], room)[last]
    assert not any(picked(content, units, [*range(1, MISSES + 5), last], room))
