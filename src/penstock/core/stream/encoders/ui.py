"""The UI message stream of Vercel's AI SDK, version 1: what `useChat` and assistant-ui read.

Rules of the protocol that this keeps:
1. Every part of text or reasoning has a start, deltas and an end under one id of its own; it has ended before a tool
   call starts, and what comes after the call is another part.
2. A call is `tool-input-start`, deltas, then `tool-input-available` with the input as JSON, or `tool-input-error` with
   what there is of it as text.
3. A message has steps: a model's turn and the outputs of its tools are one.
4. The stream ends with `[DONE]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from penstock.core.stream.encoders.wire import DONE, is_json, sse, sse_with
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart

HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
        "x-vercel-ai-ui-message-stream": "v1",
    }
)

FinishReason = Literal["stop", "length", "content-filter", "tool-calls", "error", "other"]


class UIMessageStream:
    def __init__(self, message_id: str, *, dynamic: bool = False) -> None:
        """`dynamic` says that the page has no types for these tools."""
        self._message = message_id
        self._dynamic = {"dynamic": True} if dynamic else {}
        self._open: tuple[Literal["text", "reasoning"], str] | None = None
        self._parts = 0
        self._called = False

    def begin(self) -> bytes:
        return sse({"type": "start", "messageId": self._message}) + sse({"type": "start-step"})

    def encode(self, events: Iterable[Event]) -> bytes:
        return b"".join(map(self._encoded, events))

    def result(self, call: str, output: Any = None, *, error: str = "") -> bytes:
        if error:
            return sse({"type": "tool-output-error", "toolCallId": call, "errorText": error, **self._dynamic})
        return sse({"type": "tool-output-available", "toolCallId": call, "output": output, **self._dynamic})

    def next_step(self) -> bytes:
        """The tools have answered, and the model goes on in the same message."""
        self._called = False
        return self._closed() + sse({"type": "finish-step"}) + sse({"type": "start-step"})

    def end(self, reason: FinishReason | None = None, *, error: str = "") -> bytes:
        """By default the reason is whether the last step called a tool. With an error the message is not finished."""
        if error:
            return self._closed() + sse({"type": "error", "errorText": error}) + DONE
        told = reason or ("tool-calls" if self._called else "stop")
        return self._closed() + sse({"type": "finish-step"}) + sse({"type": "finish", "finishReason": told}) + DONE

    def _encoded(self, event: Event) -> bytes:
        match event:
            case Text(text=text):
                return self._delta("text", text)
            case Reasoning(text=text):
                return self._delta("reasoning", text)
            case ToolStart(id=call, name=name):
                start = {"type": "tool-input-start", "toolCallId": call, "toolName": name, **self._dynamic}
                return self._closed() + sse(start)
            case ToolArgs(id=call, delta=delta):
                return sse({"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": delta})
            case ToolEnd():
                return self._ended(event)
            case _:
                return b""

    def _delta(self, kind: Literal["text", "reasoning"], delta: str) -> bytes:
        opening = b""
        if self._open is None or self._open[0] != kind:
            opening = self._closed()
            self._parts += 1
            self._open = kind, f"{kind}-{self._parts}"
            opening += sse({"type": f"{kind}-start", "id": self._open[1]})
        return opening + sse({"type": f"{kind}-delta", "id": self._open[1], "delta": delta})

    def _closed(self) -> bytes:
        if self._open is None:
            return b""
        (kind, part), self._open = self._open, None
        return sse({"type": f"{kind}-end", "id": part})

    def _ended(self, event: ToolEnd) -> bytes:
        about = {"toolCallId": event.id, "toolName": event.name, **self._dynamic}
        error = event.error or ("" if is_json(event.arguments) else "the arguments are no JSON")
        if error:
            return sse({"type": "tool-input-error", **about, "input": event.arguments, "errorText": error})
        self._called = True
        return sse_with({"type": "tool-input-available", **about}, "input", event.arguments)
