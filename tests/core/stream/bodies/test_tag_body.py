"""Calls as tags with raw values: types, newlines, look-alikes, and what was not closed."""

from __future__ import annotations

from typing import Any

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text, ToolArgs, ToolCallFilter

TOOLS = {
    "f": {
        "properties": {
            "s": {"type": "string"},
            "m": {"type": ["string", "null"]},
            "i": {"type": "integer"},
            "o": {"type": "object"},
        }
    }
}


def qwen(value: str, key: str = "k") -> str:
    return f"<tool_call>\n<function=f>\n<parameter={key}>\n{value}\n</parameter>\n</function>\n</tool_call>"


def value(text: str, **options: Any) -> Any:
    events = fed(text, **options)
    assert fed(text, letters(text), **options) == events
    assert shown(events) == ""
    ((name, arguments),) = called(events)
    assert name == "f"
    (one,) = arguments.values()
    return one


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("5", 5),
        (" -1.5 ", -1.5),
        ("true", True),
        ("False", False),
        ("None", None),
        ("none", "none"),
        ("nothing", "nothing"),
        ("trues", "trues"),
        ("5 apples", "5 apples"),
        ("2026-03-30", "2026-03-30"),
        ("1" * 70, "1" * 70),
        ("[1, 2]", [1, 2]),
        ("{'a': 1}", {"a": 1}),
        ("{not json", "{not json"),
        ('"quoted"', '"quoted"'),
        ("", ""),
        ("\n", "\n"),
        ("  ", "  "),
        ("line\n\nline\n", "line\n\nline\n"),
        ('say "hi" \\ </div>', 'say "hi" \\ </div>'),
        ("a</parameter>b", "a</parameter>b"),
        ("a\n</parameter>\nb", "a\n</parameter>\nb"),
        ("a</parameter>" + " " * 300 + "<parameter=", "a</parameter>" + " " * 300 + "<parameter="),
        ("a</function>b", "a</function>b"),
        ("\ud83d", "\ud83d"),
    ],
)
def test_a_value_without_a_schema_is_what_it_looks_like(raw: str, read: object) -> None:
    assert value(qwen(raw)) == read


@pytest.mark.parametrize(
    ("key", "raw", "read"),
    [
        ("s", "5", "5"),
        ("s", "null", "null"),
        ("s", "", ""),
        ("s", "\n", "\n"),
        ("m", "null", None),
        ("m", "nullable", "nullable"),
        ("m", "nul", "nul"),
        ("m", "5", "5"),
        ("i", "5", 5),
        ("i", "five", "five"),
        ("o", '{"a": 1}', {"a": 1}),
    ],
)
def test_the_schema_says_what_a_value_is(key: str, raw: str, read: object) -> None:
    assert value(qwen(raw, key), tools=TOOLS) == read


def test_a_long_string_comes_piece_by_piece() -> None:
    filter_ = ToolCallFilter()
    filter_.feed("<function=f><parameter=a>hello ")
    assert [event.delta for event in filter_.feed("wide ") if isinstance(event, ToolArgs)] == ["wide "]
    assert [event.delta for event in filter_.feed('"world') if isinstance(event, ToolArgs)] == ['\\"world']


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<function=f><parameter=a>1</parameter></function>", {"a": 1}),
        ("<function='f'>\n<parameter=\"a\">1</parameter>\n</function>", {"a": 1}),
        ("<function=f></function>", {}),
        ('<function=f>{"a": 1}</function>', {"a": 1}),
        ('<function=f>{"a": 1}', {"a": 1}),
        # A parameter that was not closed ends with the next, or with the call; a call with what stands around it.
        ("<function=f>\n<parameter=a>\nx\n<parameter=b>\ny\n</parameter>\n</function>", {"a": "x", "b": "y"}),
        ("<tool_call><function=f>\n<parameter=a>\nx\n</function>\n</tool_call>", {"a": "x"}),
        ("<tool_call><function=f>\n<parameter=a>\nx\n</parameter>\n</tool_call>", {"a": "x"}),
        ("<function=f><parameter=a>x</function>", {"a": "x"}),
    ],
)
def test_a_call_is_read_however_its_tags_are_written(text: str, arguments: object) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == [("f", arguments)]
    assert shown(events) == ""


@pytest.mark.parametrize(
    "text",
    [
        "<function=f> and on",
        "<function=> and on",
        "<function=two words></function> and on",
        "<function=f><parameter=> and on",
        "<function=" + "x" * 300,
        "<tool_call><function=f",
        "<tool_call><parameter=a>1</parameter></tool_call>",
    ],
)
def test_tags_that_make_no_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<function=f><parameter=a>x", '{"a": "x'),
        ("<function=f><parameter=a>12", '{"a": 12'),
        ("<function=f><parameter=a>x</parameter>", '{"a": "x"'),
        ("<function=f><parameter=a>", '{"a": '),
    ],
)
def test_a_call_that_was_not_closed_has_an_error(text: str, arguments: str) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert [(end.arguments, end.error) for end in ended(events)] == [(arguments, "the stream ended inside the call")]


def test_text_where_a_parameter_should_stand_breaks_the_call_off() -> None:
    (end,) = ended(fed("<function=f><parameter=a>x</parameter> <parameter=b>y</parameter></tool_call> no"))
    assert end.error == ""
    events = fed('<function name="f"><param name="a">x</param> <param name="b"')
    assert ended(events)[0].error == "the stream ended inside the call"


def test_a_value_may_be_wrapped_as_xml_wraps_it() -> None:
    head, foot = '<function name="f"><param name="a">', "</param></function>"
    assert value(f"{head}<![CDATA[a<b\n]]{foot}]]>{foot}") == f"a<b\n]]{foot}"


def test_a_value_may_say_itself_whether_it_is_a_string() -> None:
    def dsml(string: str, raw: str) -> str:
        return (
            '<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" '
            f'string="{string}">{raw}</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>'
        )

    assert value(dsml("true", "5")) == "5"
    assert value(dsml("false", "5")) == 5
    assert value(dsml("false", "five")) == "five"
