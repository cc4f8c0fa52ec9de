"""Tags named after tools, with their parameters as child tags."""

from __future__ import annotations

import pytest
from tests.core.stream.feeding import called, ended, fed, letters, shown

from penstock.core.stream import Text


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
