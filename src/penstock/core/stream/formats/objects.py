"""Calls as objects with no marker around them, known by their keys alone; and calls in Python.

`{"type": "tool_call", …}` and `{"__tool_call_card__": …}` say themselves what they are. Any other JSON that looks like
a call looks like an answer too, so "bare_json" and "react" are not among all formats.
"""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import json_body, python_body
from penstock.core.stream.bodies.pair import between, json_bodies
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.core.stream.values import quoted

_CARD: Final = "__tool_call_card__"
_TYPED: Final = "tool_call"
_BEFORE_TYPE: Final = json_body.NAMES | json_body.IDS | json_body.ARGUMENTS | {"index", "function", "tool_call"}
_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`:]+")


def _marked(scan: Scan, opener: str) -> Steps[None]:
    """Looks for the key that tells, then reads the object from its brace."""
    scan.keep = scan.pos
    scan.pos += len(opener)
    card = yield from _told(scan)
    scan.pos, scan.keep = scan.keep, -1
    if card:
        yield from _card(scan)
    else:
        yield from json_body.call(scan)


def _told(scan: Scan) -> Steps[bool]:
    """Whether this is a card, or else an object of the right type; refutes at the first key that is neither's."""
    while True:
        yield from scan.space()
        key = yield from json_body.text(scan)
        yield from scan.space()
        yield from scan.expect(":")
        yield from scan.space()
        if key == _CARD:
            return True
        if key == "type":
            if (yield from json_body.text(scan)) != _TYPED:
                raise Refuted("it is of another type")
            return False
        if key not in _BEFORE_TYPE:
            raise Refuted(f"{key!r} is no key of a call")
        yield from json_body.value(scan, _drop)
        yield from scan.space()
        yield from scan.expect(",")


def _card(scan: Scan) -> Steps[None]:
    """A marker of an interface, which nobody reads: hidden as it comes."""

    def hide(piece: str) -> None:
        del piece
        scan.hide()

    yield from json_body.value(scan, hide)


def _drop(piece: str) -> None:
    del piece


def _listed(scan: Scan, opener: str) -> Steps[None]:
    """`[f(a=1), g()]`: where tools are declared, anywhere; else where a line begins."""
    if scan.tools.names is None and not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    yield from python_body.calls(scan)


_LOOSE: Final = between({"{": json_bodies(), "[": json_bodies()}, ("```",))


def _bare(scan: Scan, opener: str) -> Steps[None]:
    if not scan.begins():
        raise Refuted("no line begins here")
    yield from _LOOSE(scan, opener if opener.startswith("`") else "")


def _react(scan: Scan, opener: str) -> Steps[None]:
    """`Action: NAME`, and below it `Action Input:` with an object, or with a line of text."""
    if not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    yield from scan.space()
    name = yield from scan.token(_NAME)
    yield from scan.space()
    yield from scan.expect("Action Input:")
    yield from scan.space()
    if (yield from scan.char()) in ("{", ""):
        yield from json_body.arguments(scan, name)
        return
    line = yield from _line(scan)
    scan.start(name)
    scan.args(f'{{"input": {quoted(line)}}}')
    scan.finish()


def _line(scan: Scan) -> Steps[str]:
    while True:
        place = scan.buf.find("\n", scan.pos, scan.end)
        if place >= 0 or scan.over:
            stop = place if place >= 0 else scan.end
            text = scan.buf[scan.pos : stop]
            scan.pos = stop
            return text
        yield


def _code(scan: Scan, opener: str) -> Steps[None]:
    """Gemma's prompt style: calls in Python in a fence of their own."""
    if not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    while True:
        yield from scan.space()
        if (yield from scan.literal("```")):
            scan.hide()
            return
        wrapped = yield from scan.literal("print(")
        yield from python_body.call(scan)
        if wrapped and (yield from scan.literal(")")):
            scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    Format("marked_json", ("{",), _marked),
    Format("pythonic", ("[",), _listed),
    Format("bare_json", ("{", "[", "```json\n"), _bare, default=False),
    Format("react", ("Action:",), _react, default=False),
    Format("tool_code", ("```tool_code\n",), _code, default=False),
)
