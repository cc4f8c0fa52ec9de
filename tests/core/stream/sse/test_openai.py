"""Chat streams with markup in their text, as transcripts before and after."""

from __future__ import annotations

import json
from typing import Any

import pytest

from penstock.core.stream.contract import NewId
from penstock.core.stream.sse.filtering import SseFilter

from .toy import Toy

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 7, "model": "m"}


def plain(answer: str, number: int, told: str) -> str:
    return f"id-{number}"


def chunk(delta: Any, reason: str | None = None, index: int = 0, **more: Any) -> bytes:
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
    return b"data: " + json.dumps({**HEAD, "choices": [choice], **more}, separators=(",", ":")).encode() + b"\n\n"


def said(text: str, index: int = 0) -> bytes:
    return chunk({"content": text}, index=index)


def begun(number: int, index: int = 0) -> bytes:
    function = {"name": "f", "arguments": ""}
    call = {"index": number, "id": f"id-{number}", "type": "function", "function": function}
    return chunk({"tool_calls": [call]}, index=index)


def argued(number: int, text: str, index: int = 0) -> bytes:
    return chunk({"tool_calls": [{"index": number, "function": {"arguments": text}}]}, index=index)


ROLE = chunk({"role": "assistant", "content": ""})
DONE = b"data: [DONE]\n\n"


def rewritten(*chunks: bytes, reasoning: bool = True, new_id: NewId = plain) -> bytes:
    stream = SseFilter(Toy, dialect="openai", reasoning=reasoning, new_id=new_id)
    return b"".join(map(stream.feed, chunks)) + stream.finish()


def test_call_in_the_text_becomes_a_call_of_the_protocol() -> None:
    assert rewritten(
        ROLE, said("I will look."), said("<f>"), said('{"a"'), said(": 1}</"), said("f>"), chunk({}, "stop"), DONE
    ) == (
        ROLE
        + said("I will look.")
        + begun(0)
        + argued(0, '{"a"')
        + argued(0, ": 1}")
        + chunk({}, "tool_calls")
        + DONE
    )  # fmt: skip


def test_whole_answer_in_one_chunk_is_said_in_order() -> None:
    assert rewritten(chunk({"role": "assistant", "content": "One <f>{}</f> two <f>[]</f>"}, "stop")) == (
        chunk({"role": "assistant", "content": "One "})
        + begun(0)
        + argued(0, "{}")
        + said(" two ")
        + begun(1)
        + chunk({"tool_calls": [{"index": 1, "function": {"arguments": "[]"}}]}, "tool_calls")
    )


def test_text_without_markup_goes_through_byte_for_byte() -> None:
    data = [
        ROLE,
        b'data: {"choices" : [ {"delta":{"content":"a \\u003c b"}, "index":0}],"id":1.0 }\r\n\r\n',
        chunk({"content": "x"}, logprobs=None),
        b": keepalive\n\n",
        chunk({"content": None, "refusal": "no"}),
        chunk({}, "stop"),
        chunk({}, usage={"total_tokens": 3}),
        b'data: {"choices":[],"usage":{"total_tokens":3}}\n\n',
        DONE,
    ]
    assert rewritten(*data) == b"".join(data)


def test_whole_text_that_ends_like_a_marker_goes_through_with_its_reason() -> None:
    data = chunk({"role": "assistant", "content": "a <"}, "stop")
    assert rewritten(data) == data


def test_text_that_was_held_back_follows_in_its_own_chunk() -> None:
    assert rewritten(said("1 "), said("2 <"), said(" 3")) == said("1 ") + said("2 ") + said("< 3")


def test_what_is_held_back_at_the_end_comes_before_the_reason() -> None:
    assert rewritten(said("a <"), chunk({}, "stop"), DONE) == said("a ") + chunk({"content": "<"}, "stop") + DONE


@pytest.mark.parametrize("end", [DONE, b"", b'data: {"error":{"message":"overloaded"}}\n\n'])
def test_what_is_held_back_comes_before_an_end_without_a_reason(end: bytes) -> None:
    assert rewritten(said("a <"), end) == said("a ") + chunk({"content": "<"}) + end


def test_text_after_an_error_is_filtered_on() -> None:
    error = b'data: {"error":{"message":"retrying"}}\n\n'
    assert rewritten(said("a<"), error, said("f> <f>{}</f>")) == (
        said("a") + said("<") + error + said("f> ") + begun(0) + argued(0, "{}")
    )


def test_every_choice_is_filtered_for_itself() -> None:
    out = rewritten(said("<f"), said("<f>[", 1), said(">{}</f>"), said("]</f>", 1), chunk({}, "stop", 1))
    assert out == (
        begun(0, 1) + argued(0, "[", 1) + begun(0) + argued(0, "{}") + argued(0, "]", 1) + chunk({}, "tool_calls", 1)
    )


def test_choices_in_one_chunk_are_told_apart() -> None:
    def both(one: dict[str, Any], other: dict[str, Any]) -> bytes:
        choices = [{"index": 0, "delta": one}, {"index": 1, "delta": other}]
        return b"data: " + json.dumps({**HEAD, "choices": choices}, separators=(",", ":")).encode() + b"\n\n"

    data = both({"content": "a"}, {"content": "b"})
    assert rewritten(data) == data
    alone = b"data: " + json.dumps({**HEAD, "choices": [{"index": 1, "delta": {"content": "b"}}]}).encode() + b"\n\n"
    assert json.loads(rewritten(both({"content": "<"}, {"content": "b"}))[6:].split(b"\n")[0]) == json.loads(alone[6:])


def test_calls_that_upstream_made_itself_are_numbered_with_ours() -> None:
    own = {"index": 0, "id": "up", "type": "function", "function": {"name": "g", "arguments": ""}}
    more = {"index": 0, "function": {"arguments": "{}"}}
    assert rewritten(chunk({"tool_calls": [own]}), chunk({"tool_calls": [more]}), chunk({}, "tool_calls")) == (
        chunk({"tool_calls": [own]}) + chunk({"tool_calls": [more]}) + chunk({}, "tool_calls")
    )
    assert rewritten(said("<f>{}</f>"), chunk({"tool_calls": [own]}), chunk({"tool_calls": [more]})) == (
        begun(0)
        + argued(0, "{}")
        + chunk({"tool_calls": [{**own, "index": 1}]})
        + chunk({"tool_calls": [{**more, "index": 1}]})
    )
    assert rewritten(chunk({"content": "a<f>", "tool_calls": [own, {"index": None}, 7]})) == (
        said("a") + begun(0) + chunk({"tool_calls": [{**own, "index": 1}, {"index": None}, 7]})
    )


@pytest.mark.parametrize("reason", ["length", "content_filter", "function_call"])
def test_reason_why_the_model_was_stopped_stays(reason: str) -> None:
    assert rewritten(said("<f>{}</f>"), chunk({}, reason))[-len(chunk({}, reason)) :] == chunk({}, reason)


def test_call_that_never_ended_is_no_reason() -> None:
    assert rewritten(said("<f>{"), chunk({}, "stop")) == begun(0) + argued(0, "{") + chunk({}, "stop")


def test_reasoning_in_the_text_gets_its_own_field_or_is_left_out() -> None:
    data = [said("<r>hm"), said("m</r>Yes.")]
    thought = [chunk({"reasoning_content": "hm"}), chunk({"reasoning_content": "m"})]
    assert rewritten(*data) == thought[0] + thought[1] + said("Yes.")
    assert rewritten(*data, reasoning=False) == said("Yes.")


def test_what_a_chunk_says_beside_its_text_is_still_said() -> None:
    logprobs = {"content": [{"token": "<", "logprob": -0.1}]}
    told = {"index": 0, "delta": {"content": "<"}, "logprobs": logprobs}
    out = rewritten(b"data: " + json.dumps({**HEAD, "choices": [told]}).encode() + b"\n\n")
    assert json.loads(out.splitlines()[0][6:])["choices"] == [{"index": 0, "delta": {}, "logprobs": logprobs}]
    usage = {"total_tokens": 2}
    assert rewritten(chunk({"content": "<"}, usage=usage)).startswith(
        b"data: " + json.dumps({**HEAD, "choices": [], "usage": usage}, separators=(",", ":")).encode()
    )
    call = json.loads(begun(0)[6:])["choices"][0]["delta"]
    assert rewritten(chunk({"role": "assistant", "content": "<f>"})).startswith(
        chunk({"role": "assistant", "content": None, **call})
    )
    assert rewritten(chunk({"role": "assistant", "content": "<"})) == ROLE + said("<")


@pytest.mark.parametrize(
    "choices",
    [
        7,
        [7],
        [{}],
        [{"delta": None}],
        [{"delta": {"content": "<"}, "index": []}],
        [{"delta": {"content": [{"type": "text"}]}, "index": 0}],
        [{"delta": {"tool_calls": 7}, "index": 0}],
    ],
)
def test_chunk_of_another_form_goes_through(choices: Any) -> None:
    data = b"data: " + json.dumps({"choices": choices}).encode() + b"\n\n"
    assert rewritten(data) == data
