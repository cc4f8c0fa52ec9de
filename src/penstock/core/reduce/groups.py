"""Rows that share a path, shown under it once: the layout "paths".

A row is a unit of the content in which a stretch, its path, can be left out when the path stands above it. A heading is
the path, with how many rows it has where not all of them are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Room
from penstock.core.reduce.pick import MISSES, NO_LIMIT

NO_GROUP: Final = -1

# What a heading takes beside its path: a space, brackets, a count, a newline.
_AROUND: Final = 9


@dataclass(frozen=True, slots=True)
class Groups:
    content: Content
    units: Sequence[Span]
    of: Sequence[int]  # the group of each unit; neighbours of one path are one group
    left_out: Callable[[int], Span]  # of a unit that has a group: what its heading says
    paths: Sequence[bytes]  # of each group
    counts: Sequence[int]  # of each group: its rows

    def picked(self, order: Iterable[int], room: Room) -> bytearray:
        """One byte a unit, as in `pick.picked`, with what rows and headings take in this layout."""
        content, units, of = self.content, self.units, self.of
        data = content.data
        ascii_only = data.isascii()
        shown = bytearray(len(units) + 2)
        open_ones: set[int] = {NO_GROUP}
        room = room.less_marks(1)
        chars, lines, size = (NO_LIMIT if n is None else n for n in (room.chars, room.lines, room.bytes))
        mark = room.mark
        if units and units[0].start == 0:
            shown[0] = 1
        if units and units[-1].stop == len(data):
            shown[-1] = 1
        misses = 0
        for index in order:
            if shown[index + 1]:
                continue
            start, stop = units[index]
            marks = 1
            if shown[index] and (index == 0 or units[index - 1].stop == start):
                marks -= 1
            if shown[index + 2] and (index + 1 == len(units) or units[index + 1].start == stop):
                marks -= 1
            group = of[index]
            gone = self.left_out(index) if group != NO_GROUP else Span(start, start)
            row = data[start : gone.start] + data[gone.stop : stop]
            used = len(row) + (row[-1:] != b"\n")
            letters = used if ascii_only else len(row.decode("utf-8", content.errors)) + (row[-1:] != b"\n")
            rows = 1
            if group not in open_ones:
                heading = len(self.paths[group]) + _AROUND
                used, letters, rows = used + heading, letters + heading, 2
            chars_left = chars - letters - marks * mark.chars
            lines_left = lines - rows - marks * mark.lines
            bytes_left = size - used - marks * mark.bytes
            if chars_left >= 0 and lines_left >= 0 and bytes_left >= 0:
                chars, lines, size = chars_left, lines_left, bytes_left
                shown[index + 1] = 1
                open_ones.add(group)
                misses = 0
                continue
            misses += 1
            if misses >= MISSES:
                break
        return shown[1:-1]

    def laid_out(self, shown: bytearray) -> tuple[list[Span], list[list[str | Span]]]:
        """The shown units as spans, and what stands for each."""
        spans: list[Span] = []
        parts: list[list[str | Span]] = []
        open_one = NO_GROUP
        shown_of: dict[int, int] = {}
        chosen = [index for index, flag in enumerate(shown) if flag]
        for index in chosen:
            shown_of[self.of[index]] = shown_of.get(self.of[index], 0) + 1
        for index in chosen:
            unit = self.units[index]
            if spans and spans[-1].stop == unit.start:
                spans[-1] = Span(spans[-1].start, unit.stop)
            else:
                spans.append(unit)
                parts.append([])
            group = self.of[index]
            if group not in (open_one, NO_GROUP):
                parts[-1] += self._heading(index, shown_of[group])
                open_one = group
            parts[-1] += self._row(index)
        return spans, parts

    def _heading(self, index: int, shown: int) -> list[str | Span]:
        """The path of a row, as it stands in it where it does."""
        group, gone = self.of[index], self.left_out(index)
        path, count = self.paths[group], self.counts[group]
        there = self.content.data.startswith(path, gone.start, gone.stop)
        name = Span(gone.start, gone.start + len(path)) if there else path.decode("utf-8", self.content.errors)
        return [name, "\n" if shown >= count else f" ({count})\n"]

    def _row(self, index: int) -> list[str | Span]:
        start, stop = self.units[index]
        pieces = [Span(start, stop)]
        if self.of[index] != NO_GROUP:
            gone = self.left_out(index)
            pieces = [piece for piece in (Span(start, gone.start), Span(gone.stop, stop)) if piece.start < piece.stop]
        ends = self.content.data[stop - 1 : stop] == b"\n"
        return [*pieces] if ends else [*pieces, "\n"]
