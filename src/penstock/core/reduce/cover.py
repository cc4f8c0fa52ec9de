"""Filling room with stretches of content that may overlap: a record, or only a field of it where the whole is too long.

Stretches are added in the order of their worth. What is shown already costs nothing again, and what is hidden between
two stretches is shown too where a mark for it would be no shorter.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.reduce.fill import from_start

_NO_LIMIT: Final = 1 << 62

# After so many units in a row that do not fit, the room counts as full.
MISSES: Final = 25


def _not_at_all(_: int) -> bool:
    return False


class Cover:
    def __init__(self, content: Content, room: Room) -> None:
        room = room.less_marks(1 + len(content.holes))
        self.content = content
        self.room = room
        self.most = Size(*(_NO_LIMIT if most is None else most for most in (room.chars, room.lines, room.bytes)))
        self.used = Size()
        self.starts: list[int] = []
        self.stops: list[int] = []

    @property
    def spans(self) -> list[Span]:
        return [Span(a, b) for a, b in zip(self.starts, self.stops, strict=True)]

    @property
    def filled(self) -> float:
        """The share of the room that is used, of what is the scarcest."""
        shares = zip(self.used[:3], self.most[:3], strict=True)
        return max((used or 0) / max(1, most or 0) for used, most in shares)

    def holds(self, span: Span) -> bool:
        index = bisect_right(self.starts, span.start) - 1
        return index >= 0 and self.stops[index] >= span.stop

    def add(self, spans: Sequence[Span], share: float = 1.0) -> bool:
        """Show these together if they fit, with no more than `share` of the room used then."""
        before = self.starts[:], self.stops[:], self.used
        for span in spans:
            if span.start < span.stop:
                self._insert(span)
            if self.filled > share or not self._fits():
                self.starts, self.stops, self.used = before
                return False
        return True

    def add_on(
        self, units: Sequence[Span], share: float = 1.0, show: Callable[[int], bool] = _not_at_all, *, back: bool = False
    ) -> None:
        """Show as many of these units as fit, from the first on, or `back` from the last: many at once while they do.

        They touch one another. One that does not fit is given to `show`, and then those behind it are tried.
        """
        done, step, misses = 0, 64, 0
        while done < len(units) and misses <= MISSES:
            many = min(step, len(units) - done)
            first = len(units) - done - many if back else done
            if self.add([Span(units[first].start, units[first + many - 1].stop)], share):
                done, step, misses = done + many, 2 * step, 0
            elif many > 1:
                step = many // 2
            else:
                misses = 0 if show(first) else misses + 1
                done += 1

    def fill(self, share: float = 1.0) -> None:
        """Show what fits of the first stretch that is hidden, by whole lines as a rule."""
        start = self.stops[0] if self.starts[:1] == [0] else 0
        behind = bisect_left(self.starts, start + 1) if start else 0
        stop = self.starts[behind] if behind < len(self.starts) else len(self.content.data)
        mark = self.room.mark
        left = self.room._replace(
            chars=None if self.room.chars is None else max(0, int(self.most.chars * share) - self.used.chars - mark.chars),
            lines=None if self.room.lines is None else max(0, self.most.lines - self.used.lines - mark.lines - 1),
            bytes=None if self.room.bytes is None else max(0, int(self.most.bytes * share) - self.used.bytes - mark.bytes),
        )
        self.add([from_start(self.content, Span(start, stop), left)])

    def _fits(self) -> bool:
        used, most = self.used, self.most
        return used.chars <= most.chars and used.lines <= most.lines and used.bytes <= most.bytes

    def _insert(self, span: Span) -> None:
        data, near = self.content.data, self.room.mark.bytes
        start, stop = cut_at_or_before(data, span.start), cut_at_or_after(data, span.stop)
        low = bisect_left(self.stops, start - near)
        high = bisect_right(self.starts, stop + near)
        if low < high:
            # The first and the last of these may only be near: what is hidden between must be worth no mark.
            if self.stops[low] < start and not self._closes(self.stops[low], start):
                low += 1
            if high > low and self.starts[high - 1] > stop and not self._closes(stop, self.starts[high - 1]):
                high -= 1
        marks = self._marks()
        old = [Span(a, b) for a, b in zip(self.starts[low:high], self.stops[low:high], strict=True)]
        new = Span(min([start, *self.starts[low : low + 1]] if old else [start]), max([stop, old[-1].stop] if old else [stop]))
        self.starts[low:high] = [new.start]
        self.stops[low:high] = [new.stop]
        marks = self._marks() - marks
        mark, used = self.room.mark, self.used
        sizes = [self.content.size_of(new), *(self.content.size_of(span) for span in old)]
        chars, lines, size = (sizes[0][unit] - sum(taken[unit] for taken in sizes[1:]) for unit in range(3))  # type: ignore[misc, operator]  # tokens are not counted
        self.used = Size(
            used.chars + chars + marks * mark.chars,
            used.lines + lines + marks * mark.lines,
            used.bytes + size + marks * mark.bytes,
        )

    def _marks(self) -> int:
        if not self.starts:
            return 0
        return len(self.starts) - 1 + (self.starts[0] > 0) + (self.stops[-1] < len(self.content.data))

    def _closes(self, stop: int, start: int) -> bool:
        """Whether what is hidden between takes no more than its mark."""
        if self.content.holes_within(stop, start):
            return False
        size, mark = self.content.size_of(Span(stop, start)), self.room.mark
        return size.chars <= mark.chars and size.lines <= max(1, mark.lines)
