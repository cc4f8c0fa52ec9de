"""Content as the core works on it: bytes, with holes where bytes were seen but not held.

Positions in this module are of two kinds. A *place* is an index into `data`, which is what is held. An *offset* is a
byte position in the original. They differ only behind a hole: a result of a gigabyte is held as its first and last
megabytes with one hole between, and a view that is bounded a second time holds what the first view showed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple

from penstock.core.census import Census
from penstock.core.measure import Meter, Size, measure, utf8_length

# How bytes become text: what came in as bytes shows U+FFFD for what is not UTF-8; what came in as text may hold lone
# surrogates and shows them as they were.
Errors = Literal["replace", "surrogatepass"]

# How much of what stands around it a cut may have to see: the longest escape sequence that `cut` knows, and then some.
LOOK: Final = 8 * 1024


class Span(NamedTuple):
    """A stretch of content, as places: data[start:stop]."""

    start: int
    stop: int


class Hole(NamedTuple):
    """Bytes of the original that are not held, between data[:place] and data[place:]."""

    place: int
    bytes: int
    newlines: int
    ends_line: bool  # its last byte is a newline: what follows starts a line
    census: Census = Census()


@dataclass(frozen=True, slots=True)
class Content:
    data: bytes
    size: Size  # of the whole original, as text
    errors: Errors = "replace"
    holes: tuple[Hole, ...] = ()
    _places: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _hidden: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", tuple(hole.place for hole in self.holes))
        object.__setattr__(self, "_hidden", tuple(accumulate((h.bytes for h in self.holes), initial=0)))

    @property
    def original_bytes(self) -> int:
        return len(self.data) + self._hidden[-1]

    def text(self, span: Span) -> str:
        return self.data[span.start : span.stop].decode("utf-8", self.errors)

    def size_of(self, span: Span) -> Size:
        """The size of a span's text; a last line that has no newline counts."""
        part = self.data[span.start : span.stop]
        lines = part.count(b"\n") + (part[-1:] not in (b"", b"\n"))
        if part.isascii():
            return Size(len(part), lines, len(part))
        text = part.decode("utf-8", self.errors)
        return Size(len(text), lines, utf8_length(text))

    def offset_of_start(self, place: int) -> int:
        """The offset of the byte at `place`: behind a hole that stands there."""
        return place + self._hidden[bisect_right(self._places, place)]

    def offset_of_end(self, place: int) -> int:
        """The offset just after the byte before `place`: in front of a hole that stands there."""
        return place + self._hidden[bisect_left(self._places, place)]

    def holes_within(self, start: int, stop: int) -> tuple[Hole, ...]:
        """The holes from `start` to `stop`, with those at either place."""
        return self.holes[bisect_left(self._places, start) : bisect_right(self._places, stop)]

    def split(self, span: Span) -> list[Span]:
        """`span` without holes inside: a view must not show as one stretch what was never next to each other."""
        inner = self.holes[bisect_right(self._places, span.start) : bisect_left(self._places, span.stop)]
        edges = [span.start, *(hole.place for hole in inner), span.stop]
        return [Span(a, b) for a, b in pairwise(edges) if a < b]

    def newlines(self, start: int, stop: int) -> int:
        """Newlines of the original from `start` to `stop`, with the holes at both ends."""
        return self.data.count(b"\n", start, stop) + sum(h.newlines for h in self.holes_within(start, stop))


METERED: Final = 1 << 20


def content_of_text(text: str) -> Content:
    return Content(text.encode("utf-8", "surrogatepass"), measure(text), "surrogatepass")


def content_of_bytes(data: bytes) -> Content:
    meter = Meter()
    view = memoryview(data)
    # In pieces, because the text of 100 MB that are not ASCII would take 400 MB for a moment.
    for start in range(0, len(data), METERED):
        meter.feed(bytes(view[start : start + METERED]))
    return Content(data, meter.finish())
