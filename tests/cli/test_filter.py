from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from .conftest import COMMAND, call, process

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>'
ANSWER = f"<think>A file.</think>I look.\n{CALL}\nThere it is."


def values(data: bytes) -> list[Any]:
    """The JSON of server-sent events."""
    blocks = [block.removeprefix(b"data: ") for block in data.split(b"\n\n") if block]
    return [block if block == b"[DONE]" else json.loads(block) for block in blocks]


def test_text_comes_out_without_its_calls() -> None:
    done = call("filter", stdin=f"I look.\n{CALL}".encode())
    assert (done.code, done.out, done.err) == (0, b"I look.\n", "")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no newline",
        b"a\r\nb\xff\x00\x1b[31m \xe4\xb8",
        "👍 中文\n".encode() * 100,
        b"A model writes `<tool_call>` and then JSON. That is all <tool_",
        f"```xml\n{CALL}\n```\nis an example.\n".encode(),
    ],
)
def test_text_that_holds_no_call_comes_out_byte_for_byte(data: bytes) -> None:
    done = call("filter", stdin=data)
    assert (done.code, done.out, done.err) == (0, data, "")


def test_events_are_json_lines_that_tile_the_text() -> None:
    raw = f"I look. {CALL} Done.\xff".encode("latin-1")
    done = call("filter", "--json", stdin=raw)
    assert done.out == call("filter", "--events", "jsonl", stdin=raw).out
    told = done.jsons
    assert told[0] == {"type": "text", "text": "I look. ", "start": 0, "stop": 8}
    kinds = [one["type"] for one in told if one["type"] != "markup"]
    assert kinds == ["text", "tool_start", "tool_args", "tool_end", "text"]
    end = next(one for one in told if one["type"] == "tool_end")
    assert (end["name"], json.loads(end["arguments"]), end["error"]) == ("read", {"path": "a.py"}, "")
    assert [one["start"] for one in told] == [0, *(one["stop"] for one in told[:-1])]
    assert told[-1]["stop"] == len(raw)
    assert told[-1]["text"].endswith("\ufffd")


def test_protocols_are_begun_and_ended() -> None:
    ui = values(call("filter", "--events", "ui", "--id", "m1", stdin=ANSWER.encode()).out)
    assert ui[0] == {"type": "start", "messageId": "m1"}
    assert {"type": "finish", "finishReason": "tool-calls"} in ui
    assert ui[-1] == b"[DONE]"
    agui = values(call("filter", "--events", "agui", "--id", "m1", stdin=ANSWER.encode()).out)
    assert agui[0] == {"type": "RUN_STARTED", "threadId": "m1-thread", "runId": "m1-run"}
    assert agui[-1]["type"] == "RUN_FINISHED"
    chat = values(call("filter", "--events", "openai", "--id", "m1", stdin=ANSWER.encode()).out)
    assert chat[0]["id"] == "m1"
    assert chat[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert abs(chat[0]["created"] - time.time()) < 100


def test_ids_are_new_in_each_call_and_the_same_for_one_id() -> None:
    def ids(*options: str) -> list[str]:
        told = values(call("filter", "--events", "ui", *options, stdin=ANSWER.encode()).out)
        return [one["toolCallId"] for one in told if isinstance(one, dict) and "toolCallId" in one]

    assert ids() != ids()
    assert ids("--id", "m") == ids("--id", "m")
    assert len(set(ids())) == 1


def test_reasoning_is_hidden_in_text_and_told_as_events_unless_wished_otherwise() -> None:
    data = b"<think>A file.</think>Yes."
    assert call("filter", stdin=data).out == b"Yes."
    assert call("filter", "--reasoning", "show", stdin=data).out == b"A file.Yes."
    kinds = {one["type"] for one in call("filter", "--json", stdin=data).jsons}
    assert "reasoning" in kinds
    kinds = {one["type"] for one in call("filter", "--json", "--reasoning", "hide", stdin=data).jsons}
    assert "reasoning" not in kinds


def test_formats_and_tools_can_be_chosen() -> None:
    raw = CALL.encode()
    assert call("filter", "--tool", "write", "--tool", "list", stdin=raw).out == raw
    assert call("filter", "--tool", "write", "--tool", "read", stdin=raw).out == b""
    assert call("filter", "--format", "hermes", stdin=raw).out == b""
    assert call("filter", "--format", "longcat", stdin=raw).out == raw


TYPED = "<function=put>\n<parameter=text>\n1\n</parameter>\n<parameter=count>\n1\n</parameter>\n</function>"


@pytest.mark.parametrize("shape", ["openai", "anthropic", "mcp"])
def test_definitions_name_the_tools_and_tell_which_values_are_strings(shape: str, project: Path) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "count": {"type": "integer"}}}
    forms: dict[str, Any] = {
        "openai": [{"type": "function", "function": {"name": "put", "parameters": schema}}],
        "anthropic": [{"name": "put", "input_schema": schema}],
        "mcp": {"tools": [{"name": "put", "inputSchema": schema}]},
    }
    (project / "tools.json").write_text(json.dumps(forms[shape]))
    told = call("filter", "--tools", "tools.json", "--json", stdin=TYPED.encode()).jsons
    end = next(one for one in told if one["type"] == "tool_end")
    assert json.loads(end["arguments"]) == {"text": "1", "count": 1}
    assert call("filter", "--tools", "tools.json", stdin=CALL.encode()).out == CALL.encode()
    assert call("filter", "--tools", "tools.json", "--tool", "read", stdin=CALL.encode()).out == b""


@pytest.mark.parametrize("text", ["{", "7", "[7]", "{}", '{"tools": {}}'])
def test_definitions_that_are_none_are_misuse(text: str, project: Path) -> None:
    (project / "tools.json").write_text(text)
    done = call("filter", "--tools", "tools.json", stdin=b"x")
    assert (done.code, done.out) == (2, b"")
    assert "tools.json" in done.err


def test_definitions_that_are_not_there_are_told() -> None:
    done = call("filter", "--tools", "nowhere.json", stdin=b"x")
    assert (done.code, done.err) == (1, "penstock: nowhere.json cannot be read: No such file or directory\n")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--format", "nope"], "'nope' is no format"),
        (["--events", "xml"], "'xml'"),
        (["--sse", "auto", "--events", "ui"], "--sse prints the stream that it reads"),
        (["--sse", "auto", "--json"], "--sse prints the stream that it reads"),
        (["--json", "--events", "ui"], "two wishes"),
        (["--tool", "x\udcff"], "UTF-8"),
    ],
)
def test_wrong_options_are_misuse_told_in_a_sentence(options: list[str], sentence: str) -> None:
    done = call("filter", *options, stdin=b"text")
    assert (done.code, done.out) == (2, b"")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_stream_of_an_api_comes_out_in_its_dialect() -> None:
    def chunk(text: str, reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
        return b"data: " + json.dumps({"id": "x", "choices": [choice]}).encode() + b"\n\n"

    plain = chunk("Hello") + b": alive\n\n" + chunk("", "stop") + b"data: [DONE]\n\n"
    assert call("filter", "--sse", "auto", stdin=plain).out == plain
    data = chunk("<think>hm</think>I look.") + chunk(CALL) + chunk("", "stop") + b"data: [DONE]\n\n"
    told = values(call("filter", "--sse", "openai", "--reasoning", "hide", stdin=data).out)
    deltas = [one["choices"][0]["delta"] for one in told[:-1]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "I look."
    assert [delta["tool_calls"][0]["function"].get("name") for delta in deltas if "tool_calls" in delta] == [
        "read",
        None,
    ]
    assert told[-2]["choices"][0]["finish_reason"] == "tool_calls"


@posix
def test_closed_stdin_is_told() -> None:
    done = subprocess.run(f"{' '.join(COMMAND)} filter <&-", shell=True, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"penstock: there is no standard input to read\n")


@posix
@pytest.mark.parametrize("kind", ["ui", "agui", "openai"])
def test_stdin_that_cannot_be_read_is_told_here_and_in_the_stream(kind: str) -> None:
    done = subprocess.run(f"{' '.join(COMMAND)} filter --events {kind} 0>/dev/null", shell=True, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.startswith(b"penstock: stdin cannot be read: ")
    assert b"stdin cannot be read: " in done.stdout
    assert b"inish" not in done.stdout.replace(b"finish_reason", b"")


class Live:
    """A process whose stdin stays open."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen([*COMMAND, "filter", *options], stdin=-1, stdout=-1, stderr=-1, bufsize=0)

    def say(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())

    def hear(self, text: str) -> None:
        """Waits until this very text has come out."""
        assert self.process.stdout is not None
        heard = b""
        while heard != text.encode():
            assert text.encode().startswith(heard), heard
            assert select.select([self.process.stdout], [], [], 20)[0], f"only {heard!r} came"
            piece = os.read(self.process.stdout.fileno(), 1_000)
            assert piece, heard
            heard += piece


@posix
def test_piece_comes_out_before_the_next_goes_in() -> None:
    live = Live()
    with live.process:
        live.say("I will look.")
        live.hear("I will look.")
        live.say(" Now: <tool")
        live.hear(" Now: ")
        live.say(" there")
        live.hear("<tool there")
        live.process.communicate(timeout=20)
    assert live.process.returncode == 0


@posix
def test_event_of_an_api_comes_out_before_the_next_goes_in() -> None:
    live = Live("--sse", "openai")
    with live.process:
        for text in ("I will look.", "And see."):
            told = f'data: {{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}\n\n'
            live.say(told)
            live.hear(told)
        live.say(": alive\n\n")
        live.hear(": alive\n\n")
        live.process.communicate(timeout=20)
    assert live.process.returncode == 0


@posix
def test_protocol_begins_before_the_model_does() -> None:
    live = Live("--events", "ui", "--id", "m")
    with live.process:
        live.hear('data: {"type":"start","messageId":"m"}\n\ndata: {"type":"start-step"}\n\n')
        out, _ = live.process.communicate(timeout=20)
    assert out.endswith(b"data: [DONE]\n\n")


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_stream_ends_with_what_was_held_back(number: signal.Signals) -> None:
    live = Live()
    with live.process:
        live.say("Almost: <tool")
        live.hear("Almost: ")
        live.process.send_signal(number)
        out, err = live.process.communicate(timeout=20)
    assert (live.process.returncode, out, err) == (128 + number, b"<tool", b"")


@posix
def test_signal_amid_a_flood_loses_nothing_of_what_was_taken() -> None:
    live = Live()
    with live.process as process:
        assert process.stdin is not None and process.stdout is not None
        flood = threading.Thread(target=lambda: _pour(process.stdin, b"0123456789" * 400_000))
        flood.start()
        head = process.stdout.read(500_000)
        process.send_signal(signal.SIGTERM)
        out = head + process.stdout.read()
        flood.join()
    assert process.returncode == 128 + signal.SIGTERM
    assert out == (b"0123456789" * 400_000)[: len(out)]


def _pour(into: Any, data: bytes) -> None:
    with suppress(BrokenPipeError):
        into.write(data)
        into.close()


@posix
def test_nobody_reading_is_no_failure() -> None:
    line = f"{' '.join(COMMAND)} filter | head -c 5; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], input=b"word " * 500_000, capture_output=True)
    assert (done.stdout, done.stderr) == (b"word 141\n", b"")


@posix
def test_stdin_that_does_not_wait_is_waited_for() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with subprocess.Popen([*COMMAND, "filter"], stdin=reading, stdout=-1, stderr=-1) as penstock:
        os.close(reading)
        time.sleep(0.5)
        os.write(writing, b"late")
        os.close(writing)
        assert penstock.communicate(timeout=20) == (b"late", b"")


def test_megabytes_go_through() -> None:
    data = b"A sentence of prose, <b>bold</b> and {braces}.\n" * 60_000
    assert process("filter", stdin=data).out == data
