"""Calls as a tag named after the tool, its parameters as child tags: Cline, Roo; and Cherry Studio's `<tool_use>`."""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import json_body
from penstock.core.stream.bodies.tag_body import Call, Parameter, Style, body
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps

_KEY: Final = re.compile(r"[A-Za-z_][\w-]*")
_LONGEST_NAME: Final = 256
TOOLS: Final = (
    "access_mcp_resource", "apply_diff", "ask_followup_question", "attempt_completion", "browser_action",
    "codebase_search", "execute_command", "fetch_instructions", "insert_content", "list_code_definition_names",
    "list_files", "load_mcp_documentation", "new_task", "plan_mode_respond", "read_file", "replace_in_file",
    "search_and_replace", "search_files", "switch_mode", "update_todo_list", "web_fetch", "write_to_file",
)  # fmt: skip
# What may follow a parameter whose value is a whole text, which may hold any tag.
_SIBLINGS: Final = ("<path>", "<diff>", "<command>", "<line_count>", "<start_line>", "<end_line>")
_WHOLE_TEXTS: Final = ("content", "diff", "result")


def _style(name: str) -> Style:
    def call(scan: Scan) -> Steps[Call | None]:
        yield from scan.expect(f"<{name}>")
        return Call(name, "")

    return Style(call, _parameter, ("<",), (), (f"</{name}>",), trim=True)


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


_CHILDREN: Final = Markers(("<server_name>", "<tool_name>", "<name>", "<arguments>", "<parameters>"))


def _child_json(scan: Scan, opener: str) -> Steps[None]:
    """`<tool_name>` and `<arguments>`, with an object in it, in a block of their own; a server's is passed over."""
    scan.pos += len(opener)
    closer = f"</{opener[1:]}"
    name = ""
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
            name = text.strip() if tag != "<server_name>" else name
    yield from scan.expect(closer)
    if name:
        scan.start(name)
        scan.args("{}")
        scan.finish()
    scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    Format("cline", ("<use_mcp_tool>",), _child_json),
    Format("cline", tuple(f"<{name}>" for name in TOOLS), _tool),
    Format("cherry_studio", ("<tool_use>",), _child_json),
)
