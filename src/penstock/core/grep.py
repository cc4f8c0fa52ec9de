"""Search in kept output: linear-time patterns, constant memory, a window around the match inside a long line.

The output is searched in buffers that end at a line break where there is one. A line longer than a buffer is searched
in pieces that overlap, so a match up to the overlap long is found wherever it is; `^` still means the line's start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import re2

from penstock.core.slices import Source
from penstock.errors import PatternError

BUFFER: Final = 4 * 1024 * 1024
OVERLAP: Final = 64 * 1024

# A pattern whose automaton would take more than this is refused; it is re2's own default.
_PATTERN_MEMORY: Final = 8 * 1024 * 1024
PATTERN_LONGEST: Final = 10_000

_PLAIN: Final = re.compile(rb"[^\\.^$*+?{}\[\]|()\n]+")


class Hit(NamedTuple):
    """The first match on a line; `more` is set when the line has others."""

    line: int
    line_start: int  # byte offsets in the original
    start: int
    stop: int


class Matcher(Protocol):
    def __call__(self, data: bytes, start: int, stop: int) -> tuple[int, int] | None: ...


@dataclass(frozen=True, slots=True)
class Found:
    hits: list[Hit]
    searched: int  # the search got this far, as a byte offset
    ended: str  # "": all of it; "matches": there may be more; "time": stopped by its time limit


def matcher(pattern: str, *, fixed: bool = False, ignore_case: bool = False) -> Matcher:
    """Compile a pattern, or raise PatternError with what is wrong with it."""
    if not pattern:
        raise PatternError(pattern, "it is empty")
    if len(pattern) > PATTERN_LONGEST:
        raise PatternError(pattern[:40] + "...", f"it is longer than {PATTERN_LONGEST:,} characters")
    raw = pattern.encode("utf-8", "surrogatepass")
    if not ignore_case and (fixed or _PLAIN.fullmatch(raw)):
        # Three times as fast as the same search as a pattern.
        return _Literal(raw)
    options = re2.Options()
    options.max_mem = _PATTERN_MEMORY
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.literal = fixed
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        raise PatternError(
            pattern, "it holds half a surrogate pair; search for it with fixed and without ignore_case"
        ) from None
    source = pattern if fixed else f"(?m){pattern}"
    try:
        compiled = re2.compile(source.encode(), options)
    except re2.error as error:
        why = error.args[0] if error.args else "it is not a pattern"
        raise PatternError(pattern, why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)) from None
    return _Pattern(compiled)


class _Literal:
    def __init__(self, wanted: bytes) -> None:
        self._wanted = wanted

    def __call__(self, data: bytes, start: int, stop: int) -> tuple[int, int] | None:
        found = data.find(self._wanted, start, stop)
        return None if found < 0 else (found, found + len(self._wanted))


class _Pattern:
    def __init__(self, compiled: re2._Regexp[bytes]) -> None:
        self._compiled = compiled

    def __call__(self, data: bytes, start: int, stop: int) -> tuple[int, int] | None:
        found = self._compiled.search(data, start, stop)
        return None if found is None else found.span()


def search(
    source: Source, match: Matcher, *, start_line: int = 1, most: int = 50, expired: Callable[[], bool] = lambda: False
) -> Found:
    """The first `most` lines that match from `start_line` on. `expired` is asked before each buffer."""
    hits: list[Hit] = []
    for buffer in _buffers(source, start_line):
        if expired():
            return Found(hits, buffer.offset + buffer.first, "time")
        for hit in _hits(buffer, match):
            if hits and hits[-1].line == hit.line:
                continue  # the piece of a long line that overlaps the one before
            if len(hits) == most:
                return Found(hits, hit.line_start, "matches")
            hits.append(hit)
    return Found(hits, source.size, "")


@dataclass(slots=True)
class _Buffer:
    """data[first:limit] is to be searched; what is before `first` is there for `^` and `\\b` to look at."""

    data: bytes
    offset: int  # of data[0] in the original
    first: int
    limit: int  # matches start before this
    line: int  # of data[first]
    line_start: int  # the offset where that line begins


def _buffers(source: Source, start_line: int) -> Iterator[_Buffer]:
    place, newlines = source.seek_line(start_line)
    carry, carried = b"", 0
    line, line_start = newlines + 1, place
    if place:
        # A block starts anywhere in a line; the byte before tells `^` whether it is a line start.
        carry, carried = source.read(place - 1, 1), 1
        line_start = place if carry == b"\n" else -1
    while line < start_line and place < source.size:
        # To the start of the line that was asked for.
        step = source.read(place, BUFFER)
        at = step.find(b"\n")
        while at >= 0 and line + 1 < start_line:
            line += 1
            at = step.find(b"\n", at + 1)
        if at < 0:
            place += len(step)
            continue
        place += at + 1
        line, line_start, carry, carried = line + 1, place, b"\n", 1
        break
    while True:
        step = source.read(place, BUFFER)
        data = carry + step
        at_end = place + len(step) >= source.size
        limit = len(data) if at_end else data.rfind(b"\n", carried) + 1 or max(carried, len(data) - OVERLAP)
        offset = place - len(carry)
        yield _Buffer(data, offset, carried, limit, line, line_start)
        if at_end:
            return
        line += data.count(b"\n", carried, limit)
        last = data.rfind(b"\n", carried, limit)
        if last >= 0:
            line_start = offset + last + 1
        place += len(step)
        kept = max(0, limit - 1)
        carry, carried = data[kept:], limit - kept


def _hits(buffer: _Buffer, match: Matcher) -> Iterator[Hit]:
    data = buffer.data
    line, line_start, counted = buffer.line, buffer.line_start, buffer.first
    place = buffer.first
    while place < buffer.limit:
        found = match(data, place, len(data))
        if found is None or found[0] >= buffer.limit:
            return
        start, stop = found
        newlines = data.count(b"\n", counted, start)
        if newlines:
            line += newlines
            line_start = buffer.offset + data.rfind(b"\n", counted, start) + 1
        counted = start
        yield Hit(line, line_start, buffer.offset + start, buffer.offset + stop)
        newline = data.find(b"\n", max(start, stop - 1), buffer.limit)
        if newline < 0:
            return
        place = newline + 1
