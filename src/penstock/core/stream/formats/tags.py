"""Calls as tags with raw values: Qwen3-Coder, Seed-OSS, MiniMax, DeepSeek V3.2 and V4, Step-3, Anthropic's old XML."""

from __future__ import annotations

from typing import Final

from penstock.core.stream.bodies.pair import between, tagged
from penstock.core.stream.bodies.tag_body import Style, call_head, parameter_head
from penstock.core.stream.formats.contract import Format, Read
from penstock.core.stream.scan import Scan, Steps

_NAME: Final = r"\s*[\"']?(?P<name>[^\"'<>=\s]+)[\"']?\s*"
_KEY: Final = r"\s*[\"']?(?P<key>[^\"'<>=\s]+)[\"']?\s*"
_ATTRIBUTES: Final = r"(?:\s[^<>]*?)?"

_QWEN: Final = Style(
    call=call_head(("<function=",), ">", _NAME),
    parameter=parameter_head(("<parameter=",), ">", _KEY),
    opens=("<parameter=",),
    value_ends=("</parameter>",),
    call_ends=("</function>",),
    outer=("</tool_call>", "</seed:tool_call>"),
    trim=True,
)


def _invoke(prefix: str, *, invoke: str = "invoke", parameter: str = "parameter", outer: tuple[str, ...]) -> Style:
    """`<invoke name="f"><parameter name="k">value</parameter></invoke>`, with a prefix to each tag's name."""
    call, key = f"<{prefix}{invoke} name=", f"<{prefix}{parameter} name="
    return Style(
        call=call_head((call,), ">", _NAME + _ATTRIBUTES),
        parameter=parameter_head((key,), ">", _KEY + r"(?:string=\"(?P<kind>true|false)\"|[^<>]*?)\s*"),
        opens=(key,),
        value_ends=(f"</{prefix}{parameter}>",),
        call_ends=(f"</{prefix}{invoke}>",),
        outer=outer,
    )


def _bare(style: Style, head: str, closer: str) -> Read:
    """Calls that begin with their own tag, the one around them having been left out."""
    block = between({head: tagged(style)}, (closer,))

    def read(scan: Scan, opener: str) -> Steps[None]:
        del opener
        yield from block(scan, "")

    return read


def _block(style: Style, head: str, closer: str) -> Read:
    return between({head: tagged(style)}, (closer,))


FORMATS: Final[tuple[Format, ...]] = (
    Format("qwen3_coder", ("<tool_call>",), _block(_QWEN, "<function=", "</tool_call>")),
    Format("seed_oss", ("<seed:tool_call>",), _block(_QWEN, "<function=", "</seed:tool_call>")),
    Format("qwen3_coder", ("<function=",), _bare(_QWEN, "<function=", "</tool_call>")),
)
