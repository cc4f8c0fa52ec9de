"""Kept output as it is read back: from any byte, with its lines found by seeking."""

from __future__ import annotations

from typing import Final, Protocol

from penstock.core.content import Errors
from penstock.core.handle import Handle

STEP: Final = 256 * 1024


class Source(Protocol):
    """Kept output that can be read from any byte, and knows where its lines are."""

    @property
    def handle(self) -> Handle: ...
    @property
    def size(self) -> int: ...
    @property
    def lines(self) -> int: ...
    def read(self, offset: int, size: int) -> bytes: ...
    def seek_line(self, line: int) -> tuple[int, int]:
        """An offset at or before the start of 1-based `line`, with the number of newlines before that offset."""
        ...


def errors_of(data: bytes) -> Errors:
    """Whether bytes came from a text, perhaps with lone surrogates, or are not all UTF-8."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "replace"
    return "surrogatepass"


def is_mostly_utf8(data: bytes) -> bool:
    """Whether more of what is beyond ASCII is UTF-8 than is not: a text in it with a few bytes that are wrong."""
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) > 2 * wrong


def text_of(data: bytes) -> str:
    return data.decode("utf-8", errors_of(data))


def after_lines(data: bytes, lines: int) -> int:
    """The place after `lines` lines that end; 0 where fewer do."""
    place = 0
    for _ in range(lines):
        place = data.find(b"\n", place) + 1
        if place == 0:
            break
    return place


def line_start(source: Source, line: int) -> tuple[int, int]:
    """The offset where 1-based `line` starts and the newlines before it; past the end, the end."""
    place, newlines = source.seek_line(line)
    while newlines < line - 1 and (step := source.read(place, STEP)):
        stop = after_lines(step, line - 1 - newlines) or len(step)
        newlines += step.count(b"\n", 0, stop)
        place += stop
    return place, newlines


def newlines_before(source: Source, offset: int) -> int:
    """Newlines before `offset`: a search over the lines that the source can seek, then one step of counting."""
    low, high = 1, source.lines + 1
    while low < high:
        middle = (low + high + 1) // 2
        if source.seek_line(middle)[0] <= offset:
            low = middle
        else:
            high = middle - 1
    place, newlines = source.seek_line(low)
    while place < offset and (step := source.read(place, min(STEP, offset - place))):
        newlines += step.count(b"\n")
        place += len(step)
    return newlines
