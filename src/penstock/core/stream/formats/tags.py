"""Calls as tags with raw values: Qwen3-Coder, Seed-OSS, MiniMax M2, DeepSeek V3.2 and V4, Step-3, Anthropic's old."""

from __future__ import annotations

from typing import Final

from penstock.core.stream.bodies.pair import between, json_bodies, tagged
from penstock.core.stream.bodies.tag_body import Call, Style, call_head, parameter_head
from penstock.core.stream.formats.contract import Format, Read
from penstock.core.stream.scan import Scan, Steps

_NAME: Final = r"\s*[\"']?(?P<name>[^\"'<>=\s]+)[\"']?\s*"
_KEY: Final = r"\s*[\"']?(?P<key>[^\"'<>=\s]+)[\"']?\s*"


def qwen(closer: str) -> Style:
    return Style(
        call=call_head(("<function=",), ">", _NAME),
        parameter=parameter_head(("<parameter=",), ">", _KEY),
        opens=("<parameter=",),
        value_ends=("</parameter>",),
        call_ends=("</function>",),
        outer=(closer,),
        trim=True,
        reopens=("<parameter=",),
    )


def invoke(prefix: str, closers: tuple[str, ...], *, call: str = "invoke", parameter: str = "parameter") -> Style:
    """`<invoke name="f"><parameter name="k">value</parameter></invoke>`, with a prefix to the names of the tags."""
    head, key = f"<{prefix}{call} name=", f"<{prefix}{parameter} name="
    return Style(
        call=call_head((head,), ">", _NAME + r"(?:\s[^<>]*)?"),
        parameter=parameter_head((key,), ">", _KEY + r"(?:string=\"(?P<kind>true|false)\"|[^<>]*?)\s*"),
        opens=(key,),
        value_ends=(f"</{prefix}{parameter}>",),
        call_ends=(f"</{prefix}{call}>",),
        outer=closers,
        cdata=True,
    )


def bare(style: Style, head: str, closers: tuple[str, ...]) -> Read:
    """Calls that begin with their own tag, the one around them having been left out."""
    block = between({head: tagged(style)}, closers)

    def read(scan: Scan, opener: str) -> Steps[None]:
        del opener
        yield from block(scan, "")

    return read


_read_atem: Final = call_head(("<atem:invoke name=",), ">", _NAME)


def _namespaced(scan: Scan) -> Steps[Call | None]:
    """A name may stand behind its namespace, which most tools do not have in theirs."""
    found = yield from _read_atem(scan)
    return found and found._replace(name=_without_space(found.name, scan.tools.names))


def _without_space(name: str, declared: frozenset[str] | None) -> str:
    space, _, rest = name.rpartition(".")
    spaced = rest == space if declared is None else name not in declared
    return rest if spaced else name


ATEM: Final = invoke("atem:", ("</atem:function_calls>",))._replace(call=_namespaced)


def _invokes(name: str, opener: str, closer: str, prefix: str = "", lone: bool = False) -> tuple[Format, ...]:
    """Calls between an opener and a closer; with `lone`, also where the opener was left out."""
    style, head = invoke(prefix, (closer,)), f"<{prefix}invoke name="
    block = Format(name, (opener,), between({head: tagged(style), "{": json_bodies(closer)}, (closer,)))
    return (block, Format(name, (head,), bare(style, head, (closer,)))) if lone else (block,)


_STEP: Final = invoke("steptml:", ("<｜tool_call_end｜>",))
_MINICPM: Final = invoke("", (), call="function", parameter="param")

FORMATS: Final[tuple[Format, ...]] = (
    Format("qwen3_coder", ("<tool_call>",), between({"<function=": tagged(qwen("</tool_call>"))}, ("</tool_call>",))),
    Format(
        "seed_oss",
        ("<seed:tool_call>",),
        between({"<function=": tagged(qwen("</seed:tool_call>"))}, ("</seed:tool_call>",)),
    ),
    # Also Functionary 3.1, which has a JSON object in place of the parameters.
    Format("qwen3_coder", ("<function=",), bare(qwen("</tool_call>"), "<function=", ("</tool_call>",))),
    *_invokes("minimax_m2", "<minimax:tool_call>", "</minimax:tool_call>"),
    *_invokes("deepseek_v32", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>", "｜DSML｜"),
    *_invokes("deepseek_v4", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "｜DSML｜", lone=True),
    *_invokes("dots", "<dots_function_call>", "</dots_function_call>"),
    *_invokes("anthropic", "<function_calls>", "</function_calls>"),
    *_invokes("anthropic", "<function_calls>", "</function_calls>", "antml:"),
    Format(
        "step3",
        ("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>"),
        between(
            {
                "<｜tool_call_begin｜>function<｜tool_sep｜>": None,
                "<｜tool_call_begin｜>": None,
                "<steptml:invoke name=": tagged(_STEP),
            },
            ("<｜tool_calls_end｜>",),
            ("<｜tool_call_end｜>", "<｜tool_sep｜>"),
        ),
    ),
    Format("minicpm", ("<function name=",), bare(_MINICPM, "<function name=", ())),
)
