"""Streams cut anywhere, of either dialect, from sources that fail; and the laws that hold for all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.stream.events import Reasoning, Text, ToolEnd
from penstock.core.stream.sse.filtering import Dialect, SseFilter, async_filter_sse, filter_sse
from penstock.core.stream.sse.frames import Frames
from penstock.errors import CallerError

from . import test_anthropic as messages
from . import test_openai as chat
from .toy import Toy

CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a.py"}}\n</tool_call>'


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:stop] for start, stop in pairwise(places)]


def through(chunks: list[bytes], dialect: Dialect = "auto", filter_: Any = Toy) -> bytes:
    stream = SseFilter(filter_, dialect=dialect, new_id=chat.plain)
    return b"".join(map(stream.feed, chunks)) + stream.finish()


def values(data: bytes) -> list[Any]:
    """What a client reads: the data of every event, as JSON where it is some."""
    found: list[Any] = []
    for frame in Frames().feed(data):
        if frame.data is not None:
            try:
                found.append(json.loads(frame.data))
            except ValueError:
                found.append(frame.data)
    return found


TEXTS = st.lists(
    st.sampled_from(
        ["Hello", " ", "\n", "<", "<f>", '{"a": ', "1}", "</f>", "</", "f>", "<r>", "</r>", "é👍", "\ud83d"]
    )
    | st.text(max_size=6),
    max_size=12,
)
NOISE = st.sampled_from(
    [
        b": keepalive\n\n",
        b"event: ping\ndata: {}\n\n",
        b"data: no json\n\n",
        b"\n",
        b"data: 7\n\n",
        b"id: 3\n\n",
        b"\xff\n\n",
    ]
)


@st.composite
def chat_streams(draw: st.DrawFn) -> bytes:
    texts, choices = draw(TEXTS), draw(st.integers(1, 2))
    chunks = [chat.ROLE]
    for text in texts:
        chunks.append(chat.said(text, draw(st.integers(0, choices - 1))))
        if draw(st.integers(0, 3)) == 0:
            chunks.append(draw(NOISE))
    ends = [chat.chunk({}, draw(st.sampled_from(["stop", "length"])), index) for index in range(choices)]
    data = b"".join([*chunks, *ends, chat.DONE])
    return data.replace(b"\n", b"\r\n") if draw(st.booleans()) else data


@st.composite
def message_streams(draw: st.DrawFn) -> bytes:
    parts = [messages.BEGIN]
    for index in range(draw(st.integers(0, 3))):
        if draw(st.integers(0, 3)) == 0:
            parts.append(messages.tool(index, 7, "{}"))
            continue
        parts.append(messages.start(index))
        for text in draw(TEXTS):
            parts.append(messages.said(index, text))
            if draw(st.integers(0, 3)) == 0:
                parts.append(draw(NOISE))
        parts.append(messages.stop(index))
    data = b"".join([*parts, messages.ended(draw(st.sampled_from(["end_turn", "max_tokens"])))])
    return data.replace(b"\n", b"\r\n") if draw(st.booleans()) else data


@given(chat_streams() | message_streams(), st.lists(st.integers(0, 100_000), max_size=8))
def test_every_split_of_the_bytes_gives_the_same_bytes(data: bytes, cuts: list[int]) -> None:
    once = through([data])
    assert through(split(data, cuts)) == once
    assert through([data[at : at + 1] for at in range(len(data))]) == once


@given(chat_streams())
def test_chat_keeps_every_word_and_its_calls_are_whole(data: bytes) -> None:
    for index in (0, 1):
        before, after = _choice(values(data), index), _choice(values(through([data])), index)
        toy = Toy()
        events = [*toy.feed(before["content"]), *toy.finish()]
        ends = [event for event in events if isinstance(event, ToolEnd)]
        called = before["reason"] == "stop" and not all(end.error for end in ends)
        assert after == {
            "content": "".join(event.text for event in events if isinstance(event, Text)),
            "reasoning": "".join(event.text for event in events if isinstance(event, Reasoning)),
            "calls": [end.arguments for end in ends],
            "reason": "tool_calls" if called else before["reason"],
        }


def _choice(found: list[Any], index: int) -> dict[str, Any]:
    said: dict[str, Any] = {"content": "", "reasoning": "", "calls": [], "reason": None}
    for choice in (one for value in found if isinstance(value, dict) for one in value.get("choices", [])):
        if choice["index"] == index:
            said["content"] += choice["delta"].get("content") or ""
            said["reasoning"] += choice["delta"].get("reasoning_content") or ""
            for call in choice["delta"].get("tool_calls", []):
                if "id" in call:
                    assert call["index"] == len(said["calls"])
                    said["calls"].append("")
                said["calls"][call["index"]] += call["function"]["arguments"]
            said["reason"] = said["reason"] or choice["finish_reason"]
    return said


@given(message_streams())
def test_blocks_of_a_message_are_numbered_without_gaps_and_none_is_empty(data: bytes) -> None:
    before = sum(len(text) for text in _blocks(values(data), check=False) if isinstance(text, str))
    blocks = _blocks(values(through([data])), check=True)
    if b"<" not in data and b">" not in data:
        assert sum(len(text) for text in blocks if isinstance(text, str)) == before


def _blocks(found: list[Any], *, check: bool) -> list[Any]:
    blocks: list[Any] = []
    is_open = False
    for value in found:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "content_block_start":
            assert not is_open
            assert value["index"] == len(blocks)
            blocks.append("" if value["content_block"]["type"] == "text" else value["content_block"])
            is_open = True
        elif kind in ("content_block_delta", "content_block_stop"):
            assert is_open
            assert value["index"] == len(blocks) - 1
            is_open = kind == "content_block_delta"
            if isinstance(blocks[-1], str) and is_open:
                blocks[-1] += value["delta"]["text"]
    assert not is_open
    return blocks


@given(chat_streams() | message_streams())
def test_stream_without_markup_has_the_same_events(data: bytes) -> None:
    clean = data.replace(b"<", b"(")
    sent = through([clean])
    # A ping, and what is nobody's, does not wait for the first word of a block.
    assert sent == clean or b'"content_block"' in clean
    assert sorted(map(repr, values(sent))) == sorted(map(repr, values(clean)))


def test_dialect_is_told_by_the_first_event_that_tells() -> None:
    odd = b'data: {"hello":1}\n\ndata: [DONE]\n\n'
    assert through([odd, chat.said("a<f>{}</f>")]) == odd + chat.said("a") + chat.begun(0) + chat.argued(0, "{}")
    assert through([odd, messages.BEGIN, messages.start(0), messages.said(0, "<f>{}</f>"), messages.stop(0)]) == (
        odd + messages.BEGIN + messages.tool(0, 0, "{}")
    )
    # Told once, it stays.
    assert through([messages.BEGIN, chat.said("<f>{}</f>")]) == messages.BEGIN + chat.said("<f>{}</f>")


def test_dialect_that_there_is_not_is_the_callers_fault() -> None:
    with pytest.raises(CallerError, match="'gemini' is no dialect; there are: auto, openai, anthropic"):
        SseFilter(dialect="gemini")  # type: ignore[arg-type]  # as an untyped caller would


def test_stream_of_neither_dialect_goes_through() -> None:
    data = b'data: {"type":"RUN_STARTED"}\n\ndata: {"type":{}}\n\ndata: 7\n\ndata: {\xff}\n\n<html>'
    assert through([data]) == data


def test_frame_that_never_ended_goes_through() -> None:
    assert through([chat.said("a"), b"data: {"]) == chat.said("a") + b"data: {"


def test_function_takes_any_source_and_finds_real_calls() -> None:
    source = iter([chat.ROLE, chat.said("I look."), chat.said(CALL), chat.chunk({}, "stop"), chat.DONE])
    found = values(b"".join(filter_sse(source, tools=iter(["read"]))))
    call = found[2]["choices"][0]["delta"]["tool_calls"][0]
    assert call["function"]["name"] == "read"
    assert call["id"].startswith("call_")
    assert found[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert list(filter_sse([chat.said(CALL)], tools={"write": {}}, formats=["hermes"])) == [chat.said(CALL)]


class LineIsDead(Exception):
    pass


def test_failure_of_the_source_comes_after_what_was_held_back() -> None:
    def source() -> Iterator[bytes]:
        yield chat.said("a <tool")
        raise LineIsDead

    stream = filter_sse(source())
    assert next(stream) == chat.said("a ")
    assert next(stream) == chat.said("<tool")
    with pytest.raises(LineIsDead):
        next(stream)


def test_failure_with_nothing_held_back_is_only_a_failure() -> None:
    def source() -> Iterator[bytes]:
        yield b": hello"
        yield b"\n\n"
        raise LineIsDead

    stream = filter_sse(source())
    assert next(stream) == b": hello\n\n"
    with pytest.raises(LineIsDead):
        next(stream)


def test_async_twin_does_the_same() -> None:
    async def source(*chunks: bytes, fails: bool = False) -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk
        if fails:
            raise LineIsDead

    async def all_of(stream: AsyncIterator[bytes]) -> tuple[list[bytes], bool]:
        found = []
        try:
            async for data in stream:
                found.append(data)
        except LineIsDead:
            return found, True
        return found, False

    def ran(*chunks: bytes, fails: bool = False) -> tuple[list[bytes], bool]:
        return asyncio.run(all_of(async_filter_sse(source(*chunks, fails=fails))))

    chunks = [chat.said("a"), chat.said(CALL), b": x", b"\n\n", chat.said("<tool")]
    assert ran(*chunks) == (list(filter_sse(chunks)), False)
    assert ran(chat.said("a")) == ([chat.said("a")], False)
    assert ran(chat.said("<tool"), fails=True) == ([chat.said("<tool")], True)
    assert ran(fails=True) == ([], True)
