"""Records with their keys shown once: a header of keys, then a line for each record with its number and its values.

    keys: {id,state,lines:[{sku,count}]}
    #1 {"a-17","open",[{"x",2},{"y",1}]}
    #2 {"a-18","shut",[]}

Rules:
1. Values are JSON as it was, in their order. White space between them is left out.
2. Braces hold an object, and its values stand for the keys at the same place of the header. A value that is missing
   leaves its place empty.
3. An object that does not follow the header, by other keys or their order, is written with its keys.
4. Where objects are keyed by names that nearly never repeat, the keys are values: they are written with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from penstock.core.content import Content, Span
from penstock.core.measure import Size, measure
from penstock.core.patterns import re_pattern
from penstock.core.reduce.brackets import Unit, blanked

# So many records are read to learn the keys; objects with others are written with theirs.
LEARNED: Final = 24

# What has more keys than this has no header.
MANY: Final = 300

# Where objects have so many times more keys together than each has, the keys are names.
NAMES: Final = 3

# A record over this is not taken apart.
LONGEST: Final = 64 * 1024
DEEPEST: Final = 40

# A key, where one stands before it, and a value or what begins or ends one. A list of plain values in one line is a
# value too.
_TOKEN: Final = re_pattern(rb'(?:("_*")[ \t\r\n]*:[ \t\r\n]*)?("_*"|\[[^][{}\r\n]+\]|[][{}]|[^ \t\r\n"\[\]{}:,]+)')
_WHOLE: Final = msgspec.json.Decoder(msgspec.Raw)


@dataclass(slots=True)
class Node:
    """A value: where it stands, and what is in it."""

    start: int
    stop: int
    parts: list[Node] | None = None  # of an object or a list
    keys: list[tuple[bytes, int, int]] | None = None  # of an object: its keys and where they stand


def parse(data: bytes, span: Span) -> Node | None:
    """The list or object that stands there; None where it is not whole, is too large or is nested too deep."""
    text = data[span.start : span.stop]
    if len(text) > LONGEST or not _is_whole(text):
        return None
    offset = span.start
    bare = blanked(text)
    top = Node(offset, offset)
    roots: list[Node] = []
    parts, keys = roots, top.keys
    around: list[tuple[Node, list[Node], list[tuple[bytes, int, int]] | None]] = []  # what is open outside of `top`
    for found in _TOKEN.finditer(bare):
        start, stop = found.span(2)
        mark = bare[start]
        if mark in b"]}":
            top.stop = offset + stop
            top, parts, keys = around.pop()
            continue
        node = Node(offset + start, offset + stop)
        parts.append(node)
        if keys is not None:
            first, last = found.span(1)
            keys.append((text[first:last], offset + first, offset + last))
        if mark in b"[{" and stop - start == 1:
            if len(around) >= DEEPEST:
                return None
            around.append((top, parts, keys))
            top, parts, keys = node, [], [] if mark == ord("{") else None
            node.parts, node.keys = parts, keys
    return roots[0]


def _is_whole(text: bytes) -> bool:
    """Whether this is one list or object and nothing else."""
    try:
        _WHOLE.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return text[:1] in (b"{", b"[")


@dataclass(slots=True)
class Shape:
    """What values at one place of the records look like."""

    keys: list[bytes] = field(default_factory=list)
    fields: dict[bytes, Shape] = field(default_factory=dict)
    items: Shape | None = None  # of lists
    objects: int = 0
    had: int = 0  # keys of all objects together
    names: Shape | None = None  # where keys are names: of what stands under any of them

    def learn(self, nodes: Iterable[Node]) -> None:
        below: dict[bytes, list[Node]] = {}
        items: list[Node] = []
        for node in nodes:
            if node.keys is not None:
                self.objects += 1
                self.had += len(node.keys)
                self._learn_keys([key for key, _, _ in node.keys])
                for (key, _, _), part in zip(node.keys, node.parts or (), strict=True):
                    below.setdefault(key, []).append(part)
            else:
                items += node.parts or ()
        if self.objects > 1 and len(self.keys) * self.objects > NAMES * max(4, self.had):
            self.names = Shape()
            self.names.learn([part for parts in below.values() for part in parts])
        else:
            for key in self.keys:
                self.fields[key] = Shape()
                self.fields[key].learn(below[key])
        if items:
            self.items = Shape()
            self.items.learn(items)

    def _learn_keys(self, keys: list[bytes]) -> None:
        """Add keys that are new, each behind the one that it follows."""
        known = set(self.keys)
        place = 0
        for key in keys:
            if len(self.keys) >= MANY:
                return
            if key in known:
                place = self.keys.index(key) + 1
            else:
                self.keys.insert(place, key)
                known.add(key)
                place += 1

    def header(self) -> bytes:
        if self.names is not None:
            return b"{..." + self._below(self.names) + b"}"
        if self.keys:
            fields = [key.strip(b'"') + self._below(self.fields[key]) for key in self.keys]
            return b"{" + b",".join(fields) + b"}"
        return b"[" + self.items.header() + b"]" if self.items is not None and self.items.header() else b""

    @staticmethod
    def _below(shape: Shape) -> bytes:
        header = shape.header()
        return b":" + header if header else b""


class Row(NamedTuple):
    """What stands for a record: its line, and more lines of it where something between them is left out."""

    parts: list[str | Span]
    size: Size
    spans: list[Span]  # what of the content each of the lines stands for
    more: list[list[str | Span]] = []  # noqa: RUF012  # never changed


class Rows:
    """Records as lines, each made when it is asked for."""

    def __init__(self, content: Content, units: Sequence[Unit]) -> None:
        self.content = content
        self.units = units
        self._made: dict[int, Row | None] = {}
        self._shape = Shape()
        step = max(1, len(units) // LEARNED)
        learned = (parse(content.data, unit.value) for unit in units[::step])
        self._shape.learn([node for node in learned if node is not None])
        self.header = "keys: " + self._shape.header().decode("utf-8", content.errors) + "\n"

    def row(self, index: int, *, whole: bool = False) -> Row | None:
        """The line of a record; with `whole`, its keys are in it. None where it cannot be taken apart."""
        number = ~index if whole else index
        if number not in self._made:
            self._made[number] = self._make(index, whole)
        return self._made[number]

    def cut(self, index: int, pieces: Sequence[Span]) -> Row:
        """These pieces of a record as they are, a line for each."""
        lines: list[list[str | Span]] = [[piece, "\n"] for piece in pieces]
        start = pieces[0].start + self.content.data[pieces[0].start : pieces[0].stop].find(b"{")
        lines[0] = [f"#{index + 1} ", Span(max(start, pieces[0].start), pieces[0].stop), "\n"]
        return Row(lines[0], size_of(self.content, [part for line in lines for part in line]), list(pieces), lines[1:])

    def _make(self, index: int, whole: bool) -> Row | None:
        unit = self.units[index]
        node = parse(self.content.data, unit.value)
        if node is None:
            return None
        parts: list[str | Span] = [f"#{index + 1} "]
        key = _key_of(self.content.data, unit)
        if key.start < key.stop:
            parts += [key, ":"]
        _write(node, None if whole else self._shape, parts)
        parts.append("\n")
        joined = _joined(parts)
        return Row(joined, size_of(self.content, joined), [unit.span])


def size_of(content: Content, parts: Iterable[str | Span]) -> Size:
    """The size of the text that these parts make."""
    data = content.data
    text = b"".join([part.encode() if isinstance(part, str) else data[part[0] : part[1]] for part in parts])
    if text.isascii():
        return Size(len(text), text.count(b"\n"), len(text))
    return measure(text.decode("utf-8", content.errors))


def _key_of(data: bytes, unit: Unit) -> Span:
    """Where the key of a record stands; empty in a list."""
    text = data[unit.span.start : unit.value.start]
    start, stop = text.find(b'"'), text.rfind(b'"') + 1
    return Span(unit.span.start + start, unit.span.start + stop) if 0 <= start < stop - 1 else Span(0, 0)


def _write(node: Node, shape: Shape | None, parts: list[str | Span]) -> None:
    if node.parts is None:
        parts.append(Span(node.start, node.stop))
    elif node.keys is None:
        parts.append("[")
        for count, part in enumerate(node.parts):
            if count:
                parts.append(",")
            _write(part, shape.items if shape is not None else None, parts)
        parts.append("]")
    elif shape is not None and shape.names is None and _follows(node, shape):
        parts.append("{")
        values = {key: part for (key, _, _), part in zip(node.keys, node.parts, strict=True)}
        left = len(values)
        for count, key in enumerate(shape.keys):
            if not left:
                break
            if count:
                parts.append(",")
            if key in values:
                left -= 1
                _write(values[key], shape.fields[key], parts)
        parts.append("}")
    else:
        parts.append("{")
        for count, ((_, start, stop), part) in enumerate(zip(node.keys, node.parts, strict=True)):
            if count:
                parts.append(",")
            parts += [Span(start, stop), ":"]
            _write(part, shape.names if shape is not None else None, parts)
        parts.append("}")


def _follows(node: Node, shape: Shape) -> bool:
    """Whether the keys of an object are among those of the header, in their order and none twice."""
    keys = iter(shape.keys)
    return all(key in keys for key, _, _ in node.keys or ())


def _joined(parts: list[str | Span]) -> list[str | Span]:
    """The same parts, with words of ours that touch as one."""
    joined: list[str | Span] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return joined
