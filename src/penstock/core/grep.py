"""Search in kept output: linear-time patterns, constant memory, the first match of each line.

A pattern is searched for line by line, as grep does: `\\s` and `[^x]` match no line break, unless the pattern itself
speaks of line breaks. The output is read in buffers. A match is searched for only where it can be seen for OVERLAP
bytes on, and with the byte before it, so neither a match nor `^`, `$` or `\\b` notices where a buffer ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import re2

from penstock.core.source import Source, line_start
from penstock.errors import PatternError

BUFFER: Final = 4 * 1024 * 1024
OVERLAP: Final = 64 * 1024

# A pattern whose automaton would take more than this is refused; it is re2's own default.
_PATTERN_MEMORY: Final = 8 * 1024 * 1024
PATTERN_LONGEST: Final = 10_000

# `^` and `$` mean the ends of a line.
_LINES: Final = "(?m)"

_PLAIN: Final = re.compile(rb"[^\\.^$*+?{}\[\]|()]+")

# What says that a pattern is meant to go over line breaks: one in it, (?s), [\s\S] and the like.
_OVER_LINES: Final = re.compile(r"\n|\\n|\(\?[imU]*s|\[\\[swd]\\[SWD]\]")


class Hit(NamedTuple):
    """The first match on a line. A pattern that speaks of line breaks may match over several lines."""

    line: int
    line_start: int  # byte offsets in the original
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Found:
    hits: list[Hit]
    searched: int  # the search got this far, as a byte offset
    ended: str  # "": all of it; "matches": there are more; "time": stopped by its time limit
    first: int = 1  # the line that it began with
    line: int = 1  # the line that it got to; with "matches" the next one that matches


class Matcher(Protocol):
    def __call__(self, data: bytes, start: int, stop: int) -> tuple[int, int] | None: ...


def matcher(pattern: str, *, fixed: bool = False, ignore_case: bool = False) -> Matcher:
    """Compile a pattern, or raise PatternError with what is wrong with it."""
    if not isinstance(pattern, str):
        raise PatternError(pattern, "it is not text")
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
    options.never_capture = True
    options.never_nl = not fixed and not is_over_lines(pattern)
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        raise PatternError(
            pattern, "it holds half a surrogate pair; search for it with fixed and without ignore_case"
        ) from None
    source = pattern if fixed else _LINES + pattern
    try:
        compiled = re2.compile(source.encode(), options)
    except re2.error as error:
        raw_why = error.args[0] if error.args else b"it is not a pattern"
        why = raw_why.decode("utf-8", "replace") if isinstance(raw_why, bytes) else str(raw_why)
        raise PatternError(pattern, why.replace(_LINES, "", 1)) from None  # the flag is ours, not the caller's
    return _Pattern(compiled)


def is_over_lines(pattern: str) -> bool:
    """Whether a pattern speaks of line breaks, so that it may match over several lines."""
    return _OVER_LINES.search(pattern) is not None


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


@dataclass(slots=True)
class _Buffer:
    offset: int  # of data[0] in the original
    data: bytes
    limit: int  # matches start before data[limit]
    stop: int  # and end at data[stop] or before


@dataclass(slots=True)
class _Lines:
    """Counts the lines on the way through the output."""

    number: int  # of the line that `start` begins
    start: int
    counted: int  # line breaks before this offset are in `number`

    def go_to(self, buffer: _Buffer, offset: int) -> None:
        begin, end = self.counted - buffer.offset, offset - buffer.offset
        newlines = buffer.data.count(b"\n", begin, end)
        if newlines:
            self.number += newlines
            self.start = buffer.offset + buffer.data.rfind(b"\n", begin, end) + 1
        self.counted = max(self.counted, offset)


def search(
    source: Source, match: Matcher, *, start_line: int = 1, most: int = 50, expired: Callable[[], bool] = lambda: False
) -> Found:
    """The first `most` lines that match from `start_line` on. `expired` is asked before each buffer."""
    place, newlines = line_start(source, start_line)
    lines = _Lines(newlines + 1, place, place)
    hits: list[Hit] = []
    if place >= source.size:
        return Found(hits, source.size, "", start_line, start_line)
    for buffer in _buffers(source, place):
        if expired():
            return Found(hits, place, "time", start_line, lines.number)
        end = buffer.offset + buffer.limit
        while place < end:
            found = match(buffer.data, place - buffer.offset, buffer.stop)
            if found is None or found[0] >= buffer.limit:
                break
            start, stop = buffer.offset + found[0], buffer.offset + found[1]
            lines.go_to(buffer, start)
            if not hits or hits[-1].line != lines.number:
                if len(hits) == most:
                    return Found(hits, lines.start, "matches", start_line, lines.number)
                hits.append(Hit(lines.number, lines.start, start, stop))
            # On with the line after the match; a match that ends with a line break ends on its line.
            newline = buffer.data.find(b"\n", max(found[0], found[1] - 1))
            place = end if newline < 0 else buffer.offset + newline + 1
        place = max(place, end)
        lines.go_to(buffer, place)
    return Found(hits, source.size, "", start_line, lines.number)


def _buffers(source: Source, place: int) -> Iterator[_Buffer]:
    offset = max(0, place - 1)
    data = b""
    while True:
        step = source.read(offset + len(data), BUFFER)
        data += step
        if len(step) < BUFFER:
            # An empty match at the very end is on the last line, unless that has ended.
            limit = len(data) + (not data.endswith(b"\n"))
            yield _Buffer(offset, data, limit, len(data))
            return
        limit = len(data) - OVERLAP
        # `$` and `\b` ask for what stands behind a match: the last byte is for them.
        yield _Buffer(offset, data, limit, len(data) - 1)
        kept = limit - 1
        offset, data = offset + kept, data[kept:]
