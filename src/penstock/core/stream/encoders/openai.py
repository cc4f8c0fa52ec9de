"""Chunks of OpenAI's chat completions: what clients of that API read.

Rules of the protocol that this keeps:
1. The first chunk has the role, the last the reason why it ended; both belong to one choice. All have one id and time.
2. A call has an index, counted from 0 in a choice. Its first delta has id, type and name, later ones arguments only.
3. The reason is `tool_calls` where a whole call was made, unless the model was stopped for another reason.
4. There is no word for a call that never was whole: its arguments end where they ended, and it counts as no call.
5. Usage, where it is told, is in a chunk without choices. The stream ends with `[DONE]`, or with an error instead: that
   is what clients raise, while a stream that only stops looks whole to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from penstock.core.stream.encoders.wire import DONE, sse
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart

FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]

# Not OpenAI's own, which tells no reasoning here, but that of DeepSeek, Qwen, sglang and most clients of them.
REASONING: Final = "reasoning_content"


class Deltas:
    """The deltas of one choice."""

    def __init__(self, reasoning: str = REASONING) -> None:
        self._reasoning = reasoning
        self._calls = 0
        self._indices: dict[str, int] = {}
        self.called = False  # a whole call was made

    def of(self, event: Event) -> dict[str, Any] | None:
        match event:
            case Text(text=text):
                return {"content": text}
            case Reasoning(text=text):
                return {self._reasoning: text}
            case ToolStart(id=call, name=name):
                index = self._indices[call] = self.another()
                function = {"name": name, "arguments": ""}
                return {"tool_calls": [{"index": index, "id": call, "type": "function", "function": function}]}
            case ToolArgs(id=call, delta=delta):
                return {"tool_calls": [{"index": self._indices[call], "function": {"arguments": delta}}]}
            case ToolEnd(error=error):
                self.called = self.called or not error
                return None
            case _:
                return None

    def another(self) -> int:
        """The index of the next call of this choice, whoever makes it."""
        self._calls += 1
        return self._calls - 1


class ChatChunks:
    def __init__(self, id: str, *, created: int, model: str, choice: int = 0, reasoning: str = REASONING) -> None:  # noqa: A002  # as the field is called
        self._about = {"id": id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._choice = choice
        self._deltas = Deltas(reasoning)

    def begin(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def encode(self, events: Iterable[Event]) -> bytes:
        deltas = map(self._deltas.of, events)
        return b"".join(self._chunk(delta) for delta in deltas if delta is not None)

    def end(
        self, reason: FinishReason | None = None, *, usage: Mapping[str, Any] | None = None, error: str = ""
    ) -> bytes:
        if error:
            return sse({"error": {"message": error, "type": "server_error"}})
        told = reason or ("tool_calls" if self._deltas.called else "stop")
        last = b"" if usage is None else sse({**self._about, "choices": [], "usage": usage})
        return self._chunk({}, told) + last + DONE

    def _chunk(self, delta: Mapping[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": self._choice, "delta": delta, "logprobs": None, "finish_reason": reason}
        return sse({**self._about, "choices": [choice]})
