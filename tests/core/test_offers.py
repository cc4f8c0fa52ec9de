"""What a model may call, and how what it sends is understood."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.offers import FORMATS, GREP, LIST, NAMES, OFFERS, READ, Offer, checked
from penstock.errors import CallerError


@pytest.mark.parametrize("offer", OFFERS)
def test_definition_has_the_form_of_each_dialect(offer: Any) -> None:
    schema = offer.schema()
    assert schema["additionalProperties"] is False and set(schema["required"]) <= set(schema["properties"])
    named = {"name": offer.name, "description": offer.description}
    assert offer.definition("openai") == {"type": "function", "function": {**named, "parameters": schema}}
    assert offer.definition("responses") == {"type": "function", **named, "parameters": schema}
    assert offer.definition("anthropic") == {**named, "input_schema": schema}
    assert offer.definition("mcp") == {**named, "inputSchema": schema}
    assert FORMATS == ("openai", "responses", "anthropic", "mcp")


def test_schema_of_one_definition_is_not_that_of_another() -> None:
    READ.schema()["properties"]["handle"]["type"] = "changed"
    assert READ.schema()["properties"]["handle"]["type"] == "string"


def test_every_offer_has_its_own_name() -> None:
    assert {READ.name, GREP.name, LIST.name} == NAMES == {"read_output", "grep_output", "list_outputs"}


@pytest.mark.parametrize(
    ("sent", "understood"),
    [
        ({"start": 5}, {"start": 5}),
        ({"start": "5"}, {"start": 5}),
        ({"start": " 12 "}, {"start": 12}),
        ({"start": 5.0}, {"start": 5}),
        ({"offset": 0}, {"offset": 0}),
        ({"start": None}, {}),
        ({"unseen": True}, {"unseen": True}),
        ({"unseen": "true"}, {"unseen": True}),
        ({"unseen": "False"}, {"unseen": False}),
        ({"unit": "bytes"}, {"unit": "bytes"}),
    ],
)
def test_arguments_are_understood_as_models_send_them(sent: dict[str, Any], understood: dict[str, Any]) -> None:
    assert checked("read_output", {"handle": "ps-x", **sent}) == {"handle": "ps-x", **understood}


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("delete_output", {}, r"^there is no tool 'delete_output': there are grep_output, list_outputs, read_output$"),
        ("read_output", {}, r"^read_output needs the argument handle: a text$"),
        ("grep_output", {"handle": "h"}, r"^grep_output needs the argument pattern: a text$"),
        ("read_output", {"handle": "h", "line": 3}, r"^read_output has no argument 'line': it has handle, start, "),
        ("read_output", {"handle": 3}, r"^read_output: handle = 3 is not allowed: a text$"),
        ("read_output", {"handle": "h", "start": 0}, r"start = 0 is not allowed: a whole number from 1 on$"),
        ("read_output", {"handle": "h", "start": True}, r"start = True is not allowed"),
        ("read_output", {"handle": "h", "start": 1.5}, r"start = 1.5 is not allowed"),
        ("read_output", {"handle": "h", "start": float("inf")}, r"start = inf is not allowed"),
        ("read_output", {"handle": "h", "start": "9" * 5_000}, r"start = '9{70,80}\.\.\. is not allowed"),
        ("read_output", {"handle": "h", "start": "²"}, r"start = '²' is not allowed"),
        ("read_output", {"handle": "h", "offset": -1}, r"a whole number from 0 on$"),
        ("read_output", {"handle": "h", "unit": "pages"}, r"unit = 'pages' is not allowed: one of lines, bytes$"),
        ("read_output", {"handle": "h", "unseen": "perhaps"}, r"unseen = 'perhaps' is not allowed: true or false$"),
        ("read_output", {"handle": "h", "unseen": 1}, r"true or false$"),
        ("grep_output", {"handle": "h", "pattern": ["a"]}, r"pattern = \['a'\] is not allowed: a text$"),
        ("x" * 5_000, {}, r"^there is no tool 'x{70,80}\.\.\.: "),
    ],
)
def test_wrong_call_is_refused_with_what_is_allowed(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CallerError, match=message):
        checked(name, arguments)


_PATHS = Offer("open", "Open files.", {"files": {"type": "array", "items": {"type": "string"}}})


@pytest.mark.parametrize(
    ("sent", "understood"), [(["a", "b c"], ["a", "b c"]), ([], []), ("a", ["a"]), ("a\nb,c\n", ["a", "b,c"])]
)
def test_list_of_texts_may_be_sent_as_text_with_one_on_each_line(sent: Any, understood: list[str]) -> None:
    assert checked("open", {"files": sent}, [_PATHS]) == {"files": understood}


def test_number_that_is_too_large_is_refused_with_what_is_allowed() -> None:
    offer = Offer("wait", "Wait.", {"hours": {"type": "integer", "minimum": 1, "maximum": 24}})
    with pytest.raises(CallerError, match=r"^wait: hours = 25 is not allowed: a whole number from 1 to 24$"):
        checked("wait", {"hours": 25}, [offer])


@pytest.mark.parametrize("sent", [3, {"a": 1}, ["a", 3], [["a"]], [None]])
def test_what_is_no_list_of_texts_is_refused(sent: Any) -> None:
    with pytest.raises(CallerError, match=r"^open: files = .* is not allowed: a list of texts$"):
        checked("open", {"files": sent}, [_PATHS])
