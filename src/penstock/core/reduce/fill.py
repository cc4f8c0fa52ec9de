"""Filling room from one end of a stretch: by whole lines, and inside a line only where those leave much unspent."""

from __future__ import annotations

from penstock.core.content import Content, Span
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat
from penstock.core.reduce.contract import Room

# A piece of a line is worth showing when whole lines would leave more than this share of the room empty. Under it, a
# clean edge is worth more to a reader than a few more words.
UNSPENT = 0.25


def from_start(content: Content, span: Span, room: Room, *, whole_lines: bool = False) -> Span:
    """The longest good piece at the start of `span` that fits; with `whole_lines` it may be empty instead of cut."""
    data, (start, stop) = content.data, span
    end = advance(data, start, stop, chars=room.chars, size=room.bytes)
    if room.lines is not None:
        end = min(end, _after_lines(data, start, end, room.lines))
    if end >= stop:
        return span
    whole = data.rfind(b"\n", start, end) + 1 or start
    if whole_lines or end - whole <= (end - start) * UNSPENT:
        return Span(start, whole)
    return Span(start, cut_at_or_before(data, end, whole))


def from_end(content: Content, span: Span, room: Room) -> Span:
    """The longest good piece at the end of `span` that fits."""
    data, (start, stop) = content.data, span
    begin = retreat(data, start, stop, chars=room.chars, size=room.bytes)
    if room.lines is not None:
        begin = max(begin, _before_lines(data, begin, stop, room.lines))
    if begin <= start:
        return span
    # A line starts after a newline; the one that ends the last line starts none.
    whole = data.find(b"\n", begin - 1, stop - 1) + 1 or stop
    if whole - begin <= (stop - begin) * UNSPENT:
        return Span(whole, stop)
    return Span(cut_at_or_after(data, begin, whole), stop)


def _after_lines(data: bytes, start: int, stop: int, lines: int) -> int:
    """The place after `lines` lines from `start`, or `stop`."""
    if lines <= 0:
        return start
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
        found = data.rfind(b"\n", start, place)
        if found < 0:
            return start
        place = found
    return place + 1
