"""Gemma's braces: bare keys, and quotes of their own."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text

Q = '<|"|>'


@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ("{}", {}),
        (f"{{a:{Q}x}}<tool_call|>\\n{Q}}}", {"a": "x}<tool_call|>\\n"}),
        (f"{{ a: 1, {Q}b c{Q}:true ,c:{{d:[1,{Q}x{Q}]}}}}", {"a": 1, "b c": True, "c": {"d": [1, "x"]}}),
    ],
)
def test_braces_become_json(inside: str, arguments: object) -> None:
    text = f"<|tool_call>call:f{inside}<tool_call|>"
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == [("f", arguments)]
    assert shown(events) == ""


@pytest.mark.parametrize(
    "text", ["<|tool_call> and on", "<|tool_call>call:f and on", "<|tool_call>call:f{:1}", "<|tool_call>call:f{a"]
)
def test_braces_that_make_no_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_a_call_cut_off_has_an_error() -> None:
    (end,) = ended(fed("<|tool_call>call:f{a:1"))
    assert (end.arguments, end.error) == ('{"a": 1', "the stream ended inside the call")
