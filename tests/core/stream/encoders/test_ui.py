"""The UI message stream, as transcripts that can be held against Vercel's `ui-message-chunks.ts`."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from penstock.core.stream.encoders.ui import HEADERS, UIMessageStream
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart

from ..streams import Tape, tapes
from .reading import sent, spoken


def test_whole_message_is_this_transcript() -> None:
    stream = UIMessageStream("msg_1")
    data = stream.begin() + stream.encode(spoken()) + stream.result("call-2", ["a.py"])
    data += stream.result("call-1", error="it is gone") + stream.end()
    assert data.decode() == (
        'data: {"type":"start","messageId":"msg_1"}\n\n'
        'data: {"type":"start-step"}\n\n'
        'data: {"type":"reasoning-start","id":"reasoning-1"}\n\n'
        'data: {"type":"reasoning-delta","id":"reasoning-1","delta":"Two files"}\n\n'
        'data: {"type":"reasoning-delta","id":"reasoning-1","delta":" to read."}\n\n'
        'data: {"type":"reasoning-end","id":"reasoning-1"}\n\n'
        'data: {"type":"text-start","id":"text-2"}\n\n'
        'data: {"type":"text-delta","id":"text-2","delta":"I will"}\n\n'
        'data: {"type":"text-delta","id":"text-2","delta":" look."}\n\n'
        'data: {"type":"text-end","id":"text-2"}\n\n'
        'data: {"type":"tool-input-start","toolCallId":"call-1","toolName":"read"}\n\n'
        'data: {"type":"tool-input-delta","toolCallId":"call-1","inputTextDelta":"{\\"path\\": "}\n\n'
        'data: {"type":"tool-input-delta","toolCallId":"call-1","inputTextDelta":"\\"a.py\\"}"}\n\n'
        'data: {"type":"tool-input-available","toolCallId":"call-1","toolName":"read","input":{"path": "a.py"}}\n\n'
        'data: {"type":"tool-input-start","toolCallId":"call-2","toolName":"list"}\n\n'
        'data: {"type":"tool-input-delta","toolCallId":"call-2","inputTextDelta":"{}"}\n\n'
        'data: {"type":"tool-input-available","toolCallId":"call-2","toolName":"list","input":{}}\n\n'
        'data: {"type":"text-start","id":"text-3"}\n\n'
        'data: {"type":"text-delta","id":"text-3","delta":"There."}\n\n'
        'data: {"type":"tool-output-available","toolCallId":"call-2","output":["a.py"]}\n\n'
        'data: {"type":"tool-output-error","toolCallId":"call-1","errorText":"it is gone"}\n\n'
        'data: {"type":"text-end","id":"text-3"}\n\n'
        'data: {"type":"finish-step"}\n\n'
        'data: {"type":"finish","finishReason":"tool-calls"}\n\n'
        "data: [DONE]\n\n"
    )


def test_next_step_is_a_step_of_the_same_message() -> None:
    stream = UIMessageStream("m")
    stream.encode(Tape().text("Look:").call("f", "{}").events)
    assert sent(stream.next_step()) == [{"type": "finish-step"}, {"type": "start-step"}]
    assert sent(stream.encode([Text("a", 0, 1)]))[0] == {"type": "text-start", "id": "text-2"}
    assert sent(stream.end())[-2] == {"type": "finish", "finishReason": "stop"}


def test_broken_call_is_an_input_error_with_its_text() -> None:
    told = sent(UIMessageStream("m").encode(Tape().call("f", '{"a', error="the stream ended").events))
    assert told[-1] == {
        "type": "tool-input-error",
        "toolCallId": "call-1",
        "toolName": "f",
        "input": '{"a',
        "errorText": "the stream ended",
    }


def test_arguments_that_no_browser_could_read_are_an_input_error() -> None:
    for arguments in ('{"a": NaN}', "{", ""):
        told = sent(UIMessageStream("m").encode(Tape().call("f", arguments).events))
        assert told[-1]["type"] == "tool-input-error"
        assert told[-1]["input"] == arguments


def test_input_is_the_json_that_the_model_wrote() -> None:
    arguments = '{"a": 12345678901234567890123, "b": 1.50,\r\n "a": "\\ud800 NaN", "c": "\ud800"}'
    last = UIMessageStream("m").encode(Tape().call("f", arguments).events).split(b"data: ")[-1]
    assert b'"input":{"a": 12345678901234567890123, "b": 1.50,   "a": "\\ud800 NaN", "c": "\\ud800"}}\n\n' in last


def test_deeply_nested_arguments_are_judged_without_a_fault() -> None:
    deep = "[" * 200_000 + "]" * 200_000
    assert sent(UIMessageStream("m").encode(Tape().call("f", deep).events))[-1]["type"] == "tool-input-error"


def test_tools_that_the_page_has_no_types_for_are_dynamic() -> None:
    stream = UIMessageStream("m", dynamic=True)
    told = sent(stream.encode(Tape().call("f", "{}").call("g", "", error="?").events) + stream.result("call-1", 1))
    assert all(value["dynamic"] is True for value in told if value["type"] != "tool-input-delta")


def test_end_tells_why() -> None:
    assert sent(UIMessageStream("m").end("length"))[-2] == {"type": "finish", "finishReason": "length"}
    assert sent(UIMessageStream("m").end(error="upstream is gone")) == [
        {"type": "error", "errorText": "upstream is gone"},
        "[DONE]",
    ]


def test_headers_name_the_version() -> None:
    assert HEADERS["x-vercel-ai-ui-message-stream"] == "v1"
    assert HEADERS["content-type"] == "text/event-stream"


class Page:
    """What the AI SDK checks while it reads: deltas and ends only of what has started, each id once."""

    def __init__(self) -> None:
        self.texts = {"text": "", "reasoning": ""}
        self.calls: dict[str, str] = {}
        self.open: str | None = None
        self._seen: set[str] = set()

    def read(self, value: dict[str, Any]) -> None:
        kind, _, stage = value["type"].partition("-")
        if kind == "tool":
            assert self.open is None
            self._read_call(value)
        elif stage == "start":
            assert self.open is None and value["id"] not in self._seen
            self.open = value["id"]
            self._seen.add(value["id"])
        else:
            assert self.open == value["id"]
            if stage == "end":
                self.open = None
            else:
                assert value["delta"]
                self.texts[kind] += value["delta"]

    def _read_call(self, value: dict[str, Any]) -> None:
        call = value["toolCallId"]
        if value["type"] == "tool-input-start":
            assert call not in self.calls
            self.calls[call] = ""
        elif value["type"] == "tool-input-delta":
            assert value["inputTextDelta"]
            self.calls[call] += value["inputTextDelta"]
        else:
            assert value["type"] in ("tool-input-available", "tool-input-error")
            assert call in self.calls


@given(tapes())
def test_every_stream_keeps_the_rules_and_its_deltas_are_the_events(events: list[Event]) -> None:
    stream, page = UIMessageStream("m"), Page()
    for event in events:
        data = stream.encode([event])
        for value in sent(data) if data else []:
            page.read(value)
    for value in sent(stream.end())[:-3]:
        page.read(value)
    assert page.open is None
    assert page.texts["text"] == "".join(event.text for event in events if isinstance(event, Text))
    assert page.texts["reasoning"] == "".join(event.text for event in events if isinstance(event, Reasoning))
    starts = [event.id for event in events if isinstance(event, ToolStart)]
    deltas = {id_: "".join(e.delta for e in events if isinstance(e, ToolArgs) and e.id == id_) for id_ in starts}
    assert page.calls == deltas == {event.id: event.arguments for event in events if isinstance(event, ToolEnd)}
