"""AG-UI, the protocol between agents and front ends such as CopilotKit.

Rules of the protocol that this keeps:
1. `RUN_STARTED` comes first, and nothing after `RUN_FINISHED` or `RUN_ERROR`.
2. Every text message, reasoning message and tool call that starts has ended before the run finishes.
3. A tool call belongs to the assistant message that stands before it. Text after a call is a new message, as a model
   must be told it: what it said, what it called, what came of it, what it said then.
4. There is no event for a call that never was whole: it ends, and a `CUSTOM` event named `tool_call_error` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from penstock.core.jsontext import to_json
from penstock.core.stream.encoders.wire import sse
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart

HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {"content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no"}
)

CALL_ERROR: Final = "tool_call_error"


class AgUi:
    def __init__(self, thread_id: str, run_id: str, message_id: str) -> None:
        """Messages are `message_id`, a hyphen and their number."""
        self._run = {"threadId": thread_id, "runId": run_id}
        self._message = message_id
        self._messages = 0
        self._thoughts = 0
        self._talking = False
        self._thinking = False
        self._anew: Literal["all", "text", "none"] = "all"  # what would begin a message

    def begin(self) -> bytes:
        return sse({"type": "RUN_STARTED", **self._run})

    def encode(self, events: Iterable[Event]) -> bytes:
        return b"".join(map(self._encoded, events))

    def result(self, call: str, output: Any = None, *, error: str = "") -> bytes:
        """Text as it is, other values as JSON; the protocol knows no errors of tools, so an error is the content."""
        content = error or (output if isinstance(output, str) else to_json(output))
        told = {"messageId": f"{call}-result", "toolCallId": call, "content": content, "role": "tool"}
        return sse({"type": "TOOL_CALL_RESULT", **told})

    def next_step(self) -> bytes:
        """The tools have answered, and the model goes on in the same run."""
        self._anew = "all"
        return self._closed()

    def end(self, *, error: str = "") -> bytes:
        last = {"type": "RUN_ERROR", "message": error} if error else {"type": "RUN_FINISHED", **self._run}
        return self._closed() + sse(last)

    def _encoded(self, event: Event) -> bytes:
        match event:
            case Text(text=text):
                return self._text(text)
            case Reasoning(text=text):
                return self._reasoning(text)
            case ToolStart(id=call, name=name):
                return self._call(call, name)
            case ToolArgs(id=call, delta=delta):
                return sse({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": delta})
            case ToolEnd():
                return self._ended(event)
            case _:
                return b""

    def _text(self, delta: str) -> bytes:
        opening = b""
        if not self._talking:
            opening = self._closed()
            if self._anew != "none":
                self._messages += 1
            self._talking, self._anew = True, "none"
            opening += sse({"type": "TEXT_MESSAGE_START", "messageId": self._id, "role": "assistant"})
        return opening + sse({"type": "TEXT_MESSAGE_CONTENT", "messageId": self._id, "delta": delta})

    def _reasoning(self, delta: str) -> bytes:
        opening = b""
        if not self._thinking:
            opening = self._closed()
            self._thinking = True
            self._thoughts += 1
            opening += sse({"type": "REASONING_START", "messageId": self._thought})
            opening += sse({"type": "REASONING_MESSAGE_START", "messageId": self._thought, "role": "reasoning"})
        return opening + sse({"type": "REASONING_MESSAGE_CONTENT", "messageId": self._thought, "delta": delta})

    def _call(self, call: str, name: str) -> bytes:
        closing = self._closed()
        if self._anew == "all":
            self._messages += 1
        self._anew = "text"
        told = {"toolCallId": call, "toolCallName": name, "parentMessageId": self._id}
        return closing + sse({"type": "TOOL_CALL_START", **told})

    def _ended(self, event: ToolEnd) -> bytes:
        end = sse({"type": "TOOL_CALL_END", "toolCallId": event.id})
        if not event.error:
            return end
        value = {"toolCallId": event.id, "toolCallName": event.name, "arguments": event.arguments, "error": event.error}
        return end + sse({"type": "CUSTOM", "name": CALL_ERROR, "value": value})

    def _closed(self) -> bytes:
        if self._talking:
            self._talking = False
            return sse({"type": "TEXT_MESSAGE_END", "messageId": self._id})
        if self._thinking:
            self._thinking = False
            end = sse({"type": "REASONING_MESSAGE_END", "messageId": self._thought})
            return end + sse({"type": "REASONING_END", "messageId": self._thought})
        return b""

    @property
    def _id(self) -> str:
        return f"{self._message}-{self._messages}"

    @property
    def _thought(self) -> str:
        return f"{self._message}-reasoning-{self._thoughts}"
