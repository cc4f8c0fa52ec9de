"""The one place where sizes are counted.

A line ends with `\\n`, or with the end of a text that does not end with one: "a\\nb" and "a\\nb\\n" both have two.
A lone `\\r` ends no line: a progress bar is one line that was written many times.
Bytes are those of the text in UTF-8; a lone surrogate counts three, like what stands in its place when it is sent.
"""

from __future__ import annotations

import codecs
from typing import Final, Literal, NamedTuple

from penstock.core.limits import Limits

_CONTINUATION: Final = bytes(range(0x80, 0xC0))

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
    """Counts bytes fed in pieces, as `measure` counts their text, in constant memory.

    `errors` says how they become text: "surrogatepass" for bytes of a text, which are counted without decoding.
    """

    def __init__(self, errors: str = "replace") -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors) if errors == "replace" else None
        self._pending = 0  # bytes of the start of a character, which the decoder holds
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
        if not self._pending and data.isascii():
            self.chars += len(data)
            self.shown += len(data)
        elif self._decoder is None:
            self.chars += len(data.translate(None, _CONTINUATION))
            self.shown += len(data)
        else:
            self._decode(self._decoder, data)

    def _decode(self, decoder: codecs.IncrementalDecoder, data: bytes, *, final: bool = False) -> None:
        text = decoder.decode(data, final)
        before, self._pending = self._pending, len(decoder.getstate()[0])
        self.chars += len(text)
        # Where nothing was replaced the text is as long as its bytes were: no need to encode it again.
        self.shown += utf8_length(text) if "\ufffd" in text else before + len(data) - self._pending

    def finish(self) -> Size:
        if self._pending and self._decoder is not None:
            self._decode(self._decoder, b"", final=True)
        return Size(self.chars, self.newlines + (self._last not in (b"", b"\n")), self.shown)
