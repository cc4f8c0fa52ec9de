"""Content as lines, for reducers that choose among them: where each begins, without asking Python for every line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, overload

from penstock.core.content import Content, Span
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.patterns import re_pattern

# A line over this is shown by a part of it: its start, or what stands around a place in it.
LONG: Final = 2_000


ESCAPE: Final = b"\x1b"
_COLOURS: Final = re_pattern(rb"\x1b\[[0-9;:]*[mK]")


def without_colours(data: bytes) -> bytes:
    return _COLOURS.sub(b"", data) if ESCAPE in data else data


class Lines:
    """`texts[i]` is line i without its newline; `starts[i]` is where it begins, with one more for the end."""

    __slots__ = ("coloured", "content", "starts", "texts")

    def __init__(self, content: Content) -> None:
        data = content.data
        self.content = content
        self.coloured = ESCAPE in data
        self.texts = data.split(b"\n")
        if not self.texts[-1]:
            self.texts.pop()
        self.starts = list(accumulate(map((1).__add__, map(len, self.texts)), initial=0))
        self.starts[-1] = len(data)  # the last line may have no newline

    def __len__(self) -> int:
        return len(self.texts)

    def plain(self) -> list[bytes]:
        """The lines without colours: for reading, not for showing."""
        return [without_colours(text) for text in self.texts] if self.coloured else self.texts

    def span(self, first: int, stop: int) -> Span:
        """The lines from `first` up to `stop`, with their newlines."""
        return Span(self.starts[first], self.starts[stop])

    def covered(self, spans: Iterable[Span]) -> list[tuple[int, int]]:
        """For each span the lines of which it shows something: the first of them, and the one after the last."""
        starts = self.starts
        return [(bisect_right(starts, start) - 1, bisect_left(starts, stop)) for start, stop in spans]

    def unit(self, index: int, at: int = 0, most: int = LONG) -> Span:
        """What is shown of a line: all of it, or where it is long the part around the byte `at` of it."""
        start, stop = self.starts[index], self.starts[index + 1]
        if stop - start <= most:
            return Span(start, stop)
        return window(self.content.data, Span(start, start + len(self.texts[index])), start + at, most)

    def units(self, most: int = LONG) -> list[Span]:
        """One unit a line."""
        if all(len(text) < most for text in self.texts):
            return [Span(a, b) for a, b in zip(self.starts, self.starts[1:], strict=False)]
        return [self.unit(index, most=most) for index in range(len(self.texts))]


class Runs(Sequence[Span]):
    """Runs of lines as units, each made when it is asked for. A line that is a run by itself and long is cut to a part.

    `starts` are the lines with which runs begin, with one more for the end.
    """

    __slots__ = ("_lines", "_most", "starts")

    def __init__(self, lines: Lines, starts: Sequence[int], most: int = LONG) -> None:
        self._lines = lines
        self._most = most
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> Span: ...

    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...

    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        first, stop = self.starts[index], self.starts[index + 1]
        return self._lines.unit(first, most=self._most) if stop - first == 1 else self._lines.span(first, stop)


def window(data: bytes, line: Span, at: int, most: int) -> Span:
    """At most `most` bytes of a long line around the place `at`, more of it behind than before, in whole units."""
    start = max(line.start, min(at - most // 4, line.stop - most))
    stop = min(line.stop, start + most)
    first = line.start if start == line.start else cut_at_or_after(data, start, line.stop)
    return Span(first, line.stop if stop == line.stop else cut_at_or_before(data, stop, first))
