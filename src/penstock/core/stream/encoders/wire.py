"""One value as one server-sent event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from penstock.core.jsontext import to_json

DONE: Final = b"data: [DONE]\n\n"

_ONE_LINE: Final = {ord("\n"): " ", ord("\r"): " "}


def sse(value: Mapping[str, Any]) -> bytes:
    return b"data: " + to_json(value).encode() + b"\n\n"


def sse_with(value: Mapping[str, Any], name: str, text: str) -> bytes:
    """The same, with a field more that is JSON text already: its numbers and its order stay as the model wrote them."""
    # Between tokens a newline is white space, inside a string JSON allows none. The escape of a lone surrogate is one
    # in JSON too.
    line = text.translate(_ONE_LINE).encode("utf-8", "backslashreplace")
    return b"data: " + to_json(value)[:-1].encode() + b',"' + name.encode() + b'":' + line + b"}\n\n"


def is_json(text: str) -> bool:
    """Whether every reader of JSON takes it. Python's own takes NaN, msgspec no lone surrogate."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _is_unusual_json(text)
    return True


def _is_unusual_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return False
    return True


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)
