"""Where the tool results are in each dialect. What the guard makes of them is in tests/test_messages.py."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.measure import Size
from penstock.core.messages import DIALECTS, TOLD_MOST, Call, bound_messages
from penstock.core.view import View
from penstock.errors import CallerError

SHORT = View("cut", Size(), Size(), "chars", "text")


class Guard:
    """Cuts everything but "fits", and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Call]] = []

    def __call__(self, output: Any, call: Call) -> View:
        self.asked.append((output, call))
        if output == "fits":
            return replace(SHORT, reason="fits")
        if isinstance(output, list) and output and "type" in output[0]:
            return replace(SHORT, form="blocks", blocks=({"type": "text", "text": "cut"},))
        return SHORT


def bounded(messages: list[Any], dialect: Any) -> tuple[list[Any], list[Call]]:
    guard, before = Guard(), copy.deepcopy(messages)
    result = bound_messages(messages, dialect, guard)
    assert messages == before, "the caller's messages are not touched"
    return result, [call for _, call in guard.asked]


def test_tool_messages_of_chat_completions_are_bounded() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"command": "make"}'}}
    messages = [
        {"role": "user", "content": "why?"},
        {"role": "assistant", "content": None, "tool_calls": [call, {"id": "c1", "type": "custom"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "long"},
        {"role": "tool", "tool_call_id": "c1", "content": "fits"},
        {"role": "tool", "tool_call_id": "c2", "name": "other", "content": [{"type": "text", "text": "long"}]},
        {"role": "function", "name": "old", "content": "long"},
        {"role": "tool", "content": ""},
        {"role": "tool", "content": None},
    ]
    result, calls = bounded(messages, "openai")
    assert result[2] == {**messages[2], "content": "cut"}
    assert result[4] == {**messages[4], "content": [{"type": "text", "text": "cut"}]}
    assert result[5] == {**messages[5], "content": "cut"}
    for index in (0, 1, 3, 6, 7):
        assert result[index] is messages[index]
    run = Call("run", '{"command": "make"}\nwhy?')
    assert calls == [run, run, Call("other", ""), Call("old", "")]


def test_outputs_of_responses_are_bounded() -> None:
    messages = [
        {"role": "user", "content": [{"type": "input_text", "text": "why?"}, {"type": "input_image"}]},
        {"type": "function_call", "call_id": "c1", "name": "run", "arguments": "make"},
        {"type": "function_call_output", "call_id": "c1", "output": "long"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "free", "input": "text"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "long"}]},
        {"type": "function_call_output", "call_id": "c3", "output": "fits"},
        {"type": ["function_call_output"], "output": "long"},
    ]
    result, calls = bounded(messages, "responses")
    assert result[2] == {**messages[2], "output": "cut"}
    assert result[4] == {**messages[4], "output": [{"type": "text", "text": "cut"}]}
    touched = [index for index, (new, old) in enumerate(zip(result, messages, strict=True)) if new is not old]
    assert touched == [2, 4]
    assert calls == [Call("run", "make\nwhy?"), Call("free", "text\nwhy?"), Call("tool", "")]


def test_outputs_of_hosted_tools_are_bounded() -> None:
    messages = [
        {"type": "mcp_call", "id": "m1", "name": "search", "arguments": "boats", "output": "long"},
        {"type": "mcp_call", "id": "m2", "name": "search", "arguments": "{}", "output": None, "error": "none there"},
        {"type": "local_shell_call_output", "id": "l1", "output": "long"},
        {"type": "apply_patch_call_output", "call_id": "p1", "status": "failed", "output": "long"},
    ]
    result, calls = bounded(messages, "responses")
    assert [item["output"] for item in result] == ["cut", None, "cut", "cut"]
    assert result[1] is messages[1]
    assert calls == [Call("search", "boats"), Call("tool", ""), Call("tool", "")]


def test_streams_of_a_shell_are_bounded_together_and_stay_a_list() -> None:
    ended = {"type": "exit", "exit_code": 0}
    action = {"commands": ["make"], "timeout_ms": 100}
    messages = [
        {"type": "shell_call", "call_id": "s1", "action": action},
        {
            "type": "shell_call_output",
            "call_id": "s1",
            "output": [
                {"stdout": "", "stderr": "long", "outcome": ended},
                {"stdout": "longer", "stderr": "", "outcome": ended},
            ],
        },
        {"type": "shell_call_output", "call_id": "s2", "output": [{"stdout": "", "stderr": None, "outcome": ended}]},
        {"type": "shell_call_output", "call_id": "s2", "output": "odd"},
        {"type": "shell_call_output", "call_id": "s2", "output": ["odd", {"stdout": "long"}]},
    ]
    result, calls = bounded(messages, "responses")
    assert result[1]["output"] == [
        {"stdout": "", "stderr": "cut", "outcome": ended},
        {"stdout": "", "stderr": "", "outcome": ended},
    ]
    assert [new is old for new, old in zip(result, messages, strict=True)] == [True, False, True, True, True]
    assert calls == [Call("shell", "make 100")]


def test_shell_that_fits_is_the_same_object() -> None:
    item = {"type": "shell_call_output", "call_id": "s", "output": [{"stdout": "short", "stderr": ""}]}
    fitting = bound_messages([item], "responses", lambda output, call: replace(SHORT, reason="fits"))
    assert fitting[0] is item


@pytest.mark.parametrize("messages", [None, "messages", b"", {"role": "tool", "content": "long"}, 5])
def test_request_is_a_list_of_messages(messages: Any) -> None:
    with pytest.raises(CallerError, match="it has to be the list of a request's messages"):
        bound_messages(messages, "openai", Guard())


def test_tool_results_of_anthropic_are_bounded() -> None:
    use = {"type": "tool_use", "id": "u1", "name": "run", "input": {"command": "make", "flags": ["-j", 4, True, None]}}
    messages = [
        {"role": "user", "content": "why?"},
        {"role": "assistant", "content": [{"type": "text", "text": "let me see"}, use]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "u1", "content": "long"},
                {"type": "tool_result", "tool_use_id": "u2", "content": "fits"},
                {"type": "text", "text": "and now?"},
                "not a block",
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u2", "content": "fits"}]},
        {"role": "assistant", "content": "done"},
    ]
    result, calls = bounded(messages, "anthropic")
    content = messages[2]["content"]
    assert result[2]["content"] == [{**content[0], "content": "cut"}, *content[1:]]  # type: ignore[dict-item]
    assert result[3] is messages[3] and result[0] is messages[0] and result[4] is messages[4]
    assert calls[0] == Call("run", "make -j 4\nwhy?")


def test_question_is_what_came_before_the_call_so_it_never_changes() -> None:
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "u1", "name": "run", "input": {}}]}
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u1", "content": "long"}]}
    _, first = bounded([{"role": "user", "content": "why?"}, use, answer], "anthropic")
    later = [{"role": "user", "content": "why?"}, use, answer, {"role": "user", "content": "something else"}]
    _, second = bounded(later, "anthropic")
    assert first == second == [Call("run", "why?")]


def test_question_is_short_however_much_a_call_holds() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "write", "arguments": "x" * 100_000}
    answer = {"type": "function_call_output", "call_id": "c", "output": "z"}
    messages = [{"role": "user", "content": "y" * 9_000}, call, answer]
    _, calls = bounded(messages, "responses")
    assert calls[0].query == "x" * TOLD_MOST + "\n" + "y" * TOLD_MOST


def test_arguments_are_read_to_some_depth_only() -> None:
    deep: Any = "bottom"
    for _ in range(50):
        deep = [deep]
    use = {"type": "tool_use", "id": "u", "name": "", "input": {"a": "top", "b": deep}}
    messages = [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "u", "content": "long"}]},
    ]
    assert bounded(messages, "anthropic")[1] == [Call("tool", "top")]


def test_objects_of_an_sdk_are_left_as_they_are() -> None:
    message = object()
    assert bound_messages([message], "openai", Guard()) == [message]


def test_unknown_dialect_is_refused() -> None:
    with pytest.raises(CallerError, match="allowed is one of openai, responses, anthropic"):
        bound_messages([], "gemini", Guard())  # type: ignore[arg-type]


_odd = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "tool", "user", "assistant", "text", "c1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "tool_calls", "function", "type", "id", "name", "output", "input", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(_odd, max_size=5), st.sampled_from(DIALECTS))
def test_no_message_however_odd_breaks_a_request(messages: list[Any], dialect: Any) -> None:
    assert len(bound_messages(messages, dialect, Guard())) == len(messages)
