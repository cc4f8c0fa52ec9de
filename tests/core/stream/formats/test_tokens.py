"""Special tokens that carry the name of the call."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text

BEGIN, SEP, END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
BLOCK, BLOCK_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"


@pytest.mark.parametrize(
    "text",
    [
        f'{BLOCK}{BEGIN}function{SEP}f\n```json\n{{"a":1}}\n```{END}{BLOCK_END}',
        f'{BLOCK}{BEGIN}f{SEP}{{"a":1}}{END}{BLOCK_END}',
        f'{BLOCK}function{SEP}f\n```json\n{{"a":1}}\n```{BLOCK_END}',
        f'{BEGIN}function{SEP}f\n{{"a":1}}{END}',
        f'{BLOCK}{BEGIN}function{SEP}f\n```\n{{"a":1}}',
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>',
        '<|tool_call_begin|>f<|tool_call_argument_begin|>{"a":1}',
        '[TOOL_CALLS]f[ARGS]{"a":1}',
        '[TOOL_CALLS]f{"a":1}',
        '[TOOL_CALLS]f[CALL_ID]x1[ARGS]{"a":1}',
        '[TOOL_CALLS] [{"name":"f","arguments":{"a":1},"id":"x"}]',
        '>>>f\n{"a":1}',
        '<|tools_prefix|>[{"f":{"a":1}}]<|tools_suffix|>',
        '<|tools_prefix|>[{"f":{"a":1}}',
        'Action:\n```json\n[{"tool_name":"f","parameters":{"a":1}}]\n```',
        'Action: ```json\n[{"tool_name":"f","parameters":{"a":1}}]',
        '>>>all\n>>>f\n{"a":1}',
    ],
)
def test_a_call_is_read_with_or_without_what_models_leave_out(text: str) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == [("f", {"a": 1})]
    assert shown(events) == ""


def test_a_tool_may_be_called_function() -> None:
    assert called(fed(f'{BLOCK}{BEGIN}function{SEP}{{"a":1}}{END}{BLOCK_END}')) == [("function", {"a": 1})]


def test_ids_that_the_format_gives_are_kept() -> None:
    text = "<|tool_call_begin|>functions.a.b:3<|tool_call_argument_begin|>{}<|tool_call_end|>"
    assert [(end.id, end.name) for end in ended(fed(text))] == [("functions.a.b:3", "a.b")]
    assert [end.id for end in ended(fed("[TOOL_CALLS]f[CALL_ID]x1[ARGS]{}"))] == ["x1"]


@pytest.mark.parametrize(
    "text",
    [
        f"{BLOCK} and on",
        f"{BEGIN}f and on",
        "<|tool_call_begin|>f and on",
        "[TOOL_CALLS] f",
        "[TOOL_CALLS]f[CALL_ID]x and on",
        "so >>>f\n{}",
        ">>>f {}",
        ">>> f",
        "so.\n>>>all\nyes",
        "<|tools_prefix|>[]",
        "so Action:\n```json\n[]",
    ],
)
def test_tokens_without_a_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_text_may_be_addressed_to_all() -> None:
    assert shown(fed(">>>all\nHello")) == "Hello"
