"""What tools return, in the one form that the rest of the core works on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from penstock.core.blocks import Block, is_blocks, text_of
from penstock.core.content import Errors
from penstock.core.envelope import Frame, asks_to_skip, frame_of, is_envelope, wrapped
from penstock.core.jsontext import indented, to_json
from penstock.core.limits import Limits
from penstock.core.view import Form
from penstock.errors import ResultError

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result on its way in."""

    form: Form
    media: Literal["text", "json"]
    shown: str | bytes  # what is shown when it fits
    whole: str | bytes  # what is kept when it does not
    frame: Frame | None = None
    skip: bool = False
    blocks: tuple[Block, ...] = ()

    @property
    def errors(self) -> Errors:
        return "surrogatepass" if isinstance(self.whole, str) else "replace"

    def surely_over(self, limits: Limits) -> bool:
        """Whether its length alone says that it does not fit: bytes are at least characters, at most four each."""
        length = len(self.shown)
        if isinstance(self.shown, str):
            return (limits.bytes is not None and length > limits.bytes) or (
                limits.chars is not None and length > limits.chars
            )
        # A byte that is not UTF-8 is shown as three, four bytes as at least one character.
        return (limits.bytes is not None and length > limits.bytes) or (
            limits.chars is not None and length > 4 * limits.chars
        )

    def text(self) -> str:
        return self.shown if isinstance(self.shown, str) else self.shown.decode("utf-8", "replace")

    def chunks(self) -> Iterator[bytes]:
        """The whole as bytes, in pieces: 100 MB of text are never there a second time."""
        for start in range(0, len(self.whole), CHUNK):
            piece = self.whole[start : start + CHUNK]
            yield piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece


def result_of(output: Any, *, envelope: bool = False) -> Result:
    """Read what a tool returned. `envelope` asks for an envelope around plain text."""
    if isinstance(output, bytearray | memoryview):
        output = bytes(output)
    if isinstance(output, str | bytes):
        if envelope:
            text = output if isinstance(output, str) else output.decode("utf-8", "replace")
            return Result("envelope", "text", wrapped(text), output, frame=Frame())
        return Result("text", "text", output, output)
    if isinstance(output, Mapping) and is_envelope(output):
        text = to_json(output)
        return Result("envelope", "json", text, indented(text), frame=frame_of(output), skip=asks_to_skip(output))
    if isinstance(output, list | tuple) and is_blocks(output):
        text = text_of(output)
        return Result("blocks", "text", text, text, blocks=tuple(output))
    if callable(output):
        raise ResultError(type(output).__name__, "it is something to call, not what it returned")
    text = to_json(output)
    frame = Frame() if envelope else None
    return Result("envelope" if envelope else "json", "json", text, indented(text), frame=frame)
