"""What a reducer is: one file with two functions, `fit` and `reduce`.

`fit` says from a sample how well the content is of this kind, from 0 (not at all) to 1 (surely). `reduce` chooses what
is shown: spans of the content, in order, apart from one another, cut at whole units, that fit the room together with
one gap mark for every stretch between them. It never makes text: what is shown is the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from penstock.core.content import Content, Span
from penstock.core.measure import Size


class Room(NamedTuple):
    """What is left for spans and gap marks. `None` is unlimited; nothing here is ever negative."""

    chars: int | None
    lines: int | None
    bytes: int | None
    mark: Size  # the most that one gap mark can take
    ratio: float = 0.5

    def less(self, size: Size) -> Room:
        return self._replace(
            chars=_less(self.chars, size.chars),
            lines=_less(self.lines, size.lines),
            bytes=_less(self.bytes, size.bytes),
        )

    def less_marks(self, count: int) -> Room:
        mark = self.mark
        return self.less(Size(count * mark.chars, count * mark.lines, count * mark.bytes))

    def share(self, part: float) -> Room:
        """A part of the room, all units alike."""
        return self.squeezed(part)._replace(lines=_share(self.lines, part))

    def squeezed(self, part: float) -> Room:
        """The same lines with less in them: for limits that only show once the text is made."""
        return self._replace(chars=_share(self.chars, part), bytes=_share(self.bytes, part))


def _less(have: int | None, taken: int) -> int | None:
    return None if have is None else max(0, have - taken)


def _share(have: int | None, part: float) -> int | None:
    return None if have is None else int(have * part)


class Sample(NamedTuple):
    """The bounded part of content from which its kind is told."""

    data: bytes
    media: str  # "text" or "json": what the caller said it is


@dataclass(frozen=True, slots=True)
class Reducer:
    name: str
    fit: Callable[[Sample], float]
    reduce: Callable[[Content, Room, str], list[Span]]
