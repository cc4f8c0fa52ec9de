"""Messages in channels: what is text, reasoning or a call, and when their ends are markup."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown, thought


@pytest.mark.parametrize(
    ("text", "reasoning", "visible", "calls"),
    [
        ("<|channel|>final<|message|>Yes.<|return|>", "", "Yes.", []),
        ("<|channel|>commentary<|message|>Yes.", "", "Yes.", []),
        (
            "<|channel|>analysis<|message|>So.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
            "So.",
            "Yes.",
            [],
        ),
        ("<|channel|>analysis<|message|>So.<|channel|>final<|message|>Yes.", "So.", "Yes.", []),
        ("<|channel|>analysis<|message|>So.<|start|>assistant<|channel|>final<|message|>Yes.", "So.", "Yes.", []),
        ('<|channel|>analysis to=functions.f<|message|>{"a":1}<|call|>', "", "", [("f", {"a": 1})]),
        (
            '<|start|>assistant to=functions.f<|channel|>analysis <|constrain|>json<|message|>{"a":1}',
            "",
            "",
            [("f", {"a": 1})],
        ),
        ("<|channel|>commentary to=python<|message|>print(1)<|call|> x", "", " x", [("python", {"input": "print(1)"})]),
        ("<|channel|>commentary to=python<|message|>print(1)", "", "", [("python", {"input": "print(1)"})]),
        ("<|channel|>commentary to=assistant<|channel|>final<|message|>Yes.", "", "Yes.", []),
        ("<|channel|> and <|message|> are tokens", "", "<|channel|> and <|message|> are tokens", []),
        ("The <|end|> token", "", "The <|end|> token", []),
        (
            "<|start|>assistant to=user<|message|>See:\n<|start|>assistant to=f<|message|>{}",
            "",
            "See:\n<|start|>assistant to=f<|message|>{}",
            [],
        ),
        (" to=self<|message|>So.<|eom|><|start|>assistant to=user<|message|>Yes.", "So.", "Yes.", []),
        (
            '<|start|>assistant to=f.f<|message|><atem:function_calls><atem:invoke name="f.f"></atem:invoke>'
            "</atem:function_calls>",
            "",
            "",
            [("f", {})],
        ),
        (
            "<|start|>assistant to=f<|message|><atem:function_calls>no",
            "",
            "<|start|>assistant to=f<|message|><atem:function_calls>no",
            [],
        ),
        ("<|message_model|><|content_text|>Yes.<|end_message|>", "", "Yes.", []),
        (
            "<|message_model|><|content_thinking|>So.<|end_message|><|message_model|><|content_text|>Yes.",
            "So.",
            "Yes.",
            [],
        ),
        ('<|content_invoke_tool_json|>{"name":"f","args":{}}<|end_message|>', "", "", [("f", {})]),
        (
            "<|message_model|> is a token, <|end_message|> too",
            "",
            "<|message_model|> is a token, <|end_message|> too",
            [],
        ),
        ("<|content_text|>Yes.", "", "Yes.", []),
        ("So <|content_text|>", "", "So <|content_text|>", []),
    ],
)
def test_a_header_says_what_follows(text: str, reasoning: str, visible: str, calls: object) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert (thought(events), shown(events), called(events)) == (reasoning, visible, calls)


def test_a_name_loses_its_namespace_where_only_the_rest_is_declared() -> None:
    text = (
        '<|start|>assistant to=w.get<|message|><atem:function_calls><atem:invoke name="w.get"></atem:invoke>'
        "</atem:function_calls>"
    )
    assert called(fed(text)) == [("w.get", {})]
    assert called(fed(text, tools=["get"])) == [("get", {})]
    assert called(fed(text, tools=["w.get"])) == [("w.get", {})]


def test_a_header_that_could_be_read_in_many_ways_is_read_in_no_time() -> None:
    text = "<|channel|>" + "to=ajson" * 28 + "<x<|message|>"
    assert shown(fed(text)) == text


def test_a_message_cut_off_behind_its_header_is_a_call_that_never_ended() -> None:
    (end,) = ended(fed("<|channel|>commentary to=functions.f<|message|>"))
    assert (end.name, end.error) == ("f", "the stream ended inside the call")
