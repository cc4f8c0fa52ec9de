"""Choosing records where their keys are shown once: in the same order of worth, but more of them fit.

What speaks of the question is shown with its keys where there is room for them. Records that follow one another are one
span, because nothing between them is hidden but keys and white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.measure import Size, measure
from penstock.core.reduce.brackets import Unit
from penstock.core.reduce.contract import Choice, Room, Tally
from penstock.core.reduce.keyrows import Row, Rows
from penstock.core.reduce.worth import Worth

# What stands before the records is shown up to this many bytes.
BEFORE: Final = 400

# The header may take this much of the room.
HEADER_SHARE: Final = 0.35

MISSES: Final = 25


class KeyLayout:
    def __init__(self, content: Content, units: Sequence[Unit], indices: Sequence[int]) -> None:
        """`indices` are the numbers of these units among all of them."""
        self.content = content
        self.units = units
        self.number_of = {index: number for number, index in enumerate(indices)}
        self.rows = Rows(content, [unit.value for unit in units], [_key_of(content.data, unit) for unit in units])

    def choose(self, room: Room, worth: Worth) -> Choice | None:
        filling = _Filling(room, measure(self.rows.header))
        if not filling.fits(HEADER_SHARE):
            return None
        last = len(self.units) - 1
        for sort in worth.sorts:
            self._show(filling, (self.number_of[i] for i in sort.indices if i in self.number_of), sort.share, worth)
        self._show(filling, [0, last], 1.0, worth)
        self._show(filling, range(len(self.units)), 1.0, worth)
        return self._laid_out(filling.shown) if filling.shown else None

    def _show(self, filling: _Filling, numbers: Iterable[int], share: float, worth: Worth) -> None:
        misses = 0
        answers = {self.number_of[index] for index in worth.answers if index in self.number_of}
        for number in numbers:
            if number in filling.shown:
                continue
            whole = self.rows.row(number, whole=True) if number in answers else None
            if whole is not None and filling.add(number, whole, min(share, filling.filled + worth.each)):
                misses = 0
                continue
            row = self.rows.row(number)
            misses = 0 if row is not None and filling.add(number, row, share) else misses + 1
            if misses > MISSES:
                break

    def _laid_out(self, shown: dict[int, Row]) -> Choice:
        spans: list[Span] = []
        parts: list[list[str | Span]] = []
        hidden: dict[int, Tally] = {}
        place = 0  # how many records are told of
        stop = -1
        for number in sorted(shown):
            span = self.units[number].span
            if number > place or not spans:
                if number > place:
                    hidden[len(spans)] = Tally("records", number - place)
            if not spans or span.start > stop:
                spans.append(span)
                parts.append([] if parts else [self.rows.header])
            else:
                spans[-1] = Span(spans[-1].start, span.stop)
            parts[-1] += shown[number].parts
            place, stop = number + 1, span.stop
        if place < len(self.units):
            hidden[len(spans)] = Tally("records", len(self.units) - place)
        return Choice(spans, parts, "keys", hidden, (len(shown),))


class _Filling:
    """Rows as far as there is room for them, with a mark wherever some are left out."""

    def __init__(self, room: Room, header: Size) -> None:
        self.mark = room.mark
        room = room.less_marks(2)
        self.most = [most for most in (room.chars, room.lines, room.bytes)]
        self.used = [header.chars, header.lines, header.bytes]
        self.shown: dict[int, Row] = {}

    @property
    def filled(self) -> float:
        return max((used / max(1, most) for used, most in zip(self.used, self.most, strict=True) if most is not None), default=0.0)

    def fits(self, share: float) -> bool:
        return all(most is None or used <= share * most for used, most in zip(self.used, self.most, strict=True))

    def add(self, number: int, row: Row, share: float) -> bool:
        marks = 1 - (number - 1 in self.shown) - (number + 1 in self.shown)
        before = self.used
        self.used = [used + size + marks * mark for used, size, mark in zip(before, row.size[:3], self.mark[:3], strict=True)]
        if not self.fits(share):
            self.used = before
            return False
        self.shown[number] = row
        return True


def _key_of(data: bytes, unit: Unit) -> Span:
    """Where the key of a record stands; empty in a list."""
    text = data[unit.span.start : unit.value.start]
    start, stop = text.find(b'"'), text.rfind(b'"') + 1
    return Span(unit.span.start + start, unit.span.start + stop) if 0 <= start < stop - 1 else Span(0, 0)
