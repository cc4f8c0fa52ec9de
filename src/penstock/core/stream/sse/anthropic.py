"""The dialect of Anthropic's Messages: markup in text blocks becomes `tool_use` blocks.

Rules:
1. Blocks are numbered without gaps as they go out. An event of which nothing changes, not even the number, goes out
   byte for byte.
2. A block of text begins with its first word, not before: the API takes no message back that has an empty block or one
   of white space. So white space between two calls, or before a call that the text begins with, is left out.
3. One block of upstream's becomes as many as it holds: text, thinking (with an empty signature), calls.
4. `end_turn` and `stop_sequence` become `tool_use` where a whole call was made. Every other reason stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, Literal

from penstock.core.jsontext import to_json
from penstock.core.stream.contract import Filter, NewFilter, NewId
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart, joined
from penstock.core.stream.sse.frames import Frame

TYPES: Final = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
)

_CALLED_ANYWAY: Final = ("end_turn", "stop_sequence")

Kind = Literal["text", "thinking", "tool_use"]


class MessagesRewriter:
    def __init__(self, new_filter: NewFilter, new_id: NewId, *, reasoning: bool) -> None:
        self._new_filter = new_filter
        self._new_blocks = partial(_Blocks, new_id, reasoning=reasoning)
        self._blocks = self._new_blocks("")
        self._filter: Filter | None = None  # of the text block that upstream is in
        self._within: object = None  # its number there
        self._numbers: dict[object, int] = {}  # of upstream's other blocks, and what they are with us

    def take(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        self._blocks.manner = frame
        match value.get("type"):
            case "ping":
                return self._blocks.ping(frame.raw)
            case "message_start":
                return self._begin(value) + frame.raw
            case "content_block_start":
                return self._start(frame, value)
            case "content_block_delta":
                return self._delta(frame, value)
            case "content_block_stop":
                return self._stop(frame, value)
            case "message_delta":
                return self.flush() + self._reason(frame, value)
            case "message_stop" | "error":
                return self.flush() + frame.raw
        return frame.raw

    def flush(self) -> bytes:
        """What is still held back of a block that upstream never ended."""
        if self._filter is None:
            return b""
        last, self._filter = self._filter, None
        return self._blocks.encode(last.finish()) + self._blocks.close()

    def _begin(self, value: Mapping[str, Any]) -> bytes:
        """Some gateways begin a second message in the same stream: it is counted anew."""
        sent, message = self.flush(), value.get("message")
        self._blocks = self._new_blocks(str(message.get("id", "")) if isinstance(message, dict) else "")
        self._numbers = {}
        return sent

    def _start(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        sent, block, index = self.flush(), value.get("content_block"), value.get("index")
        if not isinstance(block, dict) or not isinstance(index, int):
            return sent + frame.raw
        if block.get("type") != "text":
            self._numbers[index] = self._blocks.take_number()
            return sent + _numbered(frame, value, self._numbers[index])
        self._filter, self._within = self._new_filter(), index
        text = block.get("text")
        if not isinstance(text, str) or not text:
            self._blocks.announce(frame, value)
            return sent
        self._blocks.announce(frame, {**value, "content_block": {**block, "text": ""}}, changed=True)
        return sent + self._blocks.encode(self._filter.feed(text))

    def _delta(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        delta, index = value.get("delta"), value.get("index")
        if self._filter is None or index != self._within or not isinstance(delta, dict):
            return self._passed(frame, value)
        text = delta.get("text")
        if delta.get("type") != "text_delta" or not isinstance(text, str):
            return self._blocks.beside(frame, value)
        if not text:
            return self._blocks.silence(frame, value)
        events = joined(self._filter.feed(text))
        if [event.text for event in events if isinstance(event, Text)] == [text] and len(events) == 1:
            return self._blocks.text(text, (frame, value))
        return self._blocks.encode(events)

    def _stop(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        if self._filter is None or value.get("index") != self._within:
            return self._passed(frame, value)
        last, self._filter = self._filter, None
        return self._blocks.encode(last.finish()) + self._blocks.stop(frame, value)

    def _passed(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        index = value.get("index")
        known = isinstance(index, int) and index in self._numbers
        return _numbered(frame, value, self._numbers[index]) if known else frame.raw

    def _reason(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        delta = value.get("delta")
        if not self._blocks.called or not isinstance(delta, dict) or delta.get("stop_reason") not in _CALLED_ANYWAY:
            return frame.raw
        return frame.with_data(_json({**value, "delta": {**delta, "stop_reason": "tool_use", "stop_sequence": None}}))


class _Blocks:
    """The blocks that go out, one after another."""

    def __init__(self, new_id: NewId, answer: str, *, reasoning: bool) -> None:
        self._new_id = new_id
        self._answer = answer
        self._reasoning = reasoning
        self._number = 0  # of the next block
        self._calls = 0
        self._open: Kind | None = None
        self._start = b""  # of a text block that has no word yet
        self._ping = b""  # which came behind that start, as it does in every message of Anthropic's
        self._space = b""  # with which the text begins
        self._announced = 0  # the next number when upstream began its text block
        self.called = False
        self.manner = Frame(b"\n", None)

    def take_number(self) -> int:
        self._number += 1
        return self._number - 1

    def announce(self, frame: Frame, value: Mapping[str, Any], *, changed: bool = False) -> None:
        """Upstream began a text block: ours begins the same way, once there is a word in it."""
        self._announced = self._number
        self._start = frame.raw
        if changed or value["index"] != self._number:
            self._start = frame.with_data(_json({**value, "index": self._number}))

    def ping(self, raw: bytes) -> bytes:
        """One keeps its place behind the start of a text, until the next at the longest: it is sent to be seen."""
        if self._start and not self._space and not self._ping:
            self._ping = raw
            return b""
        sent, self._ping = self._ping + raw, b""
        return sent

    def encode(self, events: Iterable[Event]) -> bytes:
        return b"".join(map(self._encoded, joined(events)))

    def _encoded(self, event: Event) -> bytes:
        match event:
            case Text(text=text):
                return self.text(text)
            case Reasoning(text=text):
                return self._thought(text) if self._reasoning else b""
            case ToolStart(id=call, name=name):
                self._calls += 1
                block = {"id": self._new_id(self._answer, self._calls - 1, call), "name": name, "input": {}}
                return self.close() + self._begun("tool_use", block)
            case ToolArgs(delta=delta):
                return self._went_on({"type": "input_json_delta", "partial_json": delta})
            case ToolEnd(error=error):
                self.called = self.called or not error
                return self.close()
            case _:
                return b""

    def text(self, text: str, came: tuple[Frame, Mapping[str, Any]] | None = None) -> bytes:
        """A piece of text, in the frame in which it came if it is the whole of what came in that."""
        if self._open == "text":
            return self._word(text, came, self._number - 1)
        sent = self._ended()
        self._space += self._word(text, came, self._number)
        return sent if text.isspace() else sent + self._released()

    def beside(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        """What upstream says of its text block beside the text: a citation."""
        sent = b"" if self._open == "text" else self._ended() + self._released()
        return sent + _numbered(frame, value, self._number - 1)

    def silence(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        """Upstream's text block goes on without a character."""
        if self._open == "text":
            return _numbered(frame, value, self._number - 1)
        if self._number == self._announced:
            self._space += _numbered(frame, value, self._number)
        return b""

    def stop(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        """Upstream's text block has ended. One that had nothing in it is upstream's own doing."""
        sent = self._released() if self._number == self._announced else self._dropped()
        if self._open is None:
            return sent
        self._open = None
        return sent + _numbered(frame, value, self._number - 1)

    def close(self) -> bytes:
        """Ends the block that is open; white space that waited for a word has waited in vain."""
        return self._dropped() + self._ended()

    def _ended(self) -> bytes:
        if self._open is None:
            return b""
        self._open = None
        return self._event("content_block_stop", self._number - 1)

    def _dropped(self) -> bytes:
        sent, self._start, self._ping, self._space = self._ping, b"", b"", b""
        return sent

    def _thought(self, text: str) -> bytes:
        sent = b""
        if self._open != "thinking":
            sent = self.close() + self._begun("thinking", {"thinking": "", "signature": ""})
        return sent + self._went_on({"type": "thinking_delta", "thinking": text})

    def _released(self) -> bytes:
        start = self._start or self._event(
            "content_block_start", self._number, content_block={"type": "text", "text": ""}
        )
        sent = start + self._ping + self._space
        self._dropped()
        self._open = "text"
        self._number += 1
        return sent

    def _begun(self, kind: Kind, block: Mapping[str, Any]) -> bytes:
        self._open = kind
        return self._event("content_block_start", self.take_number(), content_block={"type": kind, **block})

    def _went_on(self, delta: Mapping[str, Any]) -> bytes:
        return self._event("content_block_delta", self._number - 1, delta=delta)

    def _word(self, text: str, came: tuple[Frame, Mapping[str, Any]] | None, number: int) -> bytes:
        if came is not None:
            return _numbered(*came, number)
        return self._event("content_block_delta", number, delta={"type": "text_delta", "text": text})

    def _event(self, name: str, number: int, **more: object) -> bytes:
        return self.manner.fresh(_json({"type": name, "index": number, **more}), name.encode())


def _numbered(frame: Frame, value: Mapping[str, Any], number: int) -> bytes:
    return frame.raw if value.get("index") == number else frame.with_data(_json({**value, "index": number}))


def _json(value: object) -> bytes:
    return to_json(value).encode()
