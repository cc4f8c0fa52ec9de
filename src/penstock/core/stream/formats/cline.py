"""Calls as a tag named after the tool, its parameters as child tags: Cline, Roo, Cherry Studio, older Anthropic."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from penstock.core.stream.bodies import json_body
from penstock.core.stream.bodies.pair import between, tagged
from penstock.core.stream.bodies.tag_body import Call, Parameter, Style, body, call, call_head, parameter_head
from penstock.core.stream.declared import Declared
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps

_KEY: Final = re.compile(r"[A-Za-z_][\w-]*")
_LONGEST_NAME: Final = 256
CLINE: Final = "cline"
TOOLS: Final = (
    "access_mcp_resource", "apply_diff", "ask_followup_question", "attempt_completion", "browser_action",
    "codebase_search", "execute_command", "fetch_instructions", "insert_content", "list_code_definition_names",
    "list_files", "load_mcp_documentation", "new_task", "plan_mode_respond", "read_file", "replace_in_file",
    "search_and_replace", "search_files", "switch_mode", "update_todo_list", "web_fetch", "write_to_file",
)  # fmt: skip
# What may follow a parameter whose value is a whole text, which may hold any tag.
_SIBLINGS: Final = ("<path>", "<diff>", "<command>", "<line_count>", "<start_line>", "<end_line>")
_WHOLE_TEXTS: Final = ("content", "diff", "result")


@lru_cache(maxsize=256)
def _style(name: str) -> Style:
    return Style(call_head((), "", ""), _parameter, ("<",), (), (f"</{name}>",), trim=True)


def _parameter(scan: Scan) -> Steps[Parameter | None]:
    if not (yield from scan.literal("<")):
        return None
    key = yield from scan.token(_KEY)
    if not key:
        scan.pos -= 1
        return None
    yield from scan.expect(">")
    return Parameter(key, "unknown", (f"</{key}>",), _SIBLINGS if key in _WHOLE_TEXTS else ())


def _tool(scan: Scan, opener: str) -> Steps[None]:
    name = opener[1:-1]
    if not scan.allowed(name):
        raise Refuted(f"{name!r} is no tool")
    scan.pos += len(opener)
    yield from body(scan, _style(name), Call(name, ""))
    scan.hide()


def _declared(scan: Scan, opener: str) -> Steps[None]:
    """Any declared tool as a tag: where its first child tag is one of its parameters, or there is none."""
    keys = scan.tools.parameters(opener[1:-1])
    children = Markers((*(f"<{key}>" for key in keys), f"</{opener[1:]}"))
    scan.keep = scan.pos
    scan.pos += len(opener)
    yield from scan.space()
    child = yield from scan.peek(children)
    scan.pos, scan.keep = scan.keep, -1
    if not child:
        raise Refuted("no parameter stands here")
    yield from _tool(scan, opener)


def declared_tags(tools: Declared) -> Format:
    """The format of the tools that were declared with their parameters."""
    names = sorted(name for name in tools.names or () if tools.parameters(name) and name not in TOOLS)
    return Format(CLINE, tuple(f"<{name}>" for name in names), _declared)


_CHILDREN: Final = Markers(("<server_name>", "<tool_name>", "<name>", "<arguments>", "<parameters>"))


def _child_json(scan: Scan, opener: str) -> Steps[None]:
    """`<tool_name>` and `<arguments>`, with an object in it, in a block of their own; perhaps a server's name."""
    scan.pos += len(opener)
    closer = f"</{opener[1:]}"
    name = scan.server = ""
    while True:
        yield from scan.space()
        tag = yield from scan.either(_CHILDREN)
        if not tag:
            break
        if tag in ("<arguments>", "<parameters>"):
            yield from scan.space()
            if not (yield from scan.literal(f"</{tag[1:]}")):
                yield from json_body.arguments(scan, name)
                name = ""
                yield from scan.space()
                yield from scan.literal(f"</{tag[1:]}")
        else:
            text = yield from scan.upto(f"</{tag[1:]}", _LONGEST_NAME)
            if tag == "<server_name>":
                scan.server = text.strip()
            else:
                name = text.strip()
    yield from scan.expect(closer)
    if name:
        scan.start(name)
        scan.args("{}")
        scan.finish()
    scan.hide()


_OLD_HEAD: Final = call_head(("<invoke>",), "<parameters>", r"\s*<tool_name>\s*(?P<name>[^<>]+?)\s*</tool_name>\s*")
_OLD_ENDS: Final = tuple(f"</parameters>{gap}</invoke>" for gap in ("", "\n"))
_OLD: Final = Style(_OLD_HEAD, _parameter, ("<",), (), _OLD_ENDS)

# Continue's tools in the system message: a fence with the name, and a block for each argument.
_BLOCKS: Final = Style(
    call_head(("TOOL_NAME:",), "\n", r"\s*(?P<name>\S+)\s*"),
    parameter_head(("BEGIN_ARG:",), "\n", r"\s*(?P<key>\S+)\s*"),
    ("BEGIN_ARG:",),
    ("\nEND_ARG",),
    ("```",),
)


def _fenced(scan: Scan, opener: str) -> Steps[None]:
    if not scan.begins():
        raise Refuted("no line begins here")
    scan.pos += len(opener)
    yield from call(scan, _BLOCKS)
    scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    Format("anthropic", ("<function_calls>",), between({"<invoke>": tagged(_OLD)}, ("</function_calls>",))),
    Format("continue", ("```tool\n",), _fenced),
    Format(CLINE, ("<use_mcp_tool>",), _child_json),
    Format(CLINE, tuple(f"<{name}>" for name in TOOLS), _tool),
    Format("cherry_studio", ("<tool_use>",), _child_json),
)
