"""Calls as pairs of keys and values: GLM, Hunyuan V3, Kimi K3; and MiniMax M3, whose values are trees of tags."""

from __future__ import annotations

import html
import re
from typing import Final

from penstock.core.stream.bodies.pair import between, tagged
from penstock.core.stream.bodies.tag_body import Call, Parameter, Style, body, call_head, head, plain
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.core.stream.values import quoted

_BARE_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`,;:!?]+")
_TAG: Final = re.compile(r"[^\s<>/\"'`]+")
_LONGEST_KEY: Final = 256
_DEEPEST: Final = 32


def _named(scan: Scan) -> Steps[Call | None]:
    name = yield from scan.token(_BARE_NAME)
    return Call(name, "") if name else None


def _separated(scan: Scan) -> Steps[Call | None]:
    """A name with the separator of Hunyuan behind it, which may carry a suffix."""
    name = yield from scan.token(_BARE_NAME)
    if not name or not (yield from scan.literal("<tool_sep")):
        raise scan.missing("<tool_sep>")
    yield from scan.upto(">", 32)
    return Call(name, "")


def _pair(scan: Scan) -> Steps[Parameter | None]:
    """A key, up to where its value begins. A key without a value is passed over."""
    while (yield from scan.literal("<arg_key>")):
        key = yield from scan.upto("</arg_key>", _LONGEST_KEY)
        yield from scan.space()
        if (yield from scan.literal("<arg_value>")):
            return Parameter(key.strip())
    return None


def _pairs(call_ends: tuple[str, ...], outer: tuple[str, ...] = (), *, separated: bool = False) -> Style:
    return Style(
        call=_separated if separated else _named,
        parameter=_pair,
        opens=("<arg_key>",),
        value_ends=("</arg_value>",),
        call_ends=call_ends,
        outer=outer,
    )


_GLM: Final = _pairs(("</tool_call>",))
_HUNYUAN: Final = _pairs(("</tool_call>",), ("</tool_calls>",), separated=True)


def _glm(scan: Scan, opener: str) -> Steps[None]:
    begins = scan.begins()
    scan.pos += len(opener)
    yield from scan.space()
    found = yield from _named(scan)
    if found is None or not scan.allowed(found.name):
        raise scan.missing("a name")
    scan.keep = scan.pos
    yield from scan.space()
    if (yield from scan.literal("</tool_call>")):
        # A name between two tags might be a sentence about them, unless it is declared or stands on its own.
        ahead = yield from scan.char()
        if scan.tools.names is None and not (begins and ahead in ("", "\n", "<")):
            raise Refuted("a name alone is no call")
    scan.pos, scan.keep = scan.keep, -1
    yield from body(scan, _GLM, found)
    scan.hide()


def _hunyuan(scan: Scan) -> Steps[None]:
    yield from scan.expect("<tool_call>")
    yield from scan.space()
    yield from tagged(_HUNYUAN)(scan)
    scan.hide()


_HUNYUANS: Final = between({"<tool_call>": _hunyuan}, ("</tool_calls>",))


def _hunyuan_alone(scan: Scan, opener: str) -> Steps[None]:
    del opener
    yield from _HUNYUANS(scan, "")


_read_k3: Final = head(("<|open|>call ",), "<|sep|>", r"\s*tool=\"(?P<name>[^\"]+)\"[^<>]*")
_read_key: Final = head(
    ("<|open|>argument ",), "<|sep|>", r"\s*key=\"(?P<key>[^\"]*)\"(?:\s+type=\"(?P<kind>\w+)\")?[^<>]*"
)


def _k3_call(scan: Scan) -> Steps[Call | None]:
    found = yield from _read_k3(scan)
    return None if found is None else Call(html.unescape(found["name"]), "")


def _k3_parameter(scan: Scan) -> Steps[Parameter | None]:
    found = yield from _read_key(scan)
    if found is None:
        return None
    stated = found["kind"]
    return Parameter(
        html.unescape(found["key"]), "unknown" if not stated else "string" if stated == "string" else "other"
    )


_K3: Final = Style(
    call=_k3_call,
    parameter=_k3_parameter,
    opens=("<|open|>argument ",),
    value_ends=("<|close|>argument<|sep|>",),
    call_ends=("<|close|>call<|sep|>",),
    outer=("<|close|>tools<|sep|>",),
)

_NS: Final = "]<]minimax[>["


_TAGGED: Final = Markers((f"{_NS}<",))


def _m3_parameter(scan: Scan) -> Steps[Parameter | None]:
    """`<key>` behind the token that stands before every tag."""
    if not (yield from scan.literal(f"{_NS}<")):
        return None
    if (yield from scan.char()) == "/":
        scan.pos -= len(_NS) + 1
        return None
    key = yield from scan.token(_TAG)
    yield from scan.expect(">")
    return Parameter(key, "unknown", (f"{_NS}</{key}>",))


def _m3_value(scan: Scan, style: Style, parameter: Parameter, depth: int = 0) -> Steps[None]:
    if parameter.kind == "string" or not (yield from scan.peek(_TAGGED)):
        yield from plain(scan, style, parameter)
        return
    child = yield from _m3_parameter(scan)
    if child is None:
        # Closed at once: nothing in it.
        yield from plain(scan, style, parameter)
        return
    if depth > _DEEPEST:
        raise Refuted("the values are nested too deep")
    items = child.key == "item"
    before = "[" if items else "{"
    while child is not None:
        scan.args(before if items else f"{before}{quoted(child.key)}: ")
        before = ", "
        yield from _m3_value(scan, style, child, depth + 1)
        yield from scan.space()
        child = yield from _m3_parameter(scan)
    scan.args("]" if items else "}")
    yield from scan.expect(parameter.ends[0])


_M3: Final = Style(
    call=call_head((f"{_NS}<invoke name=",), ">", r"\s*[\"']?(?P<name>[^\"'<>=\s]+)[\"']?\s*"),
    parameter=_m3_parameter,
    opens=(f"{_NS}<",),
    value_ends=(),
    call_ends=(f"{_NS}</invoke>",),
    outer=(f"{_NS}</",),
    value=_m3_value,
)

FORMATS: Final[tuple[Format, ...]] = (
    Format("hunyuan_v3", ("<tool_calls>",), _HUNYUANS),
    Format("hunyuan_v3", ("<tool_call>",), _hunyuan_alone),
    Format("glm", ("<tool_call>",), _glm),
    Format("kimi_k3", ("<|open|>tools<|sep|>",), between({"<|open|>call ": tagged(_K3)}, ("<|close|>tools<|sep|>",))),
    Format(
        "minimax_m3",
        (f"{_NS}<tool_call>",),
        between({f"{_NS}<invoke name=": tagged(_M3)}, (f"{_NS}</tool_call>",)),
    ),
)
