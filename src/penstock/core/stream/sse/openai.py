"""The dialect of OpenAI's chat completions: markup in `content` becomes `tool_calls`.

Rules:
1. A chunk of which nothing changes goes out byte for byte. Where a text is held back until it is known what it is, what
   is known of it goes out, and the rest follows in a chunk of its own.
2. Each choice has a filter of its own. Calls are numbered as they come, those that upstream made itself among them.
3. Reasoning in the text becomes `reasoning_content`, or is left out.
4. `stop` becomes `tool_calls` where a whole call was made. Every other reason is upstream's to give.
5. What a chunk says beside its text (role, usage, log probabilities, errors) is said where it was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import is_
from typing import Any, Final

from penstock.core.jsontext import to_json
from penstock.core.stream.contract import Filter, NewFilter, NewId
from penstock.core.stream.encoders.openai import Deltas
from penstock.core.stream.events import Event, Reasoning, joined
from penstock.core.stream.sse.frames import Frame

DONE: Final = b"[DONE]"


class ChatRewriter:
    def __init__(self, new_filter: NewFilter, new_id: NewId, *, reasoning: bool) -> None:
        self._new_choice = partial(_Choice, new_filter, new_id, reasoning=reasoning)
        self._choices: dict[int, _Choice] = {}
        self._last = Frame(b"\n", None)
        self._value: Mapping[str, Any] = {}  # what the last chunk said, and all of this answer say in part

    def take(self, frame: Frame, value: Mapping[str, Any]) -> bytes:
        choices = value.get("choices")
        if value.get("error"):
            return self.flush() + frame.raw
        if not isinstance(choices, list):
            return frame.raw
        self._last, self._value = frame, value
        before: list[dict[str, Any]] = []
        after = [kept for choice in choices if (kept := self._rewritten(choice, before)) is not None]
        if not before and len(after) == len(choices) and all(map(is_, after, choices)):
            return frame.raw
        sent = b"".join(map(self._chunk, before))
        if after or value.get("usage"):
            sent += frame.with_data(_json({**value, "choices": after}))
        return sent

    def flush(self) -> bytes:
        """What is still held back, since nothing more of it will come."""
        sent = b""
        for index, choice in self._choices.items():
            deltas = choice.take("", last=True)
            sent += b"".join(self._chunk({"index": index, "delta": delta}) for delta in deltas)
        return sent

    def _rewritten(self, choice: Any, before: list[dict[str, Any]]) -> Any:
        """The choice as it goes out, if it still says something. What has to go out first is added to `before`."""
        if not isinstance(choice, dict) or not isinstance(choice.get("delta"), dict):
            return choice
        index, delta, reason = choice.get("index", 0), choice["delta"], choice.get("finish_reason")
        if not isinstance(index, int):
            return choice
        if index not in self._choices:
            self._choices[index] = self._new_choice(index)
        state = self._choices[index]
        state.answer = self._value
        text = delta.get("content")
        if not isinstance(text, str):
            text = ""
        pieces = state.take(text, last=reason is not None)
        told = state.reason(reason)
        if told != reason:
            choice = {**choice, "finish_reason": told}
        calls = state.renumbered(delta.get("tool_calls"))
        if calls is not None:
            choice = {**choice, "delta": {**delta, "tool_calls": calls}}
        if pieces == ([{"content": text}] if text else []):
            return choice
        return _divided(choice, pieces, before)

    def _chunk(self, choice: Mapping[str, Any]) -> bytes:
        about = {key: told for key, told in self._value.items() if key != "usage"}
        told = {**about, "choices": [{**choice, "logprobs": None, "finish_reason": None}]}
        return self._last.fresh(_json(told))


class _Choice:
    def __init__(self, new_filter: NewFilter, new_id: NewId, index: int, *, reasoning: bool) -> None:
        self._new_filter = new_filter
        self._new_id = new_id
        self._index = index
        self._reasoning = reasoning
        self._filter: Filter | None = None
        self._deltas = Deltas()
        self._indices: dict[int, int] = {}  # of upstream's own calls, and where they are with us
        self.answer: Mapping[str, Any] = {}

    def take(self, text: str, *, last: bool) -> list[dict[str, Any]]:
        """What is known now. After the last text, should more come after all, it is another text."""
        events = self._events(text) if text else []
        if last and self._filter is not None:
            events += self._filter.finish()
            self._filter = None
        shown = (event for event in joined(events) if self._reasoning or not isinstance(event, Reasoning))
        return [self._named(delta) for delta in map(self._deltas.of, shown) if delta is not None]

    def _events(self, text: str) -> list[Event]:
        if self._filter is None:
            self._filter = self._new_filter()
        return self._filter.feed(text)

    def reason(self, told: object) -> object:
        return "tool_calls" if told == "stop" and self._deltas.called else told

    def renumbered(self, calls: object) -> list[Any] | None:
        """Upstream's own calls, where their places are taken by ours."""
        if not isinstance(calls, list):
            return None
        found = [self._renumbered(call) for call in calls]
        return found if found != calls else None

    def _renumbered(self, call: Any) -> Any:
        if not isinstance(call, dict) or not isinstance(call.get("index"), int):
            return call
        if call["index"] not in self._indices:
            self._indices[call["index"]] = self._deltas.another()
        return {**call, "index": self._indices[call["index"]]}

    def _named(self, delta: dict[str, Any]) -> dict[str, Any]:
        for call in delta.get("tool_calls", ()):
            if "id" in call:
                answer = f"{self.answer.get('id')} {self.answer.get('created')} {self._index}"
                call["id"] = self._new_id(answer, call["index"], call["id"])
        return delta


def _divided(choice: Mapping[str, Any], pieces: list[dict[str, Any]], before: list[dict[str, Any]]) -> Any:
    """The choice with the last piece in the place of its text; the others go before it."""
    index = choice.get("index", 0)
    delta = {key: told for key, told in choice["delta"].items() if key != "content"}
    last: dict[str, Any] = {}
    if pieces and not ("tool_calls" in delta and "tool_calls" in pieces[-1]):
        *pieces, last = pieces
    if pieces and "role" in delta:
        pieces[0] = {"role": delta.pop("role"), **pieces[0]}
    before += [{"index": index, "delta": piece} for piece in pieces]
    if "role" in delta:
        delta["content"] = None if "tool_calls" in last else ""
    delta |= last
    beside = (told for key, told in choice.items() if key not in ("index", "delta"))
    if not any(delta.values()) and "role" not in delta and not any(beside):
        return None
    return {**choice, "delta": delta}


def _json(value: object) -> bytes:
    return to_json(value).encode()
