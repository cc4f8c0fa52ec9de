"""Pairs of keys and values, and the trees of MiniMax M3."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text

NS = "]<]minimax[>["


def m3(inside: str) -> str:
    return f'{NS}<tool_call>{NS}<invoke name="f">{inside}{NS}</invoke>{NS}</tool_call>'


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>", {"a": "x"}),
        ("<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>5</arg_value>\n</tool_call>", {"a": 5}),
        # A key without a value is passed over.
        ("<tool_call>f\n<arg_key>a</arg_key></tool_call>", {}),
        ("<tool_call>f\n<arg_key>a</arg_key><arg_key>b</arg_key><arg_value>1</arg_value></tool_call>", {"b": 1}),
        ("<tool_call>f</tool_call>", {}),
        ("so\n<tool_call>f</tool_call>\n", {}),
        ("<tool_calls><tool_call>f<tool_sep></tool_call></tool_calls>", {}),
        ("<tool_call>f<tool_sep:open></tool_call>", {}),
        (m3(f"{NS}<a>x{NS}</a>"), {"a": "x"}),
        (m3(f"{NS}<a>{NS}</a>"), {"a": ""}),
        (m3(f"{NS}<a>{NS}<b>1{NS}</b>\n{NS}<c>x{NS}</c>{NS}</a>"), {"a": {"b": 1, "c": "x"}}),
        (m3(f"{NS}<a>{NS}<item>1{NS}</item>{NS}<item>2{NS}</item>{NS}</a>"), {"a": [1, 2]}),
        (m3(""), {}),
        (
            '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a&amp;b"<|sep|>1'
            "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
            {"a&b": 1},
        ),
    ],
)
def test_a_call_is_read_from_its_pairs(text: str, arguments: object) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == [("f", arguments)]
    assert shown(events).strip() in ("", "so")


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>name</tool_call> is how",
        "so <tool_call>name</tool_call>",
        "<tool_call> and on",
        "<tool_call>!</tool_call>",
        "<tool_calls><tool_call>f</tool_calls> x",
        f"{NS}<tool_call> and on",
        "<|open|>tools<|sep|> and on",
    ],
)
def test_pairs_that_make_no_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_a_declared_name_alone_is_a_call_in_a_sentence_too() -> None:
    assert called(fed("so <tool_call>f</tool_call> on", tools=["f"])) == [("f", {})]


def test_a_string_of_the_schema_is_read_raw_though_tags_stand_in_it() -> None:
    tools = {"f": {"properties": {"a": {"type": "string"}}}}
    text = m3(f"{NS}<a>{NS}<b>1{NS}</b>{NS}</a>")
    assert called(fed(text, tools=tools)) == [("f", {"a": f"{NS}<b>1{NS}</b>"})]


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        (f"{NS}<a>" * 50, "the values are nested too deep"),
        (f"{NS}<a>{NS}<b>1{NS}</b> x", "the stream ended inside the call"),
        (f"{NS}<a>{NS}<b>1{NS}</b>{NS}</c>", f"{f'{NS}</a>'!r} is missing"),
    ],
)
def test_a_tree_that_breaks_off_ends_the_call_with_an_error(inside: str, error: str) -> None:
    text = f'{NS}<tool_call>{NS}<invoke name="f">{inside}'
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert [end.error for end in ended(events)] == [error]
