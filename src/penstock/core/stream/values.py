"""Raw text as JSON text: strings escaped piece by piece, and values of which only the whole tells the type."""

from __future__ import annotations

import ast
import json
import re
from json.encoder import encode_basestring
from typing import Final

from penstock.core.jsontext import from_json

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Python's own literals are read where they are short: `ast` builds a tree of them.
_LONGEST_LITERAL: Final = 16 * 1024


def escaped(text: str) -> str:
    """The inside of a JSON string. Joined pieces are the piece of the joined: nothing looks at a neighbour."""
    inside = encode_basestring(text)[1:-1]
    if inside.isascii():
        return inside
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", inside)


def quoted(text: str) -> str:
    return f'"{escaped(text)}"'


def converted(raw: str) -> str:
    """A value as JSON: as it stands if it is JSON, else read as Python writes it, else a string."""
    text = raw.strip()
    try:
        from_json(text)
    except (ValueError, UnicodeError):
        return _python(text, raw)
    return text


def _python(text: str, raw: str) -> str:
    if text.lower() in ("true", "false", "null", "none"):
        return {"none": "null"}.get(text.lower(), text.lower())
    if text[:1] in ("{", "[", "(") and len(text) <= _LONGEST_LITERAL:
        try:
            return json.dumps(ast.literal_eval(text), ensure_ascii=False, allow_nan=False)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return quoted(raw)
    return quoted(raw)
