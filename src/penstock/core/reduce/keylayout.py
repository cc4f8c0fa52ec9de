"""Choosing records where their keys are shown once: in the same order of worth, but more of them fit.

What speaks of the question is shown with its keys where there is room for them. Records that follow one another are one
span, because nothing between them is hidden but keys and white space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.measure import Size
from penstock.core.reduce.brackets import Unit
from penstock.core.reduce.contract import Choice, Room, Tally
from penstock.core.reduce.keyrows import Row, Rows, size_of
from penstock.core.reduce.ranking import Worth

# What stands before the records, and behind them, is shown up to this many bytes.
AROUND: Final = 400

# The header may take this much of the room.
HEADER_SHARE: Final = 0.35

MISSES: Final = 25


class KeyLayout:
    def __init__(
        self, content: Content, units: Sequence[Unit], indices: Sequence[int], pieces: Callable[[int], list[Span]]
    ) -> None:
        """`indices` are the numbers of these units among all; `pieces` tells what of one is shown where it is long."""
        self.content = content
        self.units = units
        self.indices = indices
        self.pieces = pieces
        self.number_of = {index: number for number, index in enumerate(indices)}
        self.rows = Rows(content, units)
        self.before = self._before(units[0].span.start)
        self.after = self._after(units[-1].span.stop)

    def _before(self, stop: int) -> Span:
        """What is shown of what stands before the records: all of it or its first lines, up to a few hundred bytes."""
        if stop > AROUND:
            stop = self.content.data.rfind(b"\n", 0, AROUND) + 1
        return Span(0, stop) if self.content.data[:stop].strip() else Span(0, 0)

    def _after(self, start: int) -> Span:
        """What is shown of what stands behind them: the same from the end, unless it is no more than brackets."""
        data = self.content.data
        if len(data) - start > AROUND:
            start = data.find(b"\n", len(data) - AROUND) + 1 or len(data)
        return Span(start, len(data)) if data[start:].strip(b"]} \t\r\n,") else Span(0, 0)

    def _line_of(self, span: Span) -> list[str | Span]:
        """Without the white space around it, and a line of its own."""
        text = self.content.data[span.start : span.stop]
        return [Span(span.stop - len(text.lstrip()), span.start + len(text.rstrip())), "\n"] if span.stop else []

    def choose(self, room: Room, worth: Worth) -> Choice | None:
        """None where the header takes too much, or where an answer would have to do without its keys."""
        fixed = [*self._line_of(self.before), self.rows.header, *self._line_of(self.after)]
        filling = _Filling(room, size_of(self.content, fixed))
        best = [self.number_of[index] for index in sorted(worth.best) if index in self.number_of]
        if not filling.fits(HEADER_SHARE) or len(best) < len(worth.best):
            return None
        for number in best:
            row = self.rows.row(number, whole=True)
            if row is None or not filling.add(number, row, min(worth.share, filling.filled + worth.each)):
                return None
        for sort in worth.sorts:
            self._show(filling, (self.number_of[i] for i in sort.indices if i in self.number_of), sort.share)
        self._show(filling, [0, len(self.units) - 1], 1.0)
        self._show(filling, range(len(self.units)), 1.0)
        return self._laid_out(filling.shown) if filling.shown else None

    def _show(self, filling: _Filling, numbers: Iterable[int], share: float) -> None:
        if not filling.fits(share):
            return  # by what had a larger share, so that no row has to be made to see that it does not fit
        misses = 0
        for number in numbers:
            if number not in filling.shown:
                row = self.rows.row(number)
                fits = (row is not None and filling.add(number, row, share)) or self._show_cut(filling, number, share)
                misses = 0 if fits else misses + 1
                if misses > MISSES:
                    break

    def _show_cut(self, filling: _Filling, number: int, share: float) -> bool:
        """A record that has long strings, without the middle of them."""
        pieces = self.pieces(self.indices[number])
        return len(pieces) > 1 and filling.add(number, self.rows.cut(number, pieces), share)

    def _laid_out(self, shown: dict[int, Row]) -> Choice:
        spans: list[Span] = []
        parts: list[list[str | Span]] = []
        hidden: dict[int, Tally] = {}

        def put(span: Span, line: Sequence[str | Span]) -> None:
            if spans and span.start == spans[-1].stop:
                spans[-1] = Span(spans[-1].start, span.stop)
            else:
                spans.append(span)
                parts.append([])
            parts[-1] += line

        if self.before.stop:
            put(self.before, self._line_of(self.before))
        told = 0  # how many records are shown or counted as hidden
        for number in sorted(shown):
            if number > told:
                hidden[len(spans)] = Tally("records", number - told)
            row = shown[number]
            put(row.spans[0], [*([] if told else [self.rows.header]), *row.parts])
            for span, line in zip(row.spans[1:], row.more, strict=True):
                put(span, line)
            told = number + 1
        if told < len(self.units):
            hidden[len(spans)] = Tally("records", len(self.units) - told)
        if self.after.stop:
            put(self.after, self._line_of(self.after))
        return Choice(spans, parts, "keys", hidden, (len(shown),))


class _Filling:
    """Rows as far as there is room for them, with a mark wherever some are left out."""

    def __init__(self, room: Room, header: Size) -> None:
        self.mark = room.mark
        room = room.less_marks(3)
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
        marks = 1 + len(row.more) - (number - 1 in self.shown) - (number + 1 in self.shown)
        before = self.used
        self.used = [
            used + size + marks * mark for used, size, mark in zip(before, row.size[:3], self.mark[:3], strict=True)
        ]
        if not self.fits(share):
            self.used = before
            return False
        self.shown[number] = row
        return True
