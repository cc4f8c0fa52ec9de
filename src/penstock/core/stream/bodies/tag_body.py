"""Calls as tags with raw values: `<function=f><parameter=k>value</parameter></function>` and its many spellings.

A value becomes JSON as it comes: a string is escaped piece by piece, anything else is held until its tag closes. The
declared schema says which it is, or the tag itself; where neither does, what cannot be JSON is a string.

A value may hold look-alikes of its own closing tag. The tag counts only where another parameter or the end of the call
follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from penstock.core.stream.bodies import json_body
from penstock.core.stream.declared import Kind
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.core.stream.values import converted, escaped, quoted

_LONGEST_HEAD: Final = 256
_LONGEST_SPACE: Final = 256
# What a value that is no string may look like while it comes; whatever stops looking so is a string.
_LITERAL: Final = re.compile(
    r"\s*(?:-?\d[\d.eE+-]*|-|[tT](?:r(?:u(?:e)?)?)?|[fF](?:a(?:l(?:s(?:e)?)?)?)?|[nN](?:u(?:l(?:l)?)?|o(?:n(?:e)?)?)?)?\s*"
)
_LONGEST_LITERAL: Final = 64


class Call(NamedTuple):
    name: str
    id: str


class Parameter(NamedTuple):
    key: str
    kind: Kind = "unknown"
    ends: tuple[str, ...] = ()  # what closes its value, where that is not the same for all
    behind: tuple[str, ...] = ()  # and what may follow that, beside the end of the call


class Style(NamedTuple):
    """A spelling: how to read the head of a call and of a parameter, and the literals that end them."""

    call: Callable[[Scan], Steps[Call | None]]
    parameter: Callable[[Scan], Steps[Parameter | None]]
    opens: tuple[str, ...]  # what the head of a parameter begins with
    value_ends: tuple[str, ...]
    call_ends: tuple[str, ...]
    outer: tuple[str, ...] = ()  # what ends everything around the call: tolerated where the call was not closed
    trim: bool = False  # one newline on either side of a value is markup
    reopens: tuple[str, ...] = ()  # what at the beginning of a line ends a value that was not closed
    cdata: bool = False  # a value may be wrapped as XML wraps it
    value: Callable[[Scan, Style, Parameter], Steps[None]] = lambda scan, style, parameter: plain(
        scan, style, parameter
    )


class Stops(NamedTuple):
    value: Markers  # where a value may end
    behind: Markers  # what must follow its closing tag
    call: Markers
    outer: Markers


@lru_cache(maxsize=256)
def _stops(style: Style, own: tuple[str, ...] = (), behind: tuple[str, ...] = ()) -> Stops:
    closed = own or style.value_ends
    ends = closed + (style.call_ends if style.outer else ())
    lines = tuple(f"\n{end}" for end in ends + style.reopens) if style.trim else ()
    return Stops(
        Markers(ends + lines),
        Markers((behind or style.opens) + style.call_ends + style.outer),
        Markers(style.call_ends),
        Markers(style.outer),
    )


def head(opens: tuple[str, ...], stop: str, pattern: str) -> Callable[[Scan], Steps[re.Match[str] | None]]:
    """Reads a tag: one of the beginnings, then what the pattern takes, to the stop."""
    beginnings, compiled = Markers(opens), re.compile(pattern)

    def read(scan: Scan) -> Steps[re.Match[str] | None]:
        if not (yield from scan.either(beginnings)):
            return None
        inside = yield from scan.upto(stop, _LONGEST_HEAD)
        found = compiled.fullmatch(inside)
        if found is None:
            raise Refuted("the tag is broken")
        return found

    return read


def call_head(opens: tuple[str, ...], stop: str, pattern: str) -> Callable[[Scan], Steps[Call | None]]:
    read = head(opens, stop, pattern)

    def named(scan: Scan) -> Steps[Call | None]:
        found = yield from read(scan)
        return None if found is None else Call(found["name"], found.groupdict().get("id") or "")

    return named


def parameter_head(opens: tuple[str, ...], stop: str, pattern: str) -> Callable[[Scan], Steps[Parameter | None]]:
    read = head(opens, stop, pattern)

    def keyed(scan: Scan) -> Steps[Parameter | None]:
        found = yield from read(scan)
        if found is None:
            return None
        stated = found.groupdict().get("kind")
        kind: Kind = "unknown" if stated is None else "string" if stated in ("true", "string") else "other"
        return Parameter(found["key"], kind)

    return keyed


def call(scan: Scan, style: Style) -> Steps[None]:
    """Reads one call, its head included."""
    found = yield from style.call(scan)
    if found is None:
        raise scan.missing("call")
    if not scan.allowed(found.name):
        raise Refuted(f"{found.name!r} is no tool")
    yield from body(scan, style, found)


def body(scan: Scan, style: Style, found: Call) -> Steps[None]:
    """Reads the parameters and the end of a call; or the one object that stands in their place."""
    stops = _stops(style)
    yield from scan.space()
    parameter = yield from style.parameter(scan)
    if parameter is None:
        if (yield from scan.either(stops.call)):
            scan.start(found.name, found.id)
            scan.args("{}")
            scan.finish()
            return
        yield from json_body.arguments(scan, found.name, found.id)
        yield from scan.space()
        if (yield from scan.either(stops.call)):
            scan.hide()
        return
    scan.start(found.name, found.id)
    yield from _parameters(scan, style, stops, parameter)


def _parameters(scan: Scan, style: Style, stops: Stops, first: Parameter) -> Steps[None]:
    parameter: Parameter | None = first
    before = "{"
    while parameter is not None:
        scan.args(f"{before}{quoted(parameter.key)}: ")
        before = ", "
        kind = parameter.kind if parameter.kind != "unknown" else scan.tools.kind(scan.name, parameter.key)
        yield from style.value(scan, style, parameter._replace(kind=kind))
        yield from scan.space()
        parameter = yield from style.parameter(scan)
    ended = yield from scan.either(stops.call)
    if not ended and not (yield from scan.peek(stops.outer)):
        raise scan.missing("the end of the call")
    scan.args("}")
    scan.finish()


def plain(scan: Scan, style: Style, parameter: Parameter) -> Steps[None]:
    """Reads one value and what closes it."""
    sink = _Sink(scan, parameter.kind, style.trim)
    stops = _stops(style, parameter.ends, parameter.behind)
    if style.cdata and (yield from scan.literal("<![CDATA[")):
        stops = _stops(style, tuple(f"]]>{end}" for end in parameter.ends or style.value_ends))
        parameter = parameter._replace(ends=tuple(stops.value.words))
    while True:
        place, word = stops.value.find(scan.buf, scan.pos, scan.end, scan.over)
        if place > scan.pos:
            piece = scan.buf[scan.pos : place]
            scan.pos = place
            sink.take(piece)
        if word:
            if (yield from _closes(scan, style, stops, word, parameter.ends or style.value_ends)):
                sink.close()
                return
            letter = scan.buf[scan.pos]
            scan.pos += 1
            sink.take(letter)
        elif scan.over:
            sink.cut()
            raise scan.missing("the end of a value")
        else:
            yield


def _closes(scan: Scan, style: Style, stops: Stops, word: str, closers: tuple[str, ...]) -> Steps[bool]:
    """Whether the literal here is the end of the value. Where it is, it has been read; where not, nothing has."""
    bare = word.removeprefix("\n") if style.trim else word
    # What ends the call, or begins the next parameter, ends a value that was not closed; it is still to be read.
    implied = bare not in closers
    if bare in style.reopens:
        scan.pos += len(word) - len(bare)
        return True
    scan.keep = scan.pos
    scan.pos += len(word)
    yield from scan.space(_LONGEST_SPACE)
    ahead = yield from scan.char()
    good = not ahead or bool((yield from scan.peek(stops.outer if implied else stops.behind)))
    scan.pos, scan.keep = scan.keep, -1
    if good:
        scan.pos += len(word) - (len(bare) if implied else 0)
    return good


class _Sink:
    """Where the raw text of one value becomes JSON."""

    __slots__ = ("_held", "_kind", "_looking", "_open", "_scan", "_start", "_trim")

    def __init__(self, scan: Scan, kind: Kind, trim: bool) -> None:
        self._scan = scan
        self._kind = kind
        self._trim = trim
        self._start = True
        self._open = False
        self._looking = kind in ("unknown", "nullable")
        self._held: list[str] = []

    def take(self, piece: str) -> None:
        if self._start:
            self._start = False
            if self._trim and piece[0] == "\n":
                piece = piece[1:]
        if self._open:
            self._scan.args(escaped(piece))
        elif self._kind == "string":
            self._string(piece)
        elif piece:
            self._held.append(piece)
            if self._looking:
                self._look()

    def _look(self) -> None:
        """Decides whether a value of unknown type can still be something else than a string."""
        so_far = "".join(self._held)
        first = so_far.lstrip()[:1]
        if self._kind == "nullable":
            if not "null".startswith(so_far.strip()):
                self._held = []
                self._string(so_far)
        elif first in ("{", "["):
            self._looking = False
        elif _LITERAL.fullmatch(so_far) is None or len(so_far) > _LONGEST_LITERAL:
            self._held = []
            self._string(so_far)

    def _string(self, piece: str) -> None:
        if piece:
            self._open = True
            self._scan.args('"' + escaped(piece))

    def close(self) -> None:
        if self._open:
            self._scan.args('"')
        elif self._kind == "string" or not self._held:
            self._scan.args('""')
        elif self._kind == "nullable":
            held = "".join(self._held)
            self._scan.args("null" if held.strip() == "null" else quoted(held))
        else:
            self._scan.args(converted("".join(self._held)))

    def cut(self) -> None:
        """The stream ended inside the value: what was held is shown as it came."""
        if self._held:
            self._scan.args("".join(self._held))
