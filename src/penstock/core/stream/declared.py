"""The tools that the model was told of: which names are calls, and which parameters are strings.

They come as names, as definitions in the form of OpenAI, Anthropic or MCP, or as schemas by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

Kind = Literal["string", "nullable", "other", "unknown"]
Tools = Iterable[str | Mapping[str, Any]] | Mapping[str, Any]

_NAME: Final = re.compile(r"[\w.:/@-]{1,128}")
_SCHEMAS: Final = ("parameters", "input_schema", "inputSchema")


class Declared:
    __slots__ = ("_kinds", "names")

    def __init__(self, tools: Tools | None = None) -> None:
        self._kinds: dict[str, dict[str, Kind]] = {}
        self.names: frozenset[str] | None = None
        if tools is not None:
            self.names = frozenset(self._take(tools))

    def _take(self, tools: Tools) -> Iterable[str]:
        if isinstance(tools, Mapping):
            tools = [{"name": name, "parameters": schema} for name, schema in tools.items()]
        for tool in tools:
            if isinstance(tool, str):
                yield tool
                continue
            function = tool.get("function")
            body = function if isinstance(function, Mapping) else tool
            name = str(body.get("name", ""))
            schema: Mapping[str, Any] = next((body[key] for key in _SCHEMAS if isinstance(body.get(key), Mapping)), {})
            parts = _mapping(schema.get("properties"))
            self._kinds[name] = {parameter: _kind(part, schema) for parameter, part in parts.items()}
            yield name

    def has(self, name: str) -> bool:
        """Whether it may be a call: declared, or at least a name where nothing is declared."""
        if self.names is None:
            return _NAME.fullmatch(name) is not None
        return name in self.names

    def parameters(self, name: str) -> frozenset[str]:
        """The parameters that the schema of a tool names."""
        return frozenset(self._kinds.get(name, ()))

    def kind(self, name: str, parameter: str) -> Kind:
        return self._kinds.get(name, {}).get(parameter, "unknown")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _kind(part: object, schema: Mapping[str, Any]) -> Kind:
    stated = _types(part, schema, 0)
    types = stated - {"null"}
    if types == {"string"}:
        return "nullable" if "null" in stated else "string"
    if not types or ("string" in types and len(types) > 1):
        return "unknown"
    return "other"


def _types(part: object, schema: Mapping[str, Any], depth: int) -> set[str]:
    """All JSON types that a schema lets through, as far as it says so at its top."""
    part = _mapping(part)
    reference = part.get("$ref")
    if isinstance(reference, str) and depth < 8:
        return _types(_referred(reference, schema), schema, depth + 1)
    stated = part.get("type")
    types = {stated} if isinstance(stated, str) else {str(one) for one in stated} if isinstance(stated, list) else set()
    if depth < 8:
        for key in ("anyOf", "oneOf", "allOf"):
            for one in part.get(key) or ():
                types |= _types(one, schema, depth + 1)
    if not types:
        values = part.get("enum") or ([part["const"]] if "const" in part else [])
        types = {"string" if isinstance(value, str) else "other" for value in values}
    return types


def _referred(reference: str, schema: Mapping[str, Any]) -> object:
    found: object = schema
    for step in reference.removeprefix("#/").split("/"):
        found = _mapping(found).get(step)
    return found
