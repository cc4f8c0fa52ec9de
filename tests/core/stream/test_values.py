"""Raw text as JSON text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.stream.values import converted, escaped, quoted


@given(st.lists(st.text(st.characters())))
def test_escaped_pieces_joined_are_the_escaped_whole_and_json(pieces: list[str]) -> None:
    whole = "".join(pieces)
    assert "".join(escaped(piece) for piece in pieces) == escaped(whole)
    quoted(whole).encode()
    if not any("\ud800" <= letter <= "\udfff" for letter in whole):
        assert json.loads(quoted(whole)) == whole


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" 5\n", "5"),
        ("1.50", "1.50"),
        ('{"a": [1]}', '{"a": [1]}'),
        ("True", "true"),
        ("None", "null"),
        ("none", '"none"'),
        ("{'a': (1, None)}", '{"a": [1, null]}'),
        ("{1, 2}", '"{1, 2}"'),
        ("[broken", '"[broken"'),
        ("12 Main St", '"12 Main St"'),
        ('[{\\"id\\": \\"1\\"}]', '[{"id": "1"}]'),
        ('{\\"id\\": }', '"{\\\\\\"id\\\\\\": }"'),
        ('{\\"id\\', '"{\\\\\\"id\\\\"'),
        ("[1e999]", "[1e999]"),
        ("\ud83d", '"\\ud83d"'),
    ],
)
def test_a_value_is_json_or_python_or_else_a_string(raw: str, text: str) -> None:
    assert converted(raw) == text


def test_a_long_literal_of_python_is_a_string() -> None:
    raw = "['" + "x" * 20_000 + "']"
    assert converted(raw) == quoted(raw)


def test_brackets_without_end_are_a_string() -> None:
    assert converted("[" * 10_000) == quoted("[" * 10_000)
