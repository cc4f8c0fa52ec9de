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
from penstock.core.reduce.worth import HITS_SHARE, Worth

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
        self.rows = Rows(content, units)
        self.before, self.shown_before = self._before()

    def _before(self) -> tuple[Span, Span]:
        """What stands before the records where it is short, and what of it is shown."""
        stop = self.units[0].span.start
        text = self.content.data[:stop].rstrip()
        shown = Span(0, len(text))
        return (Span(0, stop), shown) if 0 < len(text) <= BEFORE else (Span(0, 0), Span(0, 0))

    def choose(self, room: Room, worth: Worth) -> Choice | None:
        """None where the header takes too much, or where an answer would have to do without its keys."""
        filling = _Filling(room, measure(self.content.text(self.shown_before) + "\n" + self.rows.header))
        best = [self.number_of[index] for index in sorted(worth.best) if index in self.number_of]
        if not filling.fits(HEADER_SHARE) or len(best) < len(worth.best):
            return None
        for number in best:
            row = self.rows.row(number, whole=True)
            if row is None or not filling.add(number, row, min(HITS_SHARE, filling.filled + worth.each)):
                return None
        for sort in worth.sorts:
            self._show(filling, (self.number_of[i] for i in sort.indices if i in self.number_of), sort.share)
        self._show(filling, [0, len(self.units) - 1], 1.0)
        self._show(filling, range(len(self.units)), 1.0)
        return self._laid_out(filling.shown) if filling.shown else None

    def _show(self, filling: _Filling, numbers: Iterable[int], share: float) -> None:
        misses = 0
        for number in numbers:
            if number not in filling.shown:
                row = self.rows.row(number)
                misses = 0 if row is not None and filling.add(number, row, share) else misses + 1
                if misses > MISSES:
                    break

    def _laid_out(self, shown: dict[int, Row]) -> Choice:
        spans: list[Span] = []
        parts: list[list[str | Span]] = []
        hidden: dict[int, Tally] = {}
        if self.before.stop:
            spans.append(self.before)
            parts.append([self.shown_before, "\n"])
        told = 0  # how many records are shown or counted as hidden
        for number in sorted(shown):
            if number > told:
                hidden[len(spans)] = Tally("records", number - told)
            span = self.units[number].span
            if spans and span.start == spans[-1].stop:
                spans[-1] = Span(spans[-1].start, span.stop)
            else:
                spans.append(span)
                parts.append([])
            parts[-1] += [*([] if told else [self.rows.header]), *shown[number].parts]
            told = number + 1
        if told < len(self.units):
            hidden[len(spans)] = Tally("records", len(self.units) - told)
        return Choice(spans, parts, "keys", hidden, (len(shown),))


class _Filling:
    """Rows as far as there is room for them, with a mark wherever some are left out."""

    def __init__(self, room: Room, header: Size) -> None:
        self.mark = room.mark
        room = room.less_marks(2)
        self.most = (room.chars, room.lines, room.bytes)
        self.used = [header.chars, header.lines, header.bytes]
        self.shown: dict[int, Row] = {}

    @property
    def filled(self) -> float:
        return max(
            (used / max(1, most) for used, most in zip(self.used, self.most, strict=True) if most is not None),
            default=0.0,
        )

    def fits(self, share: float) -> bool:
        return all(most is None or used <= share * most for used, most in zip(self.used, self.most, strict=True))

    def add(self, number: int, row: Row, share: float) -> bool:
        marks = 1 - (number - 1 in self.shown) - (number + 1 in self.shown)
        before = self.used
        self.used = [
            used + size + marks * mark for used, size, mark in zip(before, row.size[:3], self.mark[:3], strict=True)
        ]
        if not self.fits(share):
            self.used = before
            return False
        self.shown[number] = row
        return True
