"""Streams of messages with markup in their text, as transcripts before and after."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.stream.sse.filtering import SseFilter

from .test_openai import plain
from .toy import Toy


def event(name: str, **more: Any) -> bytes:
    data = json.dumps({"type": name, **more}, separators=(",", ":"))
    return f"event: {name}\ndata: {data}\n\n".encode()


def start(index: int, kind: str = "text", **block: Any) -> bytes:
    told = {"type": kind, **({"text": ""} if kind == "text" else {}), **block}
    return event("content_block_start", index=index, content_block=told)


def said(index: int, text: str) -> bytes:
    return event("content_block_delta", index=index, delta={"type": "text_delta", "text": text})


def tool(index: int, number: int, *deltas: str) -> bytes:
    pieces = [event("content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": delta})
              for delta in deltas]  # fmt: skip
    return start(index, "tool_use", id=f"id-{number}", name="f", input={}) + b"".join(pieces) + stop(index)


def stop(index: int) -> bytes:
    return event("content_block_stop", index=index)


def ended(reason: str) -> bytes:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage={"output_tokens": 9}) + event("message_stop")


BEGIN = event("message_start", message={"id": "msg_1", "content": []})
PING = event("ping")


def rewritten(*chunks: bytes, reasoning: bool = True) -> bytes:
    stream = SseFilter(Toy, dialect="anthropic", reasoning=reasoning, new_id=plain)
    return b"".join(map(stream.feed, chunks)) + stream.finish()


def test_call_in_the_text_becomes_a_block_of_its_own() -> None:
    assert rewritten(
        BEGIN, start(0), said(0, "I will look."), said(0, "<f>{"), said(0, "}</f>"), stop(0), ended("end_turn")
    ) == BEGIN + start(0) + said(0, "I will look.") + stop(0) + tool(1, 0, "{", "}") + ended("tool_use")


def test_text_around_calls_is_in_blocks_around_them() -> None:
    assert rewritten(BEGIN, start(0), said(0, "a<f>{}</f>b<f>[]</f>c"), stop(0), ended("end_turn")) == (
        BEGIN
        + (start(0) + said(0, "a") + stop(0))
        + tool(1, 0, "{}")
        + (start(2) + said(2, "b") + stop(2))
        + tool(3, 1, "[]")
        + (start(4) + said(4, "c") + stop(4))
        + ended("tool_use")
    )


def test_message_that_begins_with_a_call_has_no_empty_text() -> None:
    out = rewritten(BEGIN, start(0), said(0, "\n"), said(0, "<f>{}</f>\n<f>[]</f>"), said(0, "\n"), stop(0))
    assert out == BEGIN + tool(0, 0, "{}") + tool(1, 1, "[]")


def test_message_without_markup_goes_through_byte_for_byte() -> None:
    cite = event("content_block_delta", index=0, delta={"type": "citations_delta", "citation": {}})
    data = [
        BEGIN,
        start(0, "thinking", thinking="", signature=""),
        event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "<f>{}</f>"}),
        stop(0),
        start(1) + said(1, "\n\n") + said(1, "Hi ") + cite.replace(b":0,", b":1,") + said(1, "there.") + stop(1),
        PING,
        b": keepalive\n\n",
        start(2) + stop(2),
        start(3) + said(3, " ") + stop(3),
        tool(4, 0, "{", "}"),
        ended("tool_use"),
    ]
    assert rewritten(*data) == b"".join(data)


def test_blocks_after_a_call_are_numbered_on() -> None:
    out = rewritten(BEGIN, start(0), said(0, "a<f>{}</f>"), stop(0), tool(1, 7, "{}"), start(2), said(2, "b"), stop(2))
    assert out == (
        BEGIN
        + (start(0) + said(0, "a") + stop(0))
        + tool(1, 0, "{}")
        + tool(2, 7, "{}")
        + (start(3) + said(3, "b") + stop(3))
    )


def test_citation_opens_the_text_that_it_belongs_to() -> None:
    cite = event("content_block_delta", index=0, delta={"type": "citations_delta", "citation": {}})
    assert rewritten(start(0), cite, said(0, "a"), stop(0)) == start(0) + cite + said(0, "a") + stop(0)
    assert rewritten(start(0), said(0, "<f>{}</f>"), cite, stop(0)) == (
        tool(0, 0, "{}") + start(1) + cite.replace(b":0,", b":1,") + stop(1)
    )


def test_delta_without_a_character_is_passed_on_where_its_block_is() -> None:
    data = start(0) + said(0, "") + said(0, "a") + said(0, "") + stop(0)
    assert rewritten(data) == data
    assert rewritten(start(0), said(0, "<f>{}</f>"), said(0, ""), stop(0)) == tool(0, 0, "{}")


def test_reasoning_in_the_text_becomes_thinking_or_is_left_out() -> None:
    data = [start(0), said(0, "<r>h"), said(0, "m</r>Yes."), stop(0)]
    thinking = [
        event("content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": text}) for text in ("h", "m")
    ]
    assert rewritten(*data) == (
        start(0, "thinking", thinking="", signature="")
        + b"".join(thinking)
        + stop(0)
        + (start(1) + said(1, "Yes.") + stop(1))
    )
    assert rewritten(*data, reasoning=False) == start(0) + said(0, "Yes.") + stop(0)


def test_what_is_held_back_comes_before_the_end_of_its_block() -> None:
    assert rewritten(start(0), said(0, "a <"), stop(0)) == start(0) + said(0, "a ") + said(0, "<") + stop(0)


@pytest.mark.parametrize("end", [event("error", error={"type": "overloaded_error"}), event("message_stop"), b""])
def test_what_is_held_back_comes_before_an_end_that_comes_too_soon(end: bytes) -> None:
    assert rewritten(start(0), said(0, "a <"), end) == start(0) + said(0, "a ") + said(0, "<") + stop(0) + end


def test_call_that_never_ended_is_a_block_and_no_reason() -> None:
    assert rewritten(start(0), said(0, "<f>{"), stop(0), ended("end_turn")) == tool(0, 0, "{") + ended("end_turn")


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "pause_turn", "tool_use"])
def test_reason_why_the_model_was_stopped_stays(reason: str) -> None:
    assert rewritten(start(0), said(0, "<f>{}</f>"), stop(0), ended(reason)).endswith(ended(reason))


def test_one_ping_keeps_its_place_behind_the_start_of_a_text_and_the_next_waits_no_more() -> None:
    assert rewritten(start(0), PING, said(0, "a"), stop(0)) == start(0) + PING + said(0, "a") + stop(0)
    assert rewritten(start(0), PING, PING, PING) == PING * 3
    assert rewritten(start(0), said(0, " "), PING, said(0, "a"), PING) == (
        PING + start(0) + said(0, " ") + said(0, "a") + PING + stop(0)
    )
    assert rewritten(start(0), PING, said(0, "<f>{}</f>"), stop(0)) == PING + tool(0, 0, "{}")
    assert rewritten(start(0), PING, stop(0)) == start(0) + PING + stop(0)


def test_text_in_the_start_of_a_block_is_filtered_too() -> None:
    assert rewritten(start(0, text="a<f>{}</f>"), stop(0)) == start(0) + said(0, "a") + stop(0) + tool(1, 0, "{}")


@pytest.mark.parametrize(
    "data",
    [
        event("message_start"),
        event("message_start", message={}),
        event("content_block_start", index=0),
        event("content_block_start", index="0", content_block={"type": "text"}),
        event("content_block_delta", index=0),
        event("content_block_delta", index=7, delta={"type": "text_delta", "text": "<f>"}),
        event("content_block_stop"),
        event("content_block_stop", index=[]),
        event("message_delta"),
        event("a_new_event", index=0),
        b"data: {}\n\n",
    ],
)
def test_event_of_another_form_goes_through(data: bytes) -> None:
    assert rewritten(data) == data
    opened = start(0) + said(0, "a")
    assert rewritten(opened, data).startswith(opened)


def test_odd_events_inside_a_text_block_go_through() -> None:
    odd = event("content_block_delta", index=0, delta={"type": "text_delta", "text": 7})
    none = event("content_block_delta", index=0, delta=None)
    assert rewritten(start(0), said(0, "a"), odd, none) == start(0) + said(0, "a") + odd + none + stop(0)


def test_block_that_begins_before_the_last_ended_ends_that() -> None:
    assert rewritten(start(0), said(0, "a"), start(1), said(1, "b"), ended("end_turn")) == (
        start(0) + said(0, "a") + stop(0) + start(1) + said(1, "b") + stop(1) + ended("end_turn")
    )


def test_second_message_in_one_stream_is_counted_anew() -> None:
    message = BEGIN + start(0) + said(0, "a<f>{}</f>") + stop(0) + ended("end_turn")
    once = BEGIN + start(0) + said(0, "a") + stop(0) + tool(1, 0, "{}") + ended("tool_use")
    assert rewritten(message, message) == once * 2
    assert rewritten(BEGIN, start(0), said(0, "a<"), BEGIN) == (
        BEGIN + start(0) + said(0, "a") + said(0, "<") + stop(0) + BEGIN
    )
