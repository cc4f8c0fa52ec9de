"""Calls in Python: `f(a=1, b="x")`, their values turned into JSON as they come.

The same machine reads what is Python in all but its quotes and bare keys, such as Gemma's braces: a `Tongue` says how.
Proof: a name, a bracket, and behind it a keyword with its value, or the closing bracket.
"""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.core.stream.values import escaped, quoted

_FUNCTION: Final = re.compile(r"[^\W\d][\w.\-]*")
_KEYWORD: Final = re.compile(r"[^\W\d]\w*")
_WORD: Final = re.compile(r"[^\s,:(){}\[\]\"'<=]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\n|[^xuU\n])")
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "\n": ""}
_LONGEST_ESCAPE: Final = 10
_WORDS: Final = {"true": "true", "false": "false", "null": "null", "none": "null"}
_BRACKETS: Final = {"(": "[", ")": "]", "[": "[", "]": "]", "{": "{", "}": "}", ",": ", ", ":": ": "}


class Tongue(NamedTuple):
    """How values are written, where it differs."""

    quotes: dict[str, str]  # what closes a string, by what opens it
    escapes: bool  # whether a backslash in a string means something
    opens: Markers
    ends: dict[str, Markers]


def tongue(quotes: dict[str, str], escapes: bool) -> Tongue:
    ends = {opener: Markers((closer, "\\") if escapes else (closer,)) for opener, closer in quotes.items()}
    return Tongue(quotes, escapes, Markers(quotes), ends)


PYTHON: Final = tongue({'"': '"', "'": "'", '"""': '"""', "'''": "'''"}, True)


def calls(scan: Scan) -> Steps[None]:
    """Reads a list of calls, behind its bracket."""
    while True:
        yield from scan.space()
        yield from call(scan)
        yield from scan.space()
        if not (yield from scan.literal(",")):
            break
    if (yield from scan.literal("]")):
        scan.hide()


def call(scan: Scan) -> Steps[None]:
    name = yield from scan.token(_FUNCTION)
    if not name or not scan.allowed(name):
        raise Refuted(f"{name!r} is no tool")
    yield from scan.expect("(")
    yield from scan.space()
    if (yield from scan.literal(")")):
        scan.start(name)
        scan.args("{}")
        scan.finish()
        return
    key = yield from _keyword(scan)
    if not (yield from scan.char()):
        scan.start_cut(name)
        raise scan.missing("a value")
    scan.start(name)
    before = "{"
    while key:
        scan.args(f"{before}{quoted(key)}: ")
        before = ", "
        yield from value(scan, PYTHON, ",)")
        key = ""
        if (yield from scan.literal(",")):
            yield from scan.space()
            if (yield from scan.char()) != ")":
                key = yield from _keyword(scan)
    yield from scan.expect(")")
    scan.args("}")
    scan.finish()


def _keyword(scan: Scan) -> Steps[str]:
    key = yield from scan.token(_KEYWORD)
    if not key:
        raise scan.missing("a keyword")
    yield from scan.space()
    yield from scan.expect("=")
    yield from scan.space()
    return key


def value(scan: Scan, how: Tongue, ends: str) -> Steps[None]:
    """Reads to one of the ends outside all brackets, which it leaves."""
    depth = 0
    while True:
        yield from scan.space()
        ahead = yield from scan.char()
        if not ahead:
            raise scan.missing("the end of a value")
        if depth == 0 and ahead in ends:
            return
        opener = yield from scan.either(how.opens)
        if opener:
            yield from string(scan, how, opener)
        elif ahead in _BRACKETS:
            scan.pos += 1
            depth += (ahead in "([{") - (ahead in ")]}")
            if depth < 0:
                raise Refuted("a bracket closes nothing")
            scan.args(_BRACKETS[ahead])
        else:
            word = yield from scan.token(_WORD)
            if not word:
                raise scan.missing("a value")
            scan.args(_translated(word))


def _translated(word: str) -> str:
    if _NUMBER.fullmatch(word):
        return word
    return _WORDS.get(word.lower()) or quoted(word)


def string(scan: Scan, how: Tongue, opener: str) -> Steps[None]:
    """Reads a string behind its opening quote."""
    ends = how.ends[opener]
    scan.args('"')
    while True:
        place, word = ends.find(scan.buf, scan.pos, scan.end, scan.over)
        if place > scan.pos:
            piece = scan.buf[scan.pos : place]
            scan.pos = place
            scan.args(escaped(piece))
        if word == "\\":
            yield from _escape(scan)
        elif word:
            scan.pos += len(word)
            scan.args('"')
            return
        elif scan.over:
            raise scan.missing("the end of a string")
        else:
            yield


def _escape(scan: Scan) -> Steps[None]:
    while True:
        found = _ESCAPE.match(scan.buf, scan.pos, scan.end)
        if found or scan.end - scan.pos >= _LONGEST_ESCAPE or scan.over:
            break
        yield
    text = found.group() if found else "\\"
    scan.pos += len(text)
    scan.args(_escaped(text))


def _escaped(text: str) -> str:
    kind = text[1:2]
    if kind == "u":
        return json.dumps(json.loads(f'"{text}"'), ensure_ascii=True)[1:-1]
    if kind in ("x", "U"):
        code = int(text[2:], 16)
        return escaped(chr(code) if code <= 0x10FFFF else text)
    if kind in _SHORT:
        return escaped(_SHORT[kind])
    return escaped(kind if kind in ("\\", "'", '"') else text)
