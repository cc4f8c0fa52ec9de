"""JSON as text: compact for a model, indented for a file that people page and grep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.errors import ResultError

# A megabyte of numbers, 900 levels deep, would be a gigabyte with every number on a line of its own.
DEEPEST: Final = 32
SHORT: Final = 16 * 1024

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


def to_json(value: Any) -> str:
    """Compact JSON. A lone surrogate, which UTF-8 cannot hold, becomes its escape, so the text is always sendable."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return _unusual(value)
    except RecursionError:
        raise ResultError(type(value).__name__, "it is nested too deep for JSON") from None


def _unusual(value: Any) -> str:
    """What msgspec does not take, though it has a JSON form: lone surrogates, None as a key, other mappings."""
    try:
        text = json.dumps(value, default=_plain)
        # NaN and the infinities are no JSON.
        return json.dumps(json.loads(text, parse_constant=lambda _: None), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultError(type(value).__name__, f"it has no JSON form ({error})") from None


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else msgspec.to_builtins(value)


def indented(text: str) -> str:
    """The same JSON, one value a line; as it was where it is nested too deep to be laid out."""
    if len(text) > SHORT and _depth_over(text, DEEPEST):
        return text
    try:
        return msgspec.json.format(text, indent=2)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        # An escaped lone surrogate: valid JSON, which msgspec does not take.
        return json.dumps(json.loads(text), indent=2)
    except RecursionError:
        return text


def _depth_over(text: str, most: int) -> bool:
    """Whether JSON is nested much deeper: pairs of brackets are taken out, a level or two each time."""
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode("ascii", "ignore").translate(None, _NO_BRACKETS)
    for _ in range(most):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return bool(brackets)


def from_json(text: str) -> Any:
    """Raises ValueError for what is not JSON, or is nested too deep to be read."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
