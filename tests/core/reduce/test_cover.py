"""A cover shows stretches as long as they fit, with a mark around whatever is hidden."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from core.hurtful import collected, whole_contents
from penstock.core.content import Content, Hole, Span, content_of_text
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.reduce.cover import Cover

MARK = Size(10, 1, 12)
TEN = content_of_text("".join(f"line number {n:2d}\n" for n in range(10)))  # 15 bytes each


def line(number: int, stop: int | None = None) -> Span:
    return Span(15 * number, 15 * (stop or number + 1))


def sizes(cover: Cover) -> Size:
    """What its spans take with a mark for every gap, each on a line of its own."""
    content, spans = cover.content, cover.spans
    taken = [content.size_of(span) for span in spans]
    end = len(content.data)
    gaps = sum(a.stop < b.start for a, b in pairwise([Span(0, 0), *spans, Span(end, end)]))
    return Size(*(sum(size[unit] or 0 for size in taken) + gaps * (MARK[unit] or 0) for unit in range(3)))


@given(
    whole_contents | collected(),
    st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 400)), max_size=12),
    st.none() | st.integers(0, 900),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 900),
)
@settings(max_examples=300)
def test_cover_is_within_its_room_and_knows_what_it_uses(
    content: Content, wanted: list[tuple[int, int]], chars: int | None, lines: int | None, size: int | None
) -> None:
    cover = Cover(content, Room(chars, lines, size, MARK))
    end = len(content.data)
    for start, length in wanted:
        cover.add([Span(min(start, end), min(start + length, end))], 0.9)
    cover.fill()
    assert all(a.stop < b.start for a, b in pairwise(cover.spans)), "in order and apart"
    used = sizes(cover)
    if cover.spans:
        assert cover.used == list(used[:3])
    assert not cover.spans or cover.filled <= 1
    assert chars is None or not cover.spans or used.chars <= chars
    assert lines is None or not cover.spans or used.lines <= lines


def test_stretches_that_overlap_or_touch_are_one() -> None:
    cover = Cover(TEN, Room(None, None, None, MARK))
    for span in (line(2), line(5, 7), line(3), line(2, 6), Span(4, 4)):
        assert cover.add([span])
    assert cover.spans == [line(2, 7)]


def test_what_is_shorter_than_its_mark_is_shown() -> None:
    cover = Cover(TEN, Room(None, None, None, MARK))
    cover.add([Span(0, 20), Span(25, 40)])
    cover.add([Span(60, 70)])
    cover.add([Span(45, 52)])
    assert cover.spans == [Span(0, 70)]
    wide = Cover(TEN, Room(None, None, None, Size(6, 1, 20)))
    wide.add([line(0), line(2), line(1, 1), line(4)])
    assert wide.spans == [line(0), line(2), line(4)], "near, but longer than a mark in characters"


def test_hole_is_not_closed() -> None:
    content = Content(b"one\ntwo\n", Size(99, 9, 99), holes=(Hole(4, 91, 7, ends_line=True),))
    cover = Cover(content, Room(None, None, None, MARK))
    cover.add([Span(0, 3)])
    cover.add([Span(5, 8)])
    assert cover.spans == [Span(0, 3), Span(5, 8)]


def test_stretches_that_belong_together_are_shown_together_or_not_at_all() -> None:
    cover = Cover(TEN, Room(60, None, None, MARK))
    assert not cover.add([line(0), line(5), line(9)])
    assert cover.spans == [] and cover.used == [0, 0, 0]
    assert cover.add([line(0)], share=0.7)
    assert not cover.add([line(5)], share=0.7)


def test_as_many_units_as_fit_are_shown_from_either_end() -> None:
    edges = [15 * n for n in range(11)]
    first = Cover(TEN, Room(80, None, None, MARK))
    first.add_on(edges)
    assert first.spans == [line(0, 4)]
    last = Cover(TEN, Room(80, None, None, MARK))
    last.add_on(edges, back=True)
    assert last.spans == [line(6, 10)]


def test_unit_that_does_not_fit_is_shown_in_part_or_passed_over() -> None:
    text = "short\n" * 3 + "long " * 99 + "\n" + "short\n" * 3
    content = content_of_text(text)
    edges = [0, 6, 12, 18, 514, 520, 526, 532]
    tried: list[int] = []
    cover = Cover(content, Room(80, None, None, MARK))
    cover.add_on(edges, show=lambda index: bool(tried.append(index)) or cover.add([Span(18, 23)]))
    assert tried == [3]
    assert cover.spans == [Span(0, 23), Span(514, 532)]


def test_room_that_is_left_is_filled_from_the_first_that_is_hidden() -> None:
    cover = Cover(TEN, Room(95, None, None, MARK))
    cover.add([line(0), line(5)])
    cover.fill(0.3)
    assert cover.spans == [line(0), line(5)]
    cover.fill()
    assert cover.spans == [Span(0, 40), line(5)]
    behind = Cover(TEN, Room(95, None, None, MARK))
    behind.add([line(9)])
    behind.fill()
    assert behind.spans == [line(0, 3), line(9)]
