"""Declared tools, in every form that they come in."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.stream.declared import Declared

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "maybe": {"type": ["string", "null"]},
        "count": {"type": "integer"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "list": {"anyOf": [{"type": "array"}, {"type": "null"}]},
        "enum": {"enum": ["a", "b"]},
        "constant": {"const": 3},
        "referred": {"$ref": "#/$defs/text"},
        "lost": {"$ref": "#/nowhere/text"},
        "open": {},
        "odd": "no schema",
    },
    "$defs": {"text": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}},
}
KINDS = {
    "text": "string",
    "maybe": "nullable",
    "count": "other",
    "either": "unknown",
    "list": "other",
    "enum": "string",
    "constant": "other",
    "referred": "string",
    "lost": "unknown",
    "open": "unknown",
    "odd": "unknown",
    "undeclared": "unknown",
}


@pytest.mark.parametrize(
    "tools",
    [
        {"f": SCHEMA},
        [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
        [{"name": "f", "input_schema": SCHEMA}],
        [{"name": "f", "inputSchema": SCHEMA}],
    ],
)
def test_the_kinds_of_parameters_are_read_from_any_form_of_definition(tools: Any) -> None:
    declared = Declared(tools)
    assert {key: declared.kind("f", key) for key in KINDS} == KINDS
    assert declared.has("f")
    assert not declared.has("g")


def test_names_alone_declare_names() -> None:
    assert Declared(["f", "g"]).names == {"f", "g"}
    assert Declared(["f"]).kind("f", "x") == "unknown"
    assert Declared([{"name": "f"}]).has("f")
    assert Declared([{"name": "f", "parameters": {"properties": None}}]).kind("f", "x") == "unknown"


def test_where_nothing_is_declared_any_name_may_be_called_and_no_sentence() -> None:
    assert Declared().has("get_weather")
    assert Declared().has("server.tool-1")
    assert not Declared().has("a sentence")
    assert not Declared().has("")


def test_a_reference_that_goes_in_a_circle_says_nothing() -> None:
    looped = {"properties": {"a": {"$ref": "#/$defs/loop"}}, "$defs": {"loop": {"$ref": "#/$defs/loop"}}}
    assert Declared({"f": looped}).kind("f", "a") == "unknown"
    nested: dict[str, Any] = {"type": "string"}
    for _ in range(20):
        nested = {"anyOf": [nested]}
    assert Declared({"f": {"properties": {"a": nested}}}).kind("f", "a") == "unknown"
