"""What tools return, in the one form that the rest of the core works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from penstock.core.blocks import Block, is_blocks, text_of
from penstock.core.content import Errors
from penstock.core.envelope import Frame, asks_to_skip, frame_of, is_envelope, wrapped, wrapped_data
from penstock.core.jsontext import indented, to_json
from penstock.core.limits import Limits
from penstock.core.tokens import MOST_BYTES_PER_TOKEN
from penstock.core.view import Form
from penstock.errors import ResultError

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result on its way in."""

    form: Form
    media: Literal["text", "json"]
    shown: str | bytes  # what is shown when it fits
    plain: str | bytes | None = None  # what is kept when it does not, where `shown` is only a frame around it
    frame: Frame | None = None
    skip: bool = False
    blocks: tuple[Block, ...] = ()

    @property
    def errors(self) -> Errors:
        return "replace" if isinstance(self.shown if self.plain is None else self.plain, bytes) else "surrogatepass"

    @property
    def whole(self) -> str | bytes:
        """What is kept: JSON is laid out so that people can page and grep it."""
        output = self.shown if self.plain is None else self.plain
        return indented(output) if self.media == "json" and isinstance(output, str) else output

    def surely_over(self, limits: Limits) -> bool:
        """Whether its length alone says that it does not fit: bytes are at least characters, at most four each."""
        length = len(self.shown)
        # Four bytes are at least one character; what is not UTF-8 takes more bytes as text than it did before.
        chars = length if isinstance(self.shown, str) else -(-length // 4)
        return (
            (limits.bytes is not None and length > limits.bytes)
            or (limits.chars is not None and chars > limits.chars)
            or (limits.tokens is not None and length > MOST_BYTES_PER_TOKEN * limits.tokens)
        )

    def text(self) -> str:
        return self.shown if isinstance(self.shown, str) else self.shown.decode("utf-8", "replace")

    def chunks(self) -> Iterator[bytes]:
        """The whole as bytes, in pieces: 100 MB of text are never there a second time."""
        whole = self.whole
        for start in range(0, len(whole), CHUNK):
            piece = whole[start : start + CHUNK]
            yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece


def result_of(output: Any, *, envelope: bool = False) -> Result:
    """Read what a tool returned. `envelope` asks for an envelope around plain text."""
    if isinstance(output, bytearray | memoryview):
        output = bytes(output)
    if isinstance(output, str | bytes):
        if envelope:
            text = output if isinstance(output, str) else output.decode("utf-8", "replace")
            return Result("envelope", "text", wrapped(text), output, Frame())
        return Result("text", "text", output)
    if isinstance(output, Mapping) and is_envelope(output):
        return Result("envelope", "json", to_json(output), frame=frame_of(output), skip=asks_to_skip(output))
    if isinstance(output, list | tuple) and is_blocks(output):
        return Result("blocks", "text", text_of(output), blocks=tuple(output))
    if callable(output):
        raise ResultError(type(output).__name__, "it is something to call, not what it returned")
    text = to_json(output)
    if envelope:
        return Result("envelope", "json", wrapped_data(output), text, Frame())
    return Result("json", "json", text)
