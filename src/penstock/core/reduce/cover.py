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
from penstock.core.reduce.contract import Room
from penstock.core.reduce.fill import from_start

_NO_LIMIT: Final = 1 << 62

# After so many units in a row that do not fit, the room counts as full.
MISSES: Final = 25

# Where the room is used to this share, a clean edge is worth more than a few more words.
FULL: Final = 0.95


def _not_at_all(_: int) -> bool:
    return False


class Cover:
    def __init__(self, content: Content, room: Room) -> None:
        room = room.less_marks(1 + len(content.holes))
        self.content = content
        self.room = room
        self.most = [_NO_LIMIT if most is None else most for most in (room.chars, room.lines, room.bytes)]
        self.used = [0, 0, 0]
        self.starts: list[int] = []
        self.stops: list[int] = []

    @property
    def spans(self) -> list[Span]:
        return list(map(Span, self.starts, self.stops))

    @property
    def filled(self) -> float:
        """The share of the room that is used, of what is the scarcest."""
        return max(used / max(1, most) for used, most in zip(self.used, self.most, strict=True))

    def add(self, spans: Sequence[Span], share: float = 1.0) -> bool:
        """Show these together if they fit, with no more than `share` of the room used then."""
        before = self.starts[:], self.stops[:], self.used
        for span in spans:
            if span.start < span.stop:
                self._insert(span)
            if any(used > share * most for used, most in zip(self.used, self.most, strict=True)):
                self.starts, self.stops, self.used = before
                return False
        return True

    def add_on(
        self,
        edges: Sequence[int],
        show: Callable[[int], bool] = _not_at_all,
        *,
        back: bool = False,
    ) -> None:
        """Show as many units as fit, from the first on, or `back` from the last: many at once while they do.

        They touch one another: each reaches from one edge to the next. One that does not fit is given to `show`, and
        then those behind it are tried.
        """
        count = len(edges) - 1
        done, step, misses = 0, 64, 0
        while done < count and misses <= MISSES:
            many = min(step, count - done)
            first = count - done - many if back else done
            if self.add([Span(edges[first], edges[first + many])]):
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
        taken = [used + mark for used, mark in zip(self.used, self.room.mark[:3], strict=True)]
        chars, lines, size = (max(0, int(share * most) - n) for most, n in zip(self.most, taken, strict=True))
        self.add(
            [from_start(self.content, Span(start, stop), self.room._replace(chars=chars, lines=lines, bytes=size))]
        )

    def _insert(self, span: Span) -> None:
        start, stop = cut_at_or_before(self.content.data, span.start), cut_at_or_after(self.content.data, span.stop)
        near = self.room.mark.bytes
        low = bisect_left(self.stops, start - near)
        high = bisect_right(self.starts, stop + near)
        # The first and the last of these may only be near: what is hidden between must be worth no mark.
        if low < high and self.stops[low] < start and not self._closes(self.stops[low], start):
            low += 1
        if low < high and self.starts[high - 1] > stop and not self._closes(stop, self.starts[high - 1]):
            high -= 1
        old = list(map(Span, self.starts[low:high], self.stops[low:high]))
        new = Span(min([start, *self.starts[low:high]]), max([stop, *self.stops[low:high]]))
        marks = -self._marks()
        self.starts[low:high] = [new.start]
        self.stops[low:high] = [new.stop]
        marks += self._marks()
        change = [unit * marks for unit in self.room.mark[:3]]
        for sign, sized in ((1, new), *((-1, span) for span in old)):
            size = self.content.size_of(sized)
            change = [n + sign * more for n, more in zip(change, size[:3], strict=True)]
        self.used = [used + more for used, more in zip(self.used, change, strict=True)]

    def _marks(self) -> int:
        """The marks that what is shown needs around it."""
        if not self.starts:
            return 0
        return len(self.starts) - 1 + (self.starts[0] > 0) + (self.stops[-1] < len(self.content.data))

    def _closes(self, stop: int, start: int) -> bool:
        """Whether what is hidden between takes no more than its mark."""
        if self.content.holes_within(stop, start):
            return False
        size, mark = self.content.size_of(Span(stop, start)), self.room.mark
        return size.chars <= mark.chars and size.lines <= max(1, mark.lines)
