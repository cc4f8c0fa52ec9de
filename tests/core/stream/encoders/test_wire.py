"""One value, one event: never two lines, never a byte that is no UTF-8, never what only Python reads as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.stream.encoders.wire import is_json, sse, sse_with
from strategies import json_values

from .reading import sent


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), json_values | st.just("\ud800\r\n")))
def test_value_comes_back_as_it_was(value: dict[str, object]) -> None:
    assert sent(sse(value)) == [value]


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), json_values), st.sampled_from([None, 2]))
def test_json_text_comes_back_as_it_was_however_it_was_laid_out(value: dict[str, object], indent: int | None) -> None:
    data = sse_with({"type": "x"}, "input", json.dumps(value, indent=indent, ensure_ascii=False))
    assert sent(data) == [{"type": "x", "input": value}]


@pytest.mark.parametrize("text", ["{}", "1", '"\\ud800"', '"\ud800"', '{"a": "NaN"}', "1e400", " [1]\n", "1" * 400])
def test_json_is_json(text: str) -> None:
    assert is_json(text)


@pytest.mark.parametrize("text", ["", "{", "NaN", "[Infinity]", "{'a': 1}", "{} {}", '"\n"', "[" * 100_000])
def test_what_is_no_json_is_none(text: str) -> None:
    assert not is_json(text)
