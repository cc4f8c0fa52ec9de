"""Raw text as JSON text: strings escaped piece by piece, and values of which only the whole tells the type."""

from __future__ import annotations

import ast
import json
import re
from json.encoder import encode_basestring
from typing import Final

from penstock.core.jsontext import from_json

_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
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
    if _is_json(text):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[:1] in ("{", "[", "("):
        unpacked = _unpacked(text) if text[:3] in ('{\\"', '[\\"', "[{\\") else ""
        return unpacked or _literal(text) or quoted(raw)
    return quoted(raw)


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except (ValueError, UnicodeError):
        return False
    return True


def _unpacked(text: str) -> str:
    """JSON of which every quote was escaped once more; "" where it is not that."""
    try:
        inside = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return ""
    return inside if _is_json(inside) else ""


def _literal(text: str) -> str:
    if len(text) > _LONGEST_LITERAL:
        return ""
    try:
        return json.dumps(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ""
