"""JSON that is always sendable, and always parses."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core import jsontext as module
from penstock.core.jsontext import from_json, indented, to_json
from penstock.errors import ResultError


@dataclass
class Point:
    x: int
    y: int


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["\ud800", "\udc00x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.just("\udfff"), inner, max_size=4),
    max_leaves=20,
)


def known(value: Any) -> Any:
    """What JSON can hold of a value: no NaN, and no halves of characters apart."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [known(item) for item in value]
    if isinstance(value, dict):
        return {json.loads(json.dumps(key)): known(item) for key, item in value.items()}
    return json.loads(json.dumps(value))


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@given(values)
def test_json_of_a_value_parses_to_the_value_and_is_utf8(value: Any) -> None:
    text = to_json(value)
    text.encode("utf-8")
    assert json.loads(text, parse_constant=refuse) == known(value) == from_json(text)
    laid_out = indented(text)
    assert json.loads(laid_out, parse_constant=refuse) == known(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, 2.5, None, True], "b": "é"}, '{"a":[1,2.5,null,true],"b":"é"}'),
        (Point(1, 2), '{"x":1,"y":2}'),
        ({Point: 1}.values().__len__(), "1"),
        ({"at": datetime(2026, 3, 1, tzinfo=UTC)}, '{"at":"2026-03-01T00:00:00Z"}'),
        ({None: 1, True: 2, 3: 4}, '{"null":1,"true":2,"3":4}'),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        ({"s": "\ud800", "p": Point(1, 2), "n": math.nan}, '{"s":"\\ud800","p":{"x":1,"y":2},"n":null}'),
        (2**70, str(2**70)),
    ],
)
def test_value_has_its_json_form(value: Any, text: str) -> None:
    assert to_json(value) == text


def test_value_without_a_json_form_is_refused_with_the_reason() -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: Any = "\ud800"
    for _ in range(200_000):
        deep = [deep]
    half: dict[str, Any] = {"s": "\ud800"}
    half["self"] = half
    for value in (object(), {(1, 2): 3}, circle, deep, half, {"a": object(), "s": "\ud800"}):
        with pytest.raises(ResultError, match="cannot be admitted") as caught:
            to_json(value)
        assert caught.value.kind == type(value).__name__


def test_laid_out_json_has_a_value_a_line() -> None:
    assert indented('{"a":[1,"é"]}') == '{\n  "a": [\n    1,\n    "é"\n  ]\n}'
    assert indented('["\\ud800"]') == '[\n  "\\ud800"\n]'


def test_json_that_is_nested_deep_is_left_as_it_is() -> None:
    deep = "[" * 900 + ",".join(["1"] * 100_000) + "]" * 900
    began = time.perf_counter()
    assert indented(deep) == deep
    assert time.perf_counter() - began < 0.5
    surrogate = "[" * 900 + '"\\ud800"' + "]" * 900
    assert json.loads(indented(surrogate)) == json.loads(surrogate)


@given(values)
def test_depth_is_told_whatever_the_strings_hold(value: Any) -> None:
    def depth(value: Any) -> int:
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if items is None else 1 + max(map(depth, items), default=0)

    text = to_json({'["\\': value, "\\": ["]]]}"]})
    deep = 1 + max(1, depth(value))
    assert not module._depth_over(text, deep)
    assert deep < 3 or module._depth_over(text, (deep - 1) // 2)


def test_layout_gives_up_where_python_cannot_go_so_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: Any, **__: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr(module.msgspec.json, "format", too_deep)
    monkeypatch.setattr(module.json, "loads", too_deep)
    assert indented("[1]") == "[1]"


def test_text_that_is_no_json_is_a_value_error() -> None:
    for text in ("", "{", "nope", "[" * 200_000):
        with pytest.raises(ValueError, match=r"."):
            from_json(text)
    assert from_json('"\\ud800"') == "\ud800"
