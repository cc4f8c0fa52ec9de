"""Messages in channels: gpt-oss harmony, Muse, Inkling. A header says whether text, reasoning or a call follows.

What ends a message is a marker only where a header was seen before; anywhere else it is text.
"""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import json_body
from penstock.core.stream.bodies.pair import between, json_between, tagged
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.formats.tags import ATEM
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.core.stream.values import escaped

_LONGEST_HEADER: Final = 256
# Possessive: the parts of a header could be told apart in many ways, and all of them would be tried.
_HEADER: Final = re.compile(
    r"(?:<\|start\|>assistant)?"
    r"(?:\s|to=[^\s<]++|<\|channel\|>\s*(?:analysis|commentary|final)|<\|constrain\|>\s*\w++|json|code)*"
)
_RECIPIENT: Final = re.compile(r"to=([^\s<]+)")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)")
HEADERS: Final = ("<|channel|>", "<|start|>assistant")
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>", "<|eom|>")
_ENDED: Final = Markers(_ENDS)
_SEEN: Final = "channels"
_MESSAGES: Final = "messages"
_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`]+")
_PEOPLE: Final = ("user", "assistant")

_ATEM: Final = between({"<atem:invoke name=": tagged(ATEM)}, ("</atem:function_calls>",))


def _header(scan: Scan, opener: str) -> Steps[None]:
    if opener.startswith("<|start|>") and _SEEN in scan.seen and not scan.fresh and not scan.thought:
        raise Refuted("the message before has not ended")
    text = yield from scan.upto("<|message|>", _LONGEST_HEADER)
    if _HEADER.fullmatch(text) is None:
        raise Refuted("this is no header")
    recipient, channel = _RECIPIENT.findall(text), _CHANNEL.findall(text)
    to, kind = recipient[-1] if recipient else "", channel[-1] if channel else ""
    if to == "self" or (kind == "analysis" and (not to or to in _PEOPLE)):
        scan.hide()
        scan.seen.add(_SEEN)
        scan.thought = frozenset(_ENDS)
    elif not to or to in _PEOPLE:
        scan.hide()
        scan.thought = frozenset()
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
        yield from _whole(scan)
        scan.finish()


def _whole(scan: Scan) -> Steps[None]:
    """What a tool takes whole, such as code: a string, up to the end of the message or of the stream."""
    scan.args('{"input": "')
    while True:
        place, word = _ENDED.find(scan.buf, scan.pos, scan.end, scan.over)
        piece = scan.buf[scan.pos : place]
        scan.pos = place
        scan.args(escaped(piece))
        if word or scan.over:
            scan.args('"}')
            return
        yield


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
    Format("harmony", HEADERS, _header),
    # The header is begun in the prompt.
    Format("harmony", (" to=",), _header, first=True),
    Format("harmony", _ENDS, _end),
)
