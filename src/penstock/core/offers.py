"""What a model may call to read kept output: names, descriptions, arguments, and how the arguments are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from penstock.errors import CallerError, brief

Format = Literal["openai", "responses", "anthropic", "mcp"]
FORMATS: Final = ("openai", "responses", "anthropic", "mcp")


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: dict(value) for name, value in self.properties.items()},
            "required": list(self.required),
            "additionalProperties": False,
        }

    def definition(self, format: Format) -> dict[str, Any]:  # noqa: A002  # the name that callers write
        if format == "anthropic":
            return {"name": self.name, "description": self.description, "input_schema": self.schema()}
        if format == "mcp":
            return {"name": self.name, "description": self.description, "inputSchema": self.schema()}
        function = {"name": self.name, "description": self.description, "parameters": self.schema()}
        return {"type": "function", **function} if format == "responses" else {"type": "function", "function": function}


_HANDLE: Final = {
    "type": "string",
    "description": "The handle that the truncation notice names, such as ps-abcdefgh23456777.",
}

READ: Final = Offer(
    "read_output",
    "Read more of a tool output that was truncated. Give its handle and where to start: a line (start), or a byte"
    " (unit=bytes and offset) inside a very long line. unseen=true shows what no view has shown yet. The last line of"
    " the answer says what comes next.",
    {
        "handle": _HANDLE,
        "start": {"type": "integer", "minimum": 1, "description": "The first line to read; 1 by default."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many lines, or bytes with unit=bytes; 200 lines by default.",
        },
        "unit": {
            "type": "string",
            "enum": ["lines", "bytes"],
            "description": "What start and limit count; lines by default.",
        },
        "offset": {"type": "integer", "minimum": 0, "description": "With unit=bytes: the first byte to read."},
        "direction": {
            "type": "string",
            "enum": ["head", "tail"],
            "description": "tail reads the last lines; head is the default.",
        },
        "unseen": {"type": "boolean", "description": "Read what has not been shown yet."},
    },
    ("handle",),
)

GREP: Final = Offer(
    "grep_output",
    "Search a tool output that was truncated for a pattern (RE2 syntax). Answers with line numbers, lines around each"
    " match, and a window around the match inside very long lines.",
    {
        "handle": _HANDLE,
        "pattern": {
            "type": "string",
            "minLength": 1,
            "description": "What to look for: an RE2 regular expression, or plain text with fixed=true.",
        },
        "context": {
            "type": "integer",
            "minimum": 0,
            "description": "Lines to show before and after each match; 2 by default.",
        },
        "ignore_case": {
            "type": "boolean",
            "description": "Whether upper and lower case are the same; false by default.",
        },
        "fixed": {"type": "boolean", "description": "Whether the pattern is plain text; false by default."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many matching lines to show at most; 50 by default.",
        },
        "start": {"type": "integer", "minimum": 1, "description": "The line to search from; 1 by default."},
    },
    ("handle", "pattern"),
)

LIST: Final = Offer(
    "list_outputs",
    "List the tool outputs that were truncated and are kept in full: handle, tool, size, time. Newest first.",
    {"limit": {"type": "integer", "minimum": 1, "description": "How many to list; 20 by default."}},
)

OFFERS: Final = (READ, GREP, LIST)
NAMES: Final = frozenset(offer.name for offer in OFFERS)

_TYPES: Final[dict[str, type]] = {"string": str, "integer": int, "boolean": bool, "array": list}
_DIGITS: Final = 18  # Python refuses to read numbers of thousands


def checked(name: str, arguments: Mapping[str, Any], offers: Sequence[Offer] = OFFERS) -> dict[str, Any]:
    """The arguments of a call, or a CallerError that names the argument and what is allowed."""
    offer = next((offer for offer in offers if offer.name == name), None)
    if offer is None:
        raise CallerError(f"there is no tool {brief(name)}: there are {', '.join(sorted(o.name for o in offers))}")
    for key in offer.required:
        if arguments.get(key) is None:
            raise CallerError(f"{name} needs the argument {key}: {_allowed(offer.properties[key])}")
    return {key: _argument(offer, key, value) for key, value in arguments.items() if value is not None}


def _argument(offer: Offer, key: str, value: Any) -> Any:
    declared = offer.properties.get(key)
    if declared is None:
        raise CallerError(f"{offer.name} has no argument {brief(key)}: it has {', '.join(offer.properties)}")
    value = _understood(declared["type"], value)
    if (
        type(value) is not _TYPES[declared["type"]]
        or (type(value) is list and not all(type(item) is str for item in value))
        or not declared.get("minimum", value) <= value <= declared.get("maximum", value)
        or value not in declared.get("enum", (value,))
    ):
        raise CallerError(f"{offer.name}: {key} = {brief(value)} is not allowed: {_allowed(declared)}")
    return value


def _understood(kind: str, value: Any) -> Any:
    """Models often send numbers, truths and single items as text; nothing is lost by understanding them."""
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    if kind == "array":
        return [line for line in value.split("\n") if line]
    told = value.strip().lower()
    if kind == "integer" and told.isdecimal() and len(told) <= _DIGITS:
        return int(told)
    return {"true": True, "false": False}.get(told, value) if kind == "boolean" else value


def _allowed(declared: Mapping[str, Any]) -> str:
    if "enum" in declared:
        return "one of " + ", ".join(declared["enum"])
    if "maximum" in declared:
        return f"a whole number from {declared['minimum']} to {declared['maximum']}"
    if "minimum" in declared:
        return f"a whole number from {declared['minimum']} on"
    return {"string": "a text", "boolean": "true or false", "array": "a list of texts"}.get(
        declared["type"], str(declared["type"])
    )
