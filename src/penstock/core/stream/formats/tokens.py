"""Calls behind special tokens that carry the name: DeepSeek V3 and V3.1, Kimi K2, Mistral, Functionary, Apertus."""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import json_body
from penstock.core.stream.bodies.pair import Body, between, json_bodies
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps

_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`]+")
_ID: Final = re.compile(r"[\w.:-]+")


def _deepseek(begin: str, sep: str, end: str) -> Body:
    """`function<sep>NAME` and a fence with JSON in it, or `NAME<sep>` and the JSON alone."""

    def read(scan: Scan) -> Steps[None]:
        yield from scan.literal(begin)
        yield from scan.space()
        name = yield from scan.token(_NAME)
        yield from scan.space()
        yield from scan.expect(sep)
        fenced = False
        if name == "function":
            yield from scan.space()
            scan.keep = scan.pos
            name = yield from scan.token(_NAME)
            yield from scan.space()
            # A tool may be called "function": then its arguments follow at once.
            if name:
                fenced = yield from scan.literal("```")
                if fenced:
                    yield from scan.literal("json")
            else:
                name = "function"
            scan.keep = -1
        yield from scan.space()
        yield from json_body.arguments(scan, name)
        yield from scan.space()
        if fenced and (yield from scan.literal("```")):
            yield from scan.space()
        if (yield from scan.literal(end)):
            scan.hide()

    return read


def _deepseek_format(outer: str, begin: str, sep: str, end: str, closer: str) -> Format:
    body = _deepseek(begin, sep, end)
    inner = between({begin: body, "function" + sep: body}, (closer,))

    def read(scan: Scan, opener: str) -> Steps[None]:
        yield from inner(scan, opener if opener == outer else "")

    return Format("deepseek_v3", (outer, begin), read)


def _kimi(scan: Scan) -> Steps[None]:
    """`functions.NAME:0`, which is the id as well."""
    yield from scan.expect("<|tool_call_begin|>")
    yield from scan.space()
    given = yield from scan.token(_NAME)
    yield from scan.space()
    yield from scan.expect("<|tool_call_argument_begin|>")
    yield from scan.space()
    name = given.removeprefix("functions.")
    head, colon, count = name.rpartition(":")
    if colon and count.isdecimal():
        name = head
    yield from json_body.arguments(scan, name, given)
    yield from scan.space()
    if (yield from scan.literal("<|tool_call_end|>")):
        scan.hide()


_KIMI: Final = between(
    {"<|tool_call_begin|>": _kimi}, ("<|tool_calls_section_end|>", "<|tool_call_section_end|>"), joints=()
)


def _kimi_alone(scan: Scan, opener: str) -> Steps[None]:
    del opener
    yield from _KIMI(scan, "")


_JSON: Final = json_bodies()
_MARKS: Final = Markers(("[CALL_ID]", "[ARGS]"))


def _mistral(scan: Scan, opener: str) -> Steps[None]:
    """An array of calls, or a name with its arguments behind it, and perhaps an id between."""
    scan.pos += len(opener)
    yield from scan.space()
    if (yield from scan.char()) in ("[", "{"):
        yield from _JSON(scan)
        return
    name = yield from scan.token(_NAME)
    given = ""
    mark = yield from scan.either(_MARKS)
    if mark == "[CALL_ID]":
        given = yield from scan.token(_ID)
        mark = yield from scan.either(_MARKS)
    yield from scan.space()
    if not mark and (not name or (yield from scan.char()) != "{"):
        raise scan.missing("[ARGS]")
    yield from json_body.arguments(scan, name, given)


def _functionary(scan: Scan, opener: str) -> Steps[None]:
    """`>>>NAME` on a line of its own, and the arguments below; `>>>all` stands before text."""
    if not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    name = yield from scan.token(_NAME)
    if not name or not (yield from scan.literal("\n")):
        raise scan.missing("a name")
    if name == "all":
        if not scan.fresh:
            raise Refuted("text goes on")
        scan.hide()
        return
    yield from json_body.arguments(scan, name)


def _apertus(scan: Scan) -> Steps[None]:
    """`[{"NAME": {…}}]`: the name is the key."""
    yield from scan.expect("[")
    while True:
        yield from scan.space()
        yield from scan.expect("{")
        yield from scan.space()
        name = yield from json_body.text(scan)
        yield from scan.space()
        yield from scan.expect(":")
        yield from scan.space()
        yield from json_body.arguments(scan, name)
        yield from scan.space()
        yield from scan.expect("}")
        scan.hide()
        yield from scan.space()
        if not (yield from scan.literal(",")):
            break
    if (yield from scan.literal("]")):
        scan.hide()


def _command(scan: Scan, opener: str) -> Steps[None]:
    """Command R+: a fenced array of calls behind `Action:`."""
    if not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    yield from scan.space()
    yield from scan.expect("[")
    yield from json_body.calls(scan)
    yield from scan.space()
    if (yield from scan.literal("```")):
        scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    _deepseek_format(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
    ),
    _deepseek_format(
        "<|tool_calls_begin|>", "<|tool_call_begin|>", "<|tool_sep|>", "<|tool_call_end|>", "<|tool_calls_end|>"
    ),
    Format(
        "kimi_k2",
        ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
        _KIMI,
    ),
    Format("kimi_k2", ("<|tool_call_begin|>",), _kimi_alone),
    Format("mistral", ("[TOOL_CALLS]",), _mistral),
    Format("functionary_v32", (">>>",), _functionary),
    Format("apertus", ("<|tools_prefix|>",), between({"[": _apertus}, ("<|tools_suffix|>",))),
    Format("command_r_plus", ("Action:\n```json\n", "Action: ```json\n"), _command),
)
