"""Filling room with units of content in the order of their worth.

A unit is a stretch that is shown whole or not at all: a line, a record, a part of a long line. Units are in the order
of the content and apart from one another; those that touch need no mark between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room

# After so many units in a row that do not fit, the room counts as full.
MISSES: Final = 200

NO_LIMIT: Final = 1 << 62


def pick(content: Content, units: Sequence[Span], order: Iterable[int], room: Room) -> list[Span]:
    """The units that fit, taken in `order` (which may name one twice), as spans; what touches is one span."""
    return joined(content, units, picked(content, units, order, room), room.mark)


def picked(
    content: Content, units: Sequence[Span], order: Iterable[int], room: Room, taken: Iterable[int] = ()
) -> bytearray:
    """One byte a unit: 1 where it is shown. Those in `taken` are shown already, and use up room first."""
    shown = bytearray(len(units) + 2)  # one more at either end, so that every unit has neighbours
    data = content.data
    ascii_only = data.isascii()
    room = room.less_marks(1 + len(content.holes))
    chars, lines, size = (NO_LIMIT if n is None else n for n in (room.chars, room.lines, room.bytes))
    mark = room.mark
    if units and units[0].start == 0:
        shown[0] = 1  # the start needs no mark before it
    if units and units[-1].stop == len(data):
        shown[-1] = 1
    misses = 0
    held = set(taken)
    for index in chain(sorted(held), order):
        if shown[index + 1]:
            continue
        start, stop = units[index]
        marks = 1
        if shown[index] and (index == 0 or units[index - 1].stop == start):
            marks -= 1
        if shown[index + 2] and (index + 1 == len(units) or units[index + 1].start == stop):
            marks -= 1
        used = stop - start
        bytes_left = size - used - marks * mark.bytes
        rows = (data.count(b"\n", start, stop) or 1) if used > 1 else 1
        lines_left = lines - rows - marks * mark.lines
        if bytes_left >= 0 and lines_left >= 0:
            letters = used if ascii_only else len(data[start:stop].decode("utf-8", content.errors))
            chars_left = chars - letters - marks * mark.chars
            if chars_left >= 0 or index in held:
                chars, lines, size = chars_left, lines_left, bytes_left
                shown[index + 1] = 1
                misses = 0
                continue
        misses += 1
        if misses >= MISSES:
            break
    return shown[1:-1]


def joined(content: Content, units: Sequence[Span], shown: bytearray, mark: Size) -> list[Span]:
    """The shown units as spans. What is hidden between two of them is shown too where a mark would be no shorter."""
    spans: list[Span] = []
    index = shown.find(1)
    while index >= 0:
        start, stop = units[index]
        if spans and start - spans[-1].stop <= mark.bytes and _closes(content, spans[-1].stop, start, mark):
            spans[-1] = Span(spans[-1].start, stop)
        else:
            spans.append(Span(start, stop))
        index = shown.find(1, index + 1)
    return spans


def _closes(content: Content, stop: int, start: int, mark: Size) -> bool:
    """Whether what is hidden between two spans takes no more than its mark, in every unit."""
    if stop == start:
        return not content.holes_within(stop, start)
    if content.holes_within(stop, start):
        return False
    size = content.size_of(Span(stop, start))
    return size.chars <= mark.chars and size.lines <= max(1, mark.lines)
