"""Search hits as text: line numbers as grep writes them, lines around each hit, a window around it in a long line.

A search result is a hit with the lines around it; it is shown whole or not at all. The first one, where it is too long
for the limits by itself, is shown with less and less around it, and at last passed over with a word: so going on by
`next` always gets somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from penstock.core.census import Census
from penstock.core.content import LOOK
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat
from penstock.core.grep import Found, Hit
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.notice import gap_mark
from penstock.core.source import Source, line_start, text_of
from penstock.core.tokens import MOST_BYTES_PER_TOKEN

# Of a long line so many bytes are shown on each side of the match, and twice as many of a long line beside it.
WINDOW: Final = 240
NARROWER: Final = (WINDOW, WINDOW // 4, WINDOW // 16, 1)

_CHARACTER: Final = 4  # the most bytes of one

# Hits are near one another, so what is read for one serves the next.
NEAR: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to a search. `str(hits)` is its text."""

    text: str
    handle: Handle
    hits: list[Hit]  # those that the text shows
    complete: bool  # the text shows all that match from the line on where the search began
    ended: str  # "", "matches", "time" or "room": what stopped the search or its display
    searched: int  # bytes
    next: dict[str, Any] | None  # the arguments that go on
    shown: tuple[tuple[int, int], ...]  # byte ranges of the original
    note: str = ""  # the last line of the text; all limits that leave room for no note leave none for anything

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.hits)


class _Line(NamedTuple):
    number: int
    hit: bool
    text: str
    shown: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.number}{':' if self.hit else '-'}{self.text}"


def render(
    source: Source,
    found: Found,
    context: int,
    limits: Limits,
    count: Callable[[str], int],
    pattern: str,
    options: Mapping[str, Any] | None = None,
) -> Hits:
    """As many results as fit, with a last line that says how many there are and how to go on.

    `options` are the other arguments of the search, which `next` repeats.
    """
    again = {"pattern": pattern, **(options or {})}
    lines = _Lines(source)
    results = _results(lines, found.hits, context, limits)

    def fits(hits: Hits) -> bool:
        size = measure(hits.text)
        if limits.tokens is not None:
            size = size._replace(tokens=count(hits.text))
        return size.over(limits) is None

    best = _hits(source, found, [], again)
    most, over = 0, len(results) + 1
    while over - most > 1:
        some = (most + over) // 2
        tried = _hits(source, found, results[:some], again)
        if fits(tried):
            most, best = some, tried
        else:
            over = some
    if most == 0 and found.hits:
        first = found.hits[0]
        alone = (_hits(source, found, [[_hit_line(lines, first, window)]], again) for window in NARROWER)
        best = next(filter(fits, alone), _hits(source, found, [], again, passed=first))
    return best if fits(best) else replace(best, text="", note="")


def _results(lines: _Lines, hits: Sequence[Hit], context: int, limits: Limits) -> list[list[_Line]]:
    """The results from the first on, up to one that cannot fit any more. No line is in two of them."""
    results: list[list[_Line]] = []
    size = Size()
    last = 0
    for index, hit in enumerate(hits):
        until = hit.line + context
        if index + 1 < len(hits):
            until = min(until, hits[index + 1].line - 1)
        result = _before(lines, hit, max(last + 1, hit.line - context))
        result.append(_hit_line(lines, hit, WINDOW))
        result += _after(lines, hit, until)
        results.append(result)
        last = result[-1].number
        text = measure("\n".join(map(str, result)))
        size = Size(size.chars + text.chars, size.lines + text.lines, size.bytes + text.bytes)
        if size.over(limits) or (limits.tokens is not None and size.bytes > MOST_BYTES_PER_TOKEN * limits.tokens):
            break
    return results


def _hits(
    source: Source, found: Found, results: list[list[_Line]], again: dict[str, Any], passed: Hit | None = None
) -> Hits:
    """The answer that shows these results; `passed` is a hit that is named in place of being shown."""
    done = len(results) + (passed is not None)
    ended = "room" if passed or done < len(found.hits) else found.ended
    line = _next_line(found, done)
    note = _note(source, found, len(results), ended, line, passed)
    body: list[str] = []
    for index, result in enumerate(results):
        if index and result[0].number > results[index - 1][-1].number + 1:
            body.append("--")
        body += map(str, result)
    return Hits(
        text="\n".join([*body, note]),
        handle=source.handle,
        hits=found.hits[: len(results)],
        complete=not ended,
        ended=ended,
        searched=found.searched,
        next=None if line is None else {**again, "start": line},
        shown=tuple(line.shown for result in results for line in result),
        note=note,
    )


def _next_line(found: Found, done: int) -> int | None:
    """Where to go on when the first `done` hits are dealt with."""
    if done < len(found.hits):
        return found.hits[done].line
    if found.ended == "matches":
        return found.line
    if found.ended == "time":
        # A line that took all the time is not tried again.
        line = max(found.line, found.hits[-1].line + 1 if found.hits else 0)
        return line if line > found.first else None
    return None


def _note(source: Source, found: Found, shown: int, ended: str, line: int | None, passed: Hit | None) -> str:
    more = "" if line is None else f"; more: start={line}"
    if passed is not None:
        return f"[line {passed.line:,} matches and is too long to show{more}]"
    hits = f"{shown:,} matching line{'' if shown == 1 else 's'}"
    if ended == "time":
        part = 100 * found.searched // max(1, source.size)
        return f"[{hits}; stopped by the time limit after {found.searched:,} bytes ({part} %){more}]"
    if ended:
        return f"[{hits} shown{more}]"
    if found.first == 1:
        return f"[{hits}; all {source.lines:,} lines searched]" if shown else f"[no match in {source.lines:,} lines]"
    if found.first > source.lines:
        return f"[past the end: {source.lines:,} lines]"
    where = f"lines {found.first:,}-{source.lines:,}"
    return f"[{hits}; {where} searched]" if shown else f"[no match in {where}]"


class _Lines:
    """Lines near one another, read from one piece of the source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._offset = 0
        self._data = b""

    @property
    def size(self) -> int:
        return self._source.size

    def read(self, start: int, stop: int) -> bytes:
        if not self._offset <= start <= stop <= self._offset + len(self._data):
            self._offset = max(0, start - NEAR // 2)
            self._data = self._source.read(self._offset, max(NEAR, stop - self._offset))
        return self._data[start - self._offset : stop - self._offset]

    def start(self, number: int, end: int) -> int:
        """Where line `number`, which ends at `end`, begins."""
        low = max(0, end - NEAR // 4)
        found = self.read(low, end).rfind(b"\n")
        return low + found + 1 if found >= 0 or low == 0 else line_start(self._source, number)[0]

    def end(self, number: int, place: int) -> int:
        """Where line `number`, which `place` is in, ends."""
        high = min(self.size, place + NEAR // 4)
        found = self.read(place, high).find(b"\n")
        if found >= 0:
            return place + found
        start, newlines = (self.size, 0) if high == self.size else line_start(self._source, number + 1)
        return start - 1 if newlines == number else self.size

    def line(self, number: int, start: int, end: int, first: int, last: int, *, hit: bool) -> _Line:
        """A line from `start` to `end`, of which at least `first` to `last` is shown, in whole units."""
        low, high = max(start, first - LOOK), min(end, last + LOOK)
        offset = max(start, low - _CHARACTER)
        data = self.read(offset, min(end, high + _CHARACTER))
        begin = cut_at_or_before(data, first - offset, low - offset)
        stop = cut_at_or_after(data, last - offset, high - offset)
        # A unit that does not end within sight is cut where at least its characters stay whole.
        begin = retreat(data, begin, len(data), chars=None, size=None)
        stop = advance(data, 0, stop, chars=None, size=None)
        text = text_of(data[begin:stop])
        begin, stop = offset + begin, offset + stop
        before = gap_mark("en", start, begin - 1, Census(), by_bytes=True) if begin > start else ""
        after = gap_mark("en", stop, end - 1, Census(), by_bytes=True) if stop < end else ""
        return _Line(number, hit, before + text + after, (begin, stop))


def _hit_line(lines: _Lines, hit: Hit, window: int) -> _Line:
    start, end = hit.line_start, lines.end(hit.line, hit.start)
    first = hit.start - window
    last = min(hit.stop, hit.start + window) + window
    # What is hardly longer than its gap mark is shown.
    first = first if first - start > window // 4 else start
    last = last if end - last > window // 4 else end
    return lines.line(hit.line, start, end, first, last, hit=True)


def _beside(lines: _Lines, number: int, start: int, end: int) -> _Line:
    last = start + 2 * WINDOW if end - start > 2 * WINDOW + WINDOW // 4 else end
    return lines.line(number, start, end, start, last, hit=False)


def _before(lines: _Lines, hit: Hit, first: int) -> list[_Line]:
    """The lines from `first` up to the one that was hit."""
    result: list[_Line] = []
    end = hit.line_start - 1
    for number in range(hit.line - 1, first - 1, -1):
        start = lines.start(number, end)
        result.append(_beside(lines, number, start, end))
        end = start - 1
    return result[::-1]


def _after(lines: _Lines, hit: Hit, until: int) -> list[_Line]:
    """The lines after the one that was hit, up to line `until`."""
    result: list[_Line] = []
    end = lines.end(hit.line, hit.start)
    for number in range(hit.line + 1, until + 1):
        start = end + 1
        if start >= lines.size:
            break
        end = lines.end(number, start)
        result.append(_beside(lines, number, start, end))
    return result
