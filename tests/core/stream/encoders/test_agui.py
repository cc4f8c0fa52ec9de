"""AG-UI events, as transcripts that can be held against `ag_ui/core/events.py` and the client's `verify.ts`."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from penstock.core.stream.encoders.agui import HEADERS, AgUi
from penstock.core.stream.events import Event, Reasoning, Text, ToolEnd

from ..streams import Tape, tapes
from .reading import sent, spoken


def test_whole_run_is_this_transcript() -> None:
    run = AgUi("thread-1", "run-1", "msg")
    data = run.begin() + run.encode(spoken()) + run.result("call-1", "print(1)") + run.end()
    assert data.decode() == (
        'data: {"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"}\n\n'
        'data: {"type":"REASONING_START","messageId":"msg-reasoning-1"}\n\n'
        'data: {"type":"REASONING_MESSAGE_START","messageId":"msg-reasoning-1","role":"reasoning"}\n\n'
        'data: {"type":"REASONING_MESSAGE_CONTENT","messageId":"msg-reasoning-1","delta":"Two files"}\n\n'
        'data: {"type":"REASONING_MESSAGE_CONTENT","messageId":"msg-reasoning-1","delta":" to read."}\n\n'
        'data: {"type":"REASONING_MESSAGE_END","messageId":"msg-reasoning-1"}\n\n'
        'data: {"type":"REASONING_END","messageId":"msg-reasoning-1"}\n\n'
        'data: {"type":"TEXT_MESSAGE_START","messageId":"msg-1","role":"assistant"}\n\n'
        'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-1","delta":"I will"}\n\n'
        'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-1","delta":" look."}\n\n'
        'data: {"type":"TEXT_MESSAGE_END","messageId":"msg-1"}\n\n'
        'data: {"type":"TOOL_CALL_START","toolCallId":"call-1","toolCallName":"read","parentMessageId":"msg-1"}\n\n'
        'data: {"type":"TOOL_CALL_ARGS","toolCallId":"call-1","delta":"{\\"path\\": "}\n\n'
        'data: {"type":"TOOL_CALL_ARGS","toolCallId":"call-1","delta":"\\"a.py\\"}"}\n\n'
        'data: {"type":"TOOL_CALL_END","toolCallId":"call-1"}\n\n'
        'data: {"type":"TOOL_CALL_START","toolCallId":"call-2","toolCallName":"list","parentMessageId":"msg-1"}\n\n'
        'data: {"type":"TOOL_CALL_ARGS","toolCallId":"call-2","delta":"{}"}\n\n'
        'data: {"type":"TOOL_CALL_END","toolCallId":"call-2"}\n\n'
        'data: {"type":"TEXT_MESSAGE_START","messageId":"msg-2","role":"assistant"}\n\n'
        'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-2","delta":"There."}\n\n'
        'data: {"type":"TOOL_CALL_RESULT","messageId":"call-1-result","toolCallId":"call-1","content":"print(1)",'
        '"role":"tool"}\n\n'
        'data: {"type":"TEXT_MESSAGE_END","messageId":"msg-2"}\n\n'
        'data: {"type":"RUN_FINISHED","threadId":"thread-1","runId":"run-1"}\n\n'
    )


def test_call_without_words_before_it_gets_a_message_of_its_own() -> None:
    run = AgUi("t", "r", "m")
    told = sent(run.encode(Tape().call("f", "{}").call("g", "{}").events))
    assert {value["parentMessageId"] for value in told if value["type"] == "TOOL_CALL_START"} == {"m-1"}


def test_next_step_begins_a_message_even_where_it_begins_with_a_call() -> None:
    run = AgUi("t", "r", "m")
    told = sent(run.encode(Tape().text("Look:").events) + run.next_step() + run.encode(Tape().call("f", "{}").events))
    assert [value["type"] for value in told[:3]] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
    assert told[3]["parentMessageId"] == "m-2"


def test_text_after_reasoning_goes_on_in_its_message() -> None:
    told = sent(AgUi("t", "r", "m").encode(Tape().text("a").reasoning("hm").text("b").events))
    assert {value["messageId"] for value in told if value["type"].startswith("TEXT")} == {"m-1"}


def test_broken_call_ends_and_says_why() -> None:
    told = sent(AgUi("t", "r", "m").encode(Tape().call("f", '{"a', error="the stream ended").events))
    value = {"toolCallId": "call-1", "toolCallName": "f", "arguments": '{"a', "error": "the stream ended"}
    assert told[-2:] == [
        {"type": "TOOL_CALL_END", "toolCallId": "call-1"},
        {"type": "CUSTOM", "name": "tool_call_error", "value": value},
    ]


def test_result_that_is_no_text_is_json_and_an_error_is_its_sentence() -> None:
    run = AgUi("t", "r", "m")
    assert sent(run.result("c", {"rows": 3}))[0]["content"] == '{"rows":3}'
    assert sent(run.result("c", error="no such file"))[0]["content"] == "no such file"


def test_failed_run_ends_with_its_error() -> None:
    run = AgUi("t", "r", "m")
    run.encode(Tape().text("Half a").events)
    assert [value["type"] for value in sent(run.end(error="upstream is gone"))] == ["TEXT_MESSAGE_END", "RUN_ERROR"]


def test_headers_say_that_it_is_a_stream() -> None:
    assert HEADERS["content-type"] == "text/event-stream"


class Verifier:
    """What the client verifies: nothing before the run or after it, and pairs of starts and ends."""

    def __init__(self) -> None:
        self.open: set[tuple[str, str]] = set()
        self.texts: dict[str, list[str]] = {"TEXT_MESSAGE": [], "REASONING_MESSAGE": [], "TOOL_CALL": []}
        self.state = "before"

    def read(self, value: dict[str, Any]) -> None:
        kind, _, stage = value["type"].rpartition("_")
        if kind == "RUN":
            assert self.state == {"STARTED": "before", "FINISHED": "running"}[stage]
            assert stage != "FINISHED" or not self.open
            self.state = "running" if stage == "STARTED" else "after"
            return
        assert self.state == "running"
        if value["type"] == "CUSTOM":
            return
        about = kind, value["toolCallId"] if kind == "TOOL_CALL" else value["messageId"]
        if stage == "START":
            assert about not in self.open
            self.open.add(about)
        elif stage == "END":
            self.open.remove(about)
        else:
            assert about in self.open
            self.texts[kind].append(value["delta"])


@given(tapes())
def test_every_run_keeps_the_rules_and_its_deltas_are_the_events(events: list[Event]) -> None:
    run, client = AgUi("t", "r", "m"), Verifier()
    data = run.begin() + b"".join(run.encode([event]) for event in events) + run.end()
    for value in sent(data):
        client.read(value)
    assert client.state == "after"
    assert all(delta for deltas in client.texts.values() for delta in deltas)
    assert {kind: "".join(deltas) for kind, deltas in client.texts.items()} == {
        "TEXT_MESSAGE": "".join(event.text for event in events if isinstance(event, Text)),
        "REASONING_MESSAGE": "".join(event.text for event in events if isinstance(event, Reasoning)),
        "TOOL_CALL": "".join(event.arguments for event in events if isinstance(event, ToolEnd)),
    }
