"""Filling room from one end of a stretch: by whole lines, and inside a line only where those leave much unspent.

A stretch may reach over holes. Each of them will have a mark, which is paid for here.
"""

from __future__ import annotations

from penstock.core.content import Content, Span
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat
from penstock.core.reduce.contract import Room

# A piece of a line is worth showing when whole lines would leave more than this share of the room empty. Under it, a
# clean edge is worth more to a reader than a few more words.
UNSPENT = 0.25


def from_start(content: Content, span: Span, room: Room, unspent: float = UNSPENT) -> Span:
    """The longest good piece at the start of `span` that fits; empty where not even one unit does."""
    for stretch in content.split(span):
        if stretch.start > span.start:
            room = room.less_marks(1)
        stop = _filled_from_start(content.data, stretch, room, unspent)
        if stop < stretch.stop:
            return Span(span.start, stop)
        room = room.less(content.size_of(stretch))
    return span


def from_end(content: Content, span: Span, room: Room, unspent: float = UNSPENT) -> Span:
    """The longest good piece at the end of `span` that fits; empty where not even one unit does."""
    for stretch in reversed(content.split(span)):
        if stretch.stop < span.stop:
            room = room.less_marks(1)
        start = _filled_from_end(content.data, stretch, room, unspent)
        if start > stretch.start:
            return Span(start, span.stop)
        room = room.less(content.size_of(stretch))
    return span


def left(content: Content, span: Span, room: Room) -> Room:
    """What a span and the marks of the holes inside it leave of the room."""
    stretches = content.split(span)
    return room.less(content.size_of(span)).less_marks(max(0, len(stretches) - 1))


def _filled_from_start(data: bytes, stretch: Span, room: Room, unspent: float) -> int:
    start, stop = stretch
    end = advance(data, start, stop, chars=room.chars, size=room.bytes)
    if room.lines is not None:
        end = min(end, _after_lines(data, start, end, room.lines))
    if end >= stop:
        return stop
    whole = data.rfind(b"\n", start, end) + 1 or start
    if whole > start and end - whole <= (end - start) * unspent:
        return whole
    return cut_at_or_before(data, end, whole)


def _filled_from_end(data: bytes, stretch: Span, room: Room, unspent: float) -> int:
    start, stop = stretch
    begin = retreat(data, start, stop, chars=room.chars, size=room.bytes)
    if room.lines is not None:
        begin = max(begin, _before_lines(data, begin, stop, room.lines))
    if begin <= start:
        return start
    # A line starts after a newline; the one that ends the last line starts none.
    whole = data.find(b"\n", begin - 1, stop - 1) + 1 or stop
    if whole < stop and whole - begin <= (stop - begin) * unspent:
        return whole
    return cut_at_or_after(data, begin, whole)


def _after_lines(data: bytes, start: int, stop: int, lines: int) -> int:
    """The place after `lines` lines from `start`, or `stop`."""
    place = start
    for _ in range(lines):
        place = data.find(b"\n", place, stop) + 1
        if place == 0:
            return stop
    return place


def _before_lines(data: bytes, start: int, stop: int, lines: int) -> int:
    """The place where the last `lines` lines before `stop` begin, or `start`."""
    if lines <= 0:
        return stop
    place = stop - 1 if data[stop - 1 : stop] == b"\n" else stop
    for _ in range(lines):
        place = data.rfind(b"\n", start, place)
        if place < 0:
            return start
    return place + 1
