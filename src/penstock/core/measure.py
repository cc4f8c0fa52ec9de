"""The one place where sizes are counted.

A line ends with `\\n`, or with the end of a text that does not end with one: "a\\nb" and "a\\nb\\n" both have two.
A lone `\\r` ends no line: a progress bar is one line that was written many times.
Bytes are those of the text in UTF-8; a lone surrogate counts three, like what stands in its place when it is sent.
"""

from __future__ import annotations

import codecs
from typing import Literal, NamedTuple

from penstock.core.limits import Limits

Unit = Literal["chars", "lines", "bytes", "tokens"]


class Size(NamedTuple):
    chars: int = 0
    lines: int = 0
    bytes: int = 0
    tokens: int | None = None  # None: not counted

    def over(self, limits: Limits) -> Unit | None:
        """The first limit that this size is over, in the order chars, lines, bytes, tokens; None when it fits."""
        if limits.chars is not None and self.chars > limits.chars:
            return "chars"
        if limits.lines is not None and self.lines > limits.lines:
            return "lines"
        if limits.bytes is not None and self.bytes > limits.bytes:
            return "bytes"
        if limits.tokens is not None and self.tokens is not None and self.tokens > limits.tokens:
            return "tokens"
        return None


def utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def lines_in(text: str) -> int:
    if not text:
        return 0
    return text.count("\n") + (not text.endswith("\n"))


def measure(text: str) -> Size:
    return Size(len(text), lines_in(text), utf8_length(text))


class Meter:
    """Counts bytes fed in pieces, as `measure` counts their text, in constant memory."""

    def __init__(self, errors: str = "replace") -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._pending = False  # the decoder holds the start of a character
        self._last = b""
        self.raw = 0  # bytes fed
        self.chars = 0
        self.newlines = 0
        self.shown = 0  # bytes of the text: more than `raw` where bytes that are not UTF-8 become U+FFFD

    def feed(self, data: bytes) -> None:
        if not data:
            return
        self.raw += len(data)
        self.newlines += data.count(b"\n")
        self._last = data[-1:]
        if data.isascii() and not self._pending:
            self.chars += len(data)
            self.shown += len(data)
            return
        self._count(self._decoder.decode(data))
        self._pending = bool(self._decoder.getstate()[0])

    def _count(self, text: str) -> None:
        self.chars += len(text)
        self.shown += utf8_length(text)

    def finish(self) -> Size:
        if self._pending:
            self._count(self._decoder.decode(b"", True))
            self._pending = False
        return Size(self.chars, self.newlines + (self._last not in (b"", b"\n")), self.shown)
