"""Reads a settings file: YAML, of which settings need little, with the line of every key.

Only YAML's syntax tree is used, never its constructors: no object is made from a tag, an anchor that doubles itself
costs nothing, `010` is not taken for 8 nor `1:30` for 90, and keys are text as they stand (`on:` is a tool named "on").
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

from penstock.settings.refusal import Lined, Thing, refusal, unreadable

MOST_BYTES: Final = 256 * 1024

_TAG: Final = "tag:yaml.org,2002:"
_TEXTS: Final = tuple(_TAG + name for name in ("str", "timestamp", "value", "merge"))


def read_file(path: Path) -> Lined:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise unreadable(str(path), f"the settings file cannot be read: {error.strerror}") from error
    if len(data) > MOST_BYTES:
        raise unreadable(str(path), f"a settings file has at most {MOST_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise unreadable(f"{path}, line {line}", "a settings file is UTF-8, and this line is not") from error
    return _parse(text, path)


def _parse(text: str, path: Path) -> Lined:
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        # An empty file, or one whose lines are all comments.
        found = Lined() if node is None else _Reader(str(path)).value(node)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise unreadable(f"{path}{line}", f"not YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise unreadable(str(path), f"not YAML: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise unreadable(str(path), "nested too deeply for settings") from None
    if found is None:
        return Lined()
    if not isinstance(found, Lined):
        raise unreadable(str(path), f"a settings file is a mapping of keys to values, and this is {_kind(found)}")
    return found


class _Reader:
    def __init__(self, path: str) -> None:
        self._path = path
        self._known: dict[int, Lined] = {}  # a mapping that is used in many places is read once

    def value(self, node: yaml.Node) -> object:
        if isinstance(node, yaml.MappingNode):
            if id(node) not in self._known:
                self._known[id(node)] = self._mapping(node)
            return self._known[id(node)]
        return _scalar(node.tag, node.value) if isinstance(node, yaml.ScalarNode) else Thing("a list")

    def _mapping(self, node: yaml.MappingNode) -> Lined:
        own, merged = Lined(), Lined()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise unreadable(f"{self._path}, line {line}", "a key of a settings file is text")
            if key.tag == _TAG + "merge":
                self._merge(value, merged, line)
                continue
            if key.value in own:
                first = own.lines[key.value]
                raise refusal(
                    f"{self._path}, line {line}",
                    key.value,
                    self.value(value),
                    f"the same key stands in line {first}",
                )
            own[key.value] = self.value(value)
            own.lines[key.value] = line
        for name in merged.keys() - own.keys():
            own[name], own.lines[name] = merged[name], merged.lines[name]
        return own

    def _merge(self, node: yaml.Node, into: Lined, line: int) -> None:
        """`<<: *name` and `<<: [*name, *other]`: earlier ones count."""
        for source in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            found = self.value(source)
            if not isinstance(found, Lined):
                raise unreadable(f"{self._path}, line {line}", "`<<` takes a mapping, or a list of mappings")
            for name in found.keys() - into.keys():
                into[name], into.lines[name] = found[name], found.lines[name]


def _scalar(tag: str, text: str) -> object:
    """What does not read as what its tag says stays text, and is refused as such where a number is wanted."""
    if tag in _TEXTS:
        return text
    if tag == _TAG + "null":
        return None
    if tag == _TAG + "bool" and text.lower() in ("true", "yes", "on", "false", "no", "off"):
        return text.lower() in ("true", "yes", "on")
    if tag in (_TAG + "int", _TAG + "float"):
        plain = text.replace("_", "")
        try:
            return int(plain, 0) if tag == _TAG + "int" else float(plain)
        except ValueError:
            return text
    return Thing(f"a value with the tag {tag.removeprefix(_TAG)}")


def _kind(value: object) -> str:
    return repr(value) if isinstance(value, Thing) else "one value"
