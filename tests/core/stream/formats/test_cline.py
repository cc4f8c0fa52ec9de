"""Tags named after tools, with their parameters as child tags."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text, ToolStart


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (
            '<use_mcp_tool><server_name>s</server_name><tool_name>f</tool_name><arguments>{"a":1}</arguments></use_mcp_tool>',
            [("f", {"a": 1})],
        ),
        ("<use_mcp_tool><tool_name>f</tool_name><arguments></arguments></use_mcp_tool>", [("f", {})]),
        ("<use_mcp_tool>\n<tool_name>f</tool_name>\n</use_mcp_tool>", [("f", {})]),
        ("<tool_use><name>f</name><arguments>{}</arguments></tool_use>", [("f", {})]),
        ("<read_file>\n<path>a.py</path>\n</read_file>", [("read_file", {"path": "a.py"})]),
        (
            "<write_to_file>\n<path>a</path>\n<content>\n<a>\n</content>\n<b>\n</content>\n<line_count>2</line_count>\n"
            "</write_to_file>",
            [("write_to_file", {"path": "a", "content": "<a>\n</content>\n<b>", "line_count": 2})],
        ),
    ],
)
def test_a_call_is_read_from_its_child_tags(text: str, calls: object) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == calls
    assert shown(events) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<use_mcp_tool> and on",
        "<use_mcp_tool><tool_name>f</tool_name> and on",
        "<use_mcp_tool></use_mcp_tool",
        "<read_file> and on",
        "<read_file><> and on",
        "so\nx ```tool\nTOOL_NAME: f\n```",
        "```tool\nTOOL: f\n```",
    ],
)
def test_tags_that_make_no_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_an_empty_block_calls_nothing_and_is_hidden() -> None:
    assert shown(fed("a<use_mcp_tool></use_mcp_tool>b")) == "ab"


def test_a_name_that_is_not_declared_is_text() -> None:
    text = "<read_file><path>a</path></read_file>"
    assert fed(text, tools=["other"]) == [Text(text, 0, len(text))]


def test_a_block_cut_off_in_its_arguments_has_an_error() -> None:
    (end,) = ended(fed('<use_mcp_tool><tool_name>f</tool_name><arguments>{"a"'))
    assert end.error == "the stream ended inside the call"


def test_a_declared_tool_is_a_tag_where_its_parameters_are_its_children() -> None:
    tools = {"table": {"properties": {"rows": {"type": "integer"}}}, "bare": {}}
    text = "So <table>\n<rows>3</rows>\n</table> and <table><tr>x</tr></table> and <bare><a>1</a></bare>."
    events = fed(text, tools=tools)
    assert fed(text, letters(text), tools=tools) == events
    assert called(events) == [("table", {"rows": 3})]
    assert shown(events) == "So  and <table><tr>x</tr></table> and <bare><a>1</a></bare>."
    assert called(fed("<table></table>", tools=tools)) == [("table", {})]
    assert called(fed("<table><rows>3</rows></table>", formats=["hermes"], tools=tools)) == []


def test_server_whose_tool_it_is_is_told_with_its_name() -> None:
    first = "<server_name> maps </server_name><tool_name>route</tool_name><arguments>{}</arguments>"
    then = "<tool_name>f</tool_name>"
    text = "".join(f"<use_mcp_tool>{inner}</use_mcp_tool>" for inner in (first, then))
    starts = [event for event in fed(text) if isinstance(event, ToolStart)]
    assert [(start.name, start.server) for start in starts] == [("route", "maps"), ("f", "")]
