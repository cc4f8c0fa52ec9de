"""Messages in channels: gpt-oss harmony, Muse, Inkling. A header says whether text, reasoning or a call follows.

What ends a message is a marker only where a header was seen before; anywhere else it is text.
"""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import json_body
from penstock.core.stream.bodies.pair import between, json_between, tagged
from penstock.core.stream.bodies.tag_body import Call, Parameter, Style, plain
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.formats.tags import ATEM
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps

_LONGEST_HEADER: Final = 256
_HEADER: Final = re.compile(
    r"(?:<\|start\|>assistant)?(?:\s|to=[^\s<]+|<\|channel\|>\s*\w+|<\|constrain\|>\s*\w+|json|code)*"
)
_RECIPIENT: Final = re.compile(r"to=([^\s<]+)")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)")
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>", "<|eom|>")
_SEEN: Final = "channels"
_MESSAGES: Final = "messages"
_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`]+")
_PEOPLE: Final = ("user", "assistant")

_ATEM: Final = between({"<atem:invoke name=": tagged(ATEM)}, ("</atem:function_calls>",))


def _header(scan: Scan, opener: str) -> Steps[None]:
    if opener.startswith(" ") and scan.mark + scan.base > 0:
        raise Refuted("a header that begins like this begins the stream")
    if opener.startswith("<|start|>") and _SEEN in scan.seen and not scan.fresh:
        raise Refuted("the message before has not ended")
    text = yield from scan.upto("<|message|>", _LONGEST_HEADER)
    if _HEADER.fullmatch(text) is None:
        raise Refuted("this is no header")
    recipient, channel = _RECIPIENT.findall(text), _CHANNEL.findall(text)
    to, kind = recipient[-1] if recipient else "", channel[-1] if channel else ""
    if to == "self" or (kind == "analysis" and (not to or to in _PEOPLE)):
        scan.hide()
        scan.seen.add(_SEEN)
        scan.thought = frozenset((*_ENDS, "<|start|>", "<|channel|>"))
    elif not to or to in _PEOPLE:
        scan.hide()
        scan.seen.add(_SEEN)
    else:
        yield from _message(scan, to.removeprefix("functions."))
        scan.seen.add(_SEEN)


def _message(scan: Scan, name: str) -> Steps[None]:
    """A call: its arguments as an object, or as what a tool takes whole; or tags that name it again."""
    yield from scan.space()
    if (yield from scan.literal("<atem:function_calls>")):
        yield from _ATEM(scan, "")
        return
    if (yield from scan.char()) in ("{", ""):
        yield from json_body.arguments(scan, name)
    else:
        scan.start(name)
        scan.args('{"input": ')
        yield from plain(scan, _WHOLE, Parameter("input", "string"))
        scan.args("}")
        scan.finish()


def _none(scan: Scan) -> Steps[Call | None]:
    yield from ()
    raise scan.missing("a call")


def _no_parameter(scan: Scan) -> Steps[Parameter | None]:
    yield from ()
    raise scan.missing("a parameter")


_WHOLE: Final = Style(_none, _no_parameter, ("<|start|>",), _ENDS, ("",))


def _end(scan: Scan, opener: str) -> Steps[None]:
    yield from ()
    if _SEEN not in scan.seen:
        raise Refuted("no header was seen")
    scan.pos += len(opener)
    scan.hide()


_CONTENTS: Final = Markers(("<|content_text|>", "<|content_thinking|>", "<|content_invoke_tool_json|>"))
_INKLING_JSON: Final = json_between(("<|end_message|>",))


def _inkling(scan: Scan, opener: str) -> Steps[None]:
    """A message with the name of who speaks or of a tool, and what its content is."""
    mark = opener
    if opener == "<|content_text|>" and not scan.fresh and _MESSAGES not in scan.seen:
        raise Refuted("no message was begun")
    if opener == "<|message_model|>":
        scan.pos += len(opener)
        yield from scan.token(_NAME)
        mark = yield from scan.peek(_CONTENTS)
    if not mark:
        raise scan.missing("content")
    if mark == "<|content_invoke_tool_json|>":
        yield from _INKLING_JSON(scan, mark)
    else:
        scan.pos += len(mark)
        scan.hide()
        if mark == "<|content_thinking|>":
            scan.thought = frozenset(("<|end_message|>",))
    scan.seen.add(_MESSAGES)


def _message_end(scan: Scan, opener: str) -> Steps[None]:
    yield from ()
    if _MESSAGES not in scan.seen:
        raise Refuted("no message was begun")
    scan.pos += len(opener)
    scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    Format("inkling", ("<|message_model|>", "<|content_invoke_tool_json|>", "<|content_text|>"), _inkling),
    Format("inkling", ("<|end_message|>",), _message_end),
    Format("harmony", ("<|channel|>", " to="), _header),
    Format("harmony", ("<|start|>assistant",), _header),
    Format("harmony", _ENDS, _end),
)
