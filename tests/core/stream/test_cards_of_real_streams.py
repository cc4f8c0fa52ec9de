"""What real models wrote, through filter, page and both dialects, where those texts are beside this repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.core.stream.events import Event, Reasoning, Text, ToolEnd, joined
from penstock.core.stream.filter import ToolCallFilter
from penstock.core.stream.segments import Segments
from penstock.core.stream.sse.filtering import filter_sse
from penstock.core.stream.sse.frames import Frames
from strategies import spread

from .sse import test_anthropic as messages
from .sse import test_openai as chat

CASES = Path(__file__).resolve().parents[4] / "shared" / "stream-cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"no texts of real models at {CASES}")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


@pytest.fixture(scope="module")
def some() -> list[str]:
    found = {text for file in CASES.glob("*.json") for text in texts(json.loads(file.read_text())) if len(text) > 40}
    return [str(text) for text in spread(sorted(found), 250)]


def events_of(text: str) -> list[Event]:
    stream = ToolCallFilter()
    return joined([*stream.feed(text), *stream.finish()])


def said(events: list[Event]) -> tuple[str, str, list[tuple[str, str]]]:
    text = "".join(event.text for event in events if isinstance(event, Text))
    thought = "".join(event.text for event in events if isinstance(event, Reasoning))
    return text, thought, [(event.name, event.arguments) for event in events if isinstance(event, ToolEnd)]


def pieces(text: str) -> list[str]:
    return [text[start : start + 3] for start in range(0, len(text), 3)]


def values(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(frame.data) for frame in Frames().feed(data) if frame.data and frame.data != b"[DONE]"]


def test_sweep_finds_nothing_in_what_was_filtered(some: list[str]) -> None:
    for text in some:
        page = Segments()
        page.take(events_of(text))
        before = page.snapshot()
        assert not page.sweep(ToolCallFilter), text
        assert page.snapshot() == before


def test_sweep_finds_in_raw_text_what_the_filter_finds(some: list[str]) -> None:
    for text in some:
        ends = [event for event in events_of(text) if isinstance(event, ToolEnd) and not event.error]
        page = Segments()
        page.take([Text(text, 0, len(text))])
        assert page.sweep(ToolCallFilter) == bool(ends), text


def test_chat_says_what_the_events_say(some: list[str]) -> None:
    for text in some:
        source = [chat.ROLE, *map(chat.said, pieces(text)), chat.chunk({}, "stop"), chat.DONE]
        content, thought, calls = "", "", list[list[str]]()
        for value in values(b"".join(filter_sse(source))):
            delta = value["choices"][0]["delta"]
            content += delta.get("content") or ""
            thought += delta.get("reasoning_content") or ""
            for call in delta.get("tool_calls", []):
                if "id" in call:
                    calls.append([call["function"]["name"], ""])
                calls[call["index"]][1] += call["function"]["arguments"]
        assert (content, thought, [(name, arguments) for name, arguments in calls]) == said(events_of(text))


def test_message_says_what_the_events_say_but_for_white_space_around_calls(some: list[str]) -> None:
    for text in some:
        deltas = [messages.said(0, piece) for piece in pieces(text)]
        source = [messages.BEGIN, messages.start(0), *deltas, messages.stop(0), messages.ended("end_turn")]
        blocks: list[tuple[dict[str, Any], list[str]]] = []
        for value in values(b"".join(filter_sse(source))):
            if value["type"] == "content_block_start":
                assert value["index"] == len(blocks)
                blocks.append((value["content_block"], []))
            elif value["type"] == "content_block_delta":
                delta = value["delta"]
                blocks[-1][1].append(delta.get("text") or delta.get("thinking") or delta.get("partial_json"))
        content, thought, calls = said(events_of(text))
        of = {kind: [(block, "".join(told)) for block, told in blocks if block["type"] == kind] for kind in KINDS}
        assert _words(told for _, told in of["text"]) == _words([content])
        assert all(told.strip() for _, told in of["text"]) or len(blocks) == 1
        assert "".join(told for _, told in of["thinking"]) == thought
        assert [(block["name"], told) for block, told in of["tool_use"]] == calls


KINDS = ("text", "thinking", "tool_use")


def _words(told: Any) -> str:
    return re.sub(r"\s+", "", "".join(told))
