"""Objects that say themselves what they are, and the formats that are looked for only on request."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Markup, Text


def found(text: str, *formats: str) -> tuple[list[tuple[str, object]], str]:
    options = {"formats": ["all", *formats]}
    events = fed(text, **options)
    assert fed(text, letters(text), **options) == events
    return called(events), shown(events)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"tool_call","name":"f","arguments":{"a":1}}',
        '{ "type" : "tool_call", "id": "x", "tool": "f", "args": {"a": 1} }',
        '{"name":"f","arguments":{"a":1},"type":"tool_call"}',
        '{"id":"x","name":"f","type":"tool_call","input":{"a":1}}',
        '{"type":"tool_call","function":{"name":"f","arguments":"{\\"a\\":1}"}}',
        '{"type":"tool_call","tool_call":{"name":"f","arguments":{"a":1}}}',
    ],
)
def test_an_object_of_the_type_is_a_call_wherever_it_stands(text: str) -> None:
    assert found(f"So {text} done") == ([("f", {"a": 1})], "So  done")


@pytest.mark.parametrize("card", ['{"id": 1, "x": "}"}', '"c1"', "true", "[{}]"])
def test_a_card_is_hidden_as_it_comes(card: str) -> None:
    text = f'So {{"__tool_call_card__": {card}}} done'
    assert found(text) == ([], "So  done")


def test_a_card_that_never_ends_is_hidden_to_the_end() -> None:
    text = '{"__tool_call_card__": {"x": "' + "y" * 9000
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert events == [Markup(0, len(text))]


@pytest.mark.parametrize(
    "text",
    [
        "{ }",
        '{"type":"text","text":"x"}',
        '{"type":5}',
        '{"a":1,"type":"tool_call"}',
        '{"name":"f"}',
        '{"name":"f","arguments":{}}',
        '{"type":"tool_call"',
        '{"type":"tool_call"}',
        "{",
    ],
)
def test_other_objects_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_bare_json_is_a_call_only_on_request_and_where_a_line_begins() -> None:
    text = '{"name":"f","parameters":{"a":1}}'
    assert found(text) == ([], text)
    assert found(text, "bare_json") == ([("f", {"a": 1})], "")
    assert found(f"So\n{text}; {text} on", "bare_json") == ([("f", {"a": 1})] * 2, "So\n on")
    assert found(f"So {text}", "bare_json") == ([], f"So {text}")
    assert found(f"```json\n[{text}]\n```\nDone", "bare_json") == ([("f", {"a": 1})], "\nDone")


@pytest.mark.parametrize(
    ("text", "calls", "visible"),
    [
        (
            'Thought: x\nAction: f\nAction Input: {"a": 1}\nObservation: y',
            [("f", {"a": 1})],
            "Thought: x\n\nObservation: y",
        ),
        ("Action: f\nAction Input: some words\nDone", [("f", {"input": "some words"})], "\nDone"),
        ("Action: f\nAction Input: some words", [("f", {"input": "some words"})], ""),
        ("Action: f and on", [], "Action: f and on"),
        ("The Action: f\nAction Input: x", [], "The Action: f\nAction Input: x"),
        ("Action: (\nAction Input: x", [], "Action: (\nAction Input: x"),
    ],
)
def test_react_is_read_line_by_line_on_request(text: str, calls: object, visible: str) -> None:
    assert found(text, "react") == (calls, visible)


def test_react_that_is_cut_off_has_an_error() -> None:
    (end,) = ended(fed("Action: f\nAction Input: ", formats=["react"]))
    assert (end.name, end.error) == ("f", "the stream ended inside the call")


def test_code_in_a_fence_of_its_own_is_a_call_on_request() -> None:
    text = "```tool_code\nf(a=1)\nprint(g(b='x'))\n```\nDone"
    assert found(text, "tool_code") == ([("f", {"a": 1}), ("g", {"b": "x"})], "\nDone")
    assert found(text) == ([], text)
    assert found("```tool_code\nprint(f(a=1)\n```", "tool_code") == ([("f", {"a": 1})], "")
    assert found(f"So {text}", "tool_code") == ([], f"So {text}")
