"""What a reducer is: one file a kind, with two functions, `fit` and `reduce`.

`fit` says from a sample how well the content is of this kind, from 0 (not at all) to 1 (surely). `reduce` reads the
content once and gives a `Plan`: how to fill any room. A plan is asked several times, with more and less room, until the
finished text fills its limits; so what costs is done once in `reduce`, and `choose` only picks.

Rules:
1. What is shown are spans of the content, in order, apart, none empty, cut at whole units. A plan writes no words.
2. A choice fits the room together with one mark for every gap. `Room.mark` is what a mark takes as a rule; where the
   marks turn out longer the plan is asked again with less room, where much is left unspent with more.
3. A `layout` may arrange what spans hold so that what repeats is shown once: keys, paths, prefixes. The values stay
   as they are and in order, and the place of each record can be told (its number, its line).
4. Cost is linear in the content, and counted: `Ask.effort` is spent for each line or record that is looked at. When it
   is used up, the content is shown by its two ends instead.
5. The same content, ask and room give the same choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from penstock.core.content import Content, Span
from penstock.core.measure import Size


class Room(NamedTuple):
    """What is left for spans and gap marks. `None` is unlimited; nothing here is ever negative."""

    chars: int | None
    lines: int | None
    bytes: int | None
    mark: Size  # what one gap mark takes as a rule
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

    @property
    def least(self) -> int:
        """The tighter of characters and bytes, for a share of the room that need not be exact."""
        sizes = [size for size in (self.chars, self.bytes) if size is not None]
        return min(sizes) if sizes else 1 << 40


def _less(have: int | None, taken: int) -> int | None:
    return None if have is None else max(0, have - taken)


def _share(have: int | None, part: float) -> int | None:
    return None if have is None else int(have * part)


class Sample(NamedTuple):
    """The bounded part of content from which its kind is told: how it begins, some of its middle, how it ends."""

    data: bytes
    media: str  # "text" or "json": what the caller said it is
    middle: bytes = b""
    end: bytes = b""
    size: int = 0  # of the whole, in bytes


# What a kind counts, beside errors and warnings. The words for them are in `notice`.
Noun = Literal["repeats", "failures", "records", "files", "matches", "hunks", "rows", "entries", "definitions"]


class Tally(NamedTuple):
    """So many of these."""

    noun: Noun
    many: int


# How a layout differs from the original; the notice says it.
Layout = Literal["verbatim", "keys", "paths", "prefixes"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What is shown of the content."""

    spans: list[Span]
    # Where the layout is not verbatim: for each span what stands for it, its own spans with what parts them. Each ends
    # its line.
    parts: list[list[str | Span]] | None = None
    layout: Layout = "verbatim"
    # By the index of the span behind a gap (the number of spans for the last gap): what the gap hides.
    hidden: Mapping[int, Tally] = field(default_factory=dict)
    # What is shown of the plan's totals, in their order.
    shown: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How any room is filled."""

    choose: Callable[[Room], Choice]
    totals: tuple[Tally, ...] = ()  # what the whole holds, of which the notice says how much is hidden
    layout: Layout = "verbatim"  # the layout that it may choose


class EffortSpent(Exception):
    """A reducer looked at as much as it may."""


# Some 1 µs each: several times what 10 MB of ordinary lines need. Counted, not timed, because the same content must
# give the same view on a slow machine.
EFFORT: Final = 3_000_000


@dataclass(slots=True)
class Effort:
    left: int = EFFORT

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise EffortSpent


@dataclass(frozen=True, slots=True)
class Ask:
    """What the content is read for."""

    query: str = ""
    compact: bool = True  # whether a layout other than verbatim may be chosen
    effort: Effort = field(default_factory=Effort)


@dataclass(frozen=True, slots=True)
class Reducer:
    name: str
    fit: Callable[[Sample], float]
    reduce: Callable[[Content, Ask], Plan]
    exact: bool = False  # its first choice fits and fills the room: it takes every mark for the longest there can be
