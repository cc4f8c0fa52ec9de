"""Chat chunks, as transcripts that can be held against `chat_completion_chunk.py` of OpenAI's library."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from penstock.core.stream.encoders.openai import ChatChunks
from penstock.core.stream.events import Event, Reasoning, Text, ToolEnd

from ..streams import Tape, tapes
from .reading import sent, spoken

ABOUT = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"some-model"'


def chunks() -> ChatChunks:
    return ChatChunks("chatcmpl-1", created=1_700_000_000, model="some-model")


def line(delta: str, reason: str = "null") -> str:
    choice = f'{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{reason}}}'
    return f'data: {{{ABOUT},"choices":[{choice}]}}\n\n'


def test_whole_answer_is_this_transcript() -> None:
    stream = chunks()
    data = stream.begin() + stream.encode(spoken()) + stream.end(usage={"total_tokens": 9})
    assert data.decode() == (
        line('{"role":"assistant","content":""}')
        + line('{"reasoning_content":"Two files"}')
        + line('{"reasoning_content":" to read."}')
        + line('{"content":"I will"}')
        + line('{"content":" look."}')
        + line('{"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":"read","arguments":""}}]}')
        + line('{"tool_calls":[{"index":0,"function":{"arguments":"{\\"path\\": "}}]}')
        + line('{"tool_calls":[{"index":0,"function":{"arguments":"\\"a.py\\"}"}}]}')
        + line('{"tool_calls":[{"index":1,"id":"call-2","type":"function","function":{"name":"list","arguments":""}}]}')
        + line('{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}')
        + line('{"content":"There."}')
        + line("{}", '"tool_calls"')
        + f'data: {{{ABOUT},"choices":[],"usage":{{"total_tokens":9}}}}\n\n'
        + "data: [DONE]\n\n"
    )


def test_reason_is_that_of_the_model_or_what_came_of_the_calls() -> None:
    def reason(tape: Tape, given: Any = None) -> str:
        stream = chunks()
        stream.encode(tape.events)
        return str(sent(stream.end(given))[0]["choices"][0]["finish_reason"])

    assert reason(Tape().text("a")) == "stop"
    assert reason(Tape().call("f", "{", error="cut")) == "stop"
    assert reason(Tape().call("f", "{}").call("f", "{", error="cut")) == "tool_calls"
    assert reason(Tape().call("f", "{}"), "length") == "length"


def test_failed_answer_ends_with_its_error_and_nothing_else() -> None:
    stream = chunks()
    assert stream.end(error="upstream is gone").decode() == (
        'data: {"error":{"message":"upstream is gone","type":"server_error"}}\n\n'
    )


def test_reasoning_and_choice_can_be_named() -> None:
    stream = ChatChunks("x", created=1, model="m", choice=2, reasoning="reasoning")
    choice = sent(stream.encode(Tape().reasoning("hm").events))[0]["choices"][0]
    assert (choice["index"], choice["delta"]) == (2, {"reasoning": "hm"})


@given(tapes())
def test_every_answer_puts_together_what_the_events_say(events: list[Event]) -> None:
    stream = chunks()
    data = stream.begin() + b"".join(stream.encode([event]) for event in events) + stream.end()
    *values, done = sent(data)
    deltas = [value["choices"][0]["delta"] for value in values]
    assert done == "[DONE]"
    assert [value["choices"][0]["finish_reason"] is None for value in values] == [True] * (len(values) - 1) + [False]
    assert "".join(delta.get("content", "") for delta in deltas) == _joined(events, Text)
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == _joined(events, Reasoning)
    calls: list[dict[str, str]] = []
    for call in (call for delta in deltas for call in delta.get("tool_calls", [])):
        if "id" in call:
            assert call["index"] == len(calls)
            calls.append({"id": call["id"], **call["function"]})
        else:
            assert call["function"]["arguments"]
            calls[call["index"]]["arguments"] += call["function"]["arguments"]
    assert [tuple(call.values()) for call in calls] == [
        (event.id, event.name, event.arguments) for event in events if isinstance(event, ToolEnd)
    ]


def _joined(events: list[Event], kind: type[Text] | type[Reasoning]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))
