"""JSON as text: compact for a model, indented for a file that people page and grep."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from penstock.errors import ResultError


def to_json(value: Any) -> str:
    """Compact JSON. A lone surrogate, which UTF-8 cannot hold, becomes its escape, so the text is always sendable."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return _escaped(value)
    except RecursionError:
        raise ResultError(type(value).__name__, "it is nested too deep for JSON") from None
    except (TypeError, ValueError) as error:
        raise ResultError(type(value).__name__, f"it has no JSON form ({error})") from None


def _escaped(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), default=msgspec.to_builtins)
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultError(type(value).__name__, f"it has no JSON form ({error})") from None


def indented(text: str) -> str:
    """The same JSON, one value a line; as it was where it is nested too deep to be laid out."""
    try:
        return msgspec.json.format(text, indent=2)
    except msgspec.DecodeError:  # an escaped lone surrogate: valid JSON, which msgspec does not take
        return json.dumps(json.loads(text), indent=2)
    except RecursionError:
        return text


def from_json(text: str) -> Any:
    """Raises ValueError for what is not JSON."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)
