"""Calls as JSON objects: `{"name": …, "arguments": {…}}`, alone or in an array, their keys in any order.

The arguments pass through as they stand; only what JSON does not allow inside a string (a raw newline, a stray
backslash) becomes its escape. Proof: a name, and arguments that begin as an object does; or an object that closes with
a name in it. Arguments written as a string that holds JSON are unpacked as they come.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Cut, Refuted, Scan, Steps

NAMES: Final = frozenset({"name", "tool_name", "tool", "toolName", "function_name"})
ARGUMENTS: Final = frozenset({"arguments", "parameters", "args", "input", "tool_input", "params"})
IDS: Final = frozenset({"id", "tool_call_id", "call_id", "toolCallId"})
NESTED: Final = frozenset({"function", "tool_call", "toolCall", "__tool_call_card__", "call"})

_BETWEEN: Final = re.compile(r'["{}\[\]<`]')
_INSIDE: Final = re.compile(r'["\\\x00-\x1f]')
_SCALAR: Final = re.compile(r"[-+.\w]*")
_LONGEST_ESCAPE: Final = 6
_ESCAPE: Final = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_CONTROL: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\b": "\\b"}
_DEEPEST: Final = 8
NONE: Final = Markers(())
_IN_ARRAY: Final = Markers((",", "]"))

Sink = Callable[[str], None]


class Found:
    """What is known of the call so far."""

    __slots__ = ("arguments", "id", "name", "started")

    def __init__(self, given: str = "") -> None:
        self.name = ""
        self.id = given
        self.arguments = ""
        self.started = False


def call(scan: Scan, ends: Markers = NONE) -> Steps[None]:
    """Reads one call; `ends` are the markers that may close it."""
    found = Found()
    try:
        yield from members(scan, found)
    except Cut:
        # Known by name, and cut off by the end of the stream: a call that never ended.
        if not found.started:
            scan.start_cut(found.name, found.id)
        raise
    if not found.started:
        yield from _closed(scan, ends)
        _whole(scan, found)
    scan.hide()


def _closed(scan: Scan, ends: Markers) -> Steps[None]:
    """A name alone is a call only where a marker closes it, which is still to be read."""
    scan.keep = scan.pos
    yield from scan.space()
    closed = yield from scan.peek(ends)
    scan.pos, scan.keep = scan.keep, -1
    if not closed:
        raise Refuted("a name alone is no call")


def calls(scan: Scan, ends: Markers = NONE) -> Steps[None]:
    """Reads an array of calls, behind its bracket. What closes it may be missing."""
    ends = _IN_ARRAY if ends.words else NONE
    while True:
        yield from scan.space()
        yield from call(scan, ends)
        yield from scan.space()
        if not (yield from scan.literal(",")):
            break
    if (yield from scan.literal("]")):
        scan.hide()


def arguments(scan: Scan, name: str, given: str = "") -> Steps[None]:
    """Reads an object that is the arguments of a call whose name is known."""
    yield from _object_ahead(scan, name, given)
    yield from value(scan, scan.args)
    scan.finish()


def members(scan: Scan, found: Found, depth: int = 0) -> Steps[None]:
    yield from scan.expect("{")
    while True:
        yield from scan.space()
        if (yield from scan.literal("}")):
            return
        key = yield from text(scan)
        yield from scan.space()
        yield from scan.expect(":")
        yield from scan.space()
        yield from _member(scan, found, key, depth)
        yield from scan.space()
        if not (yield from scan.literal(",")):
            break
    if (yield from scan.literal("}")):
        return
    # A brace that the model forgot: where the call is known, nothing hangs on it.
    if not found.started:
        raise scan.missing("}")


def _member(scan: Scan, found: Found, key: str, depth: int) -> Steps[None]:
    ahead = yield from scan.char()
    if key in ARGUMENTS and not found.started and not found.arguments:
        yield from _arguments(scan, found, ahead)
    elif key in NAMES and ahead == '"' and not found.name:
        found.name = yield from text(scan)
        if not scan.allowed(found.name):
            raise Refuted(f"{found.name!r} is no tool")
        if found.arguments:
            _whole(scan, found)
    elif key in IDS and ahead == '"':
        found.id = yield from text(scan)
    elif key in NESTED and ahead == "{" and depth < _DEEPEST:
        yield from members(scan, found, depth + 1)
    else:
        yield from value(scan, _drop)


def _arguments(scan: Scan, found: Found, ahead: str) -> Steps[None]:
    if found.name and ahead == "{":
        yield from _object_ahead(scan, found.name, found.id)
        found.started = True
        yield from value(scan, scan.args)
        scan.finish()
    elif found.name and ahead == '"':
        yield from _packed(scan, found)
    elif ahead in ("{", '"', "n"):
        parts: list[str] = []
        yield from value(scan, parts.append)
        found.arguments = _unpacked("".join(parts))
        if found.name:
            _whole(scan, found)
    else:
        raise scan.missing("{")


def _object_ahead(scan: Scan, name: str, given: str) -> Steps[None]:
    """Starts the call if what stands here begins as an object does; reads nothing."""
    if not scan.allowed(name):
        raise Refuted(f"{name!r} is no tool")
    scan.keep = scan.pos
    ahead = yield from scan.char()
    whole = ahead == "{"
    if whole:
        scan.pos += 1
        yield from scan.space()
        ahead = yield from scan.char()
        whole = ahead in ('"', "}")
    # What the stream cut off behind the name is a call that never ended.
    whole = whole or (not ahead and scan.closed and scan.end == len(scan.buf))
    scan.pos, scan.keep = scan.keep, -1
    if not whole:
        raise Refuted("the arguments are no object")
    scan.start(name, given)


def _packed(scan: Scan, found: Found) -> Steps[None]:
    """Arguments as a string that holds an object: unpacked piece by piece."""
    scan.pos += 1
    while (piece := (yield from _piece(scan))).isspace():
        pass
    if piece == "":
        found.arguments = "{}"
        _whole(scan, found)
        return
    piece = piece.lstrip()
    if not piece.startswith("{"):
        raise Refuted("the arguments are no object")
    scan.start(found.name, found.id)
    found.started = True
    while piece:
        scan.args(piece)
        piece = yield from _piece(scan)
    scan.finish()


def _piece(scan: Scan) -> Steps[str]:
    """The next piece of a string's content; "" behind its closing quote."""
    while True:
        found = _INSIDE.search(scan.buf, scan.pos, scan.end)
        stop = found.start() if found else scan.end
        if stop > scan.pos:
            piece = scan.buf[scan.pos : stop]
            scan.pos = stop
            return piece
        if found:
            special = _special(scan, found.group())
            if special is not None:
                return special
        if scan.over:
            raise scan.missing('"')
        yield


def _special(scan: Scan, letter: str) -> str | None:
    """Reads what is no plain character of a string: "" for the quote that ends it, None where more is needed."""
    if letter != "\\":
        scan.pos += 1
        return "" if letter == '"' else letter
    escape = _ESCAPE.match(scan.buf, scan.pos, scan.end)
    if escape is None and scan.end - scan.pos < _LONGEST_ESCAPE and not scan.over:
        return None
    text = escape.group() if escape else letter
    scan.pos += len(text)
    return _plain(text) if escape else text


def _plain(escape: str) -> str:
    """What an escape stands for. Beyond ASCII it stays one, so that no pair of surrogates comes apart."""
    if escape[1] == "u" and int(escape[2:], 16) > 127:
        return escape
    return str(json.loads(f'"{escape}"'))


def _whole(scan: Scan, found: Found) -> None:
    """The call at once, its arguments having come before its name, or not at all."""
    if not found.name:
        raise Refuted("the call has no name")
    scan.start(found.name, found.id)
    found.started = True
    scan.args(found.arguments or "{}")
    scan.finish()


def _unpacked(raw: str) -> str:
    """Held arguments as an object: themselves, what a string of them holds, or none."""
    if raw.startswith("{"):
        return raw
    held = str(json.loads(raw)) if raw.startswith('"') else raw
    if raw == "null" or not held.strip():
        return "{}"
    if not held.lstrip().startswith("{"):
        raise Refuted("the arguments are no object")
    return held


def _drop(piece: str) -> None:
    del piece


def text(scan: Scan) -> Steps[str]:
    """Reads a string that is not long, such as a key or a name."""
    if (yield from scan.char()) != '"':
        raise scan.missing('"')
    parts: list[str] = []
    yield from value(scan, parts.append)
    return str(json.loads("".join(parts)))


def value(scan: Scan, emit: Sink) -> Steps[None]:
    """Reads one JSON value and passes it on as it comes."""
    if (yield from scan.char()) not in ('"', "{", "["):
        yield from _scalar(scan, emit)
        return
    lexer = _Lexer()
    while not lexer.step(scan, emit):
        # What was passed on may have been settled, and more may be read for that.
        if scan.over and scan.pos == scan.end:
            raise scan.missing("}")
        yield


class _Lexer:
    """Knows only how deep it is and whether inside a string: enough to see where a value ends."""

    __slots__ = ("depth", "inside")

    def __init__(self) -> None:
        self.depth = 0
        self.inside = False

    def step(self, scan: Scan, emit: Sink) -> bool:
        """Reads and passes on what is there; whether the value has ended."""
        buf, end = scan.buf, scan.end
        begin = place = scan.pos
        done = False
        while place < end and not done:
            found = (_INSIDE if self.inside else _BETWEEN).search(buf, place, end)
            if found is None:
                place = end
                break
            place = found.start()
            letter = buf[place]
            if not self.inside:
                if letter in "<`":
                    _flush(scan, emit, begin, place)
                    raise Refuted("the arguments were not closed")
                place += 1
                done = self._turn(letter)
            elif letter == '"':
                place += 1
                self.inside = False
                done = self.depth == 0
            elif letter == "\\" and (escape := _ESCAPE.match(buf, place, end)):
                place = escape.end()
            elif letter == "\\" and end - place < _LONGEST_ESCAPE and not scan.over:
                break
            else:
                scan.pos = place + 1
                emit(buf[begin:place] + _mended(letter, buf[place + 1 : place + 2]))
                begin = place = scan.pos
        _flush(scan, emit, begin, place)
        return done

    def _turn(self, letter: str) -> bool:
        if letter == '"':
            self.inside = True
            return False
        self.depth += 1 if letter in "{[" else -1
        return self.depth == 0


def _flush(scan: Scan, emit: Sink, begin: int, place: int) -> None:
    if place > begin:
        scan.pos = place
        emit(scan.buf[begin:place])


def _mended(letter: str, following: str) -> str:
    """What JSON does not allow inside a string, as it does. A backslash before an apostrophe means nothing."""
    if letter == "\\":
        return "" if following == "'" else "\\\\"
    return _CONTROL.get(letter, f"\\u{ord(letter):04x}")


def _scalar(scan: Scan, emit: Sink) -> Steps[None]:
    piece = yield from scan.token(_SCALAR)
    if not piece:
        raise scan.missing("value")
    emit(piece)
