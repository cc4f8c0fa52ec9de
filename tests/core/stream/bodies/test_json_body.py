"""Calls as JSON objects: what counts as one, and what becomes of JSON that is not quite JSON."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text, ToolArgs


def tagged(inside: str) -> str:
    return f"<tool_call>{inside}</tool_call>"


@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ('{"name":"f","arguments":{"a":1}}', {"a": 1}),
        ('{"arguments":{"a":1},"name":"f"}', {"a": 1}),
        ('{"arguments":"{\\"a\\":1}","name":"f"}', {"a": 1}),
        ('{"arguments":null,"name":"f"}', {}),
        ('{"arguments":" ","name":"f"}', {}),
        ('{"name":"f","arguments":null}', {}),
        ('{"name":"f","arguments":""}', {}),
        ('{"name":"f","arguments":"  "}', {}),
        ('{"name":"f"}', {}),
        ('[{"name":"f"}]', {}),
        ('{"type":"function","function":{"name":"f","arguments":{"a":1}}}', {"a": 1}),
        ('{"function":{"arguments":{"a":1},"name":"f"},"x":[1,{"y":"}"}],"z":true}', {"a": 1}),
        ('{"name":"f","arguments":"  {\\"a\\": \\"\\u00e9\\ud83d\\ude42\\u0041\\\\n\\"}","n":-1.5e3}', {"a": "é🙂A\n"}),
        ('{"name":"f","arguments":"{\\"a\\":\n1}"}', {"a": 1}),
        # What JSON does not allow in a string becomes its escape.
        ('{"name":"f","arguments":{"a":"x\ny\tz\x01"}}', {"a": "x\ny\tz\x01"}),
        ('{"name":"f","arguments":{"a":"\\d+ it\\\'s \\u00zz"}}', {"a": "\\d+ it's \\u00zz"}),
        # A brace that was forgotten behind the arguments.
        ('{"name":"f","arguments":{"a":"}{]["}', {"a": "}{]["}),
        ('{"name":"f","arguments":{"a":"</tool_call>"}}', {"a": "</tool_call>"}),
    ],
)
def test_a_call_is_read_however_it_is_written(inside: str, arguments: object) -> None:
    text = tagged(inside)
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == [("f", arguments)]
    assert shown(events) == ""


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "{",
        "{}",
        "{x}",
        '{"name"}',
        '{"name" "f"}',
        '{"name":"f" x}',
        '{"name":}',
        '{"name":5,"arguments":{}}',
        '{"name":"a sentence","arguments":{}}',
        '{"name":"f","arguments":5}',
        '{"name":"f","arguments":[1]}',
        '{"name":"f","arguments":"text"}',
        '{"name":"f","arguments":{invalid json}}',
        '{"arguments":"text","name":"f"}',
        '{"arguments":{"a":1}}',
        '{"name":"f","arguments":no}',
        '{"arguments":[],"name":"f"}',
        '{"function":' * 20,
        '{"name":"f","x":' + "1" * 300 + "}",
        '[{"name":"f"}, 5]',
    ],
)
def test_what_is_no_call_is_text(inside: str) -> None:
    text = tagged(inside) + " and on"
    events = fed(text)
    assert fed(text, letters(text)) == events
    if inside != '[{"name":"f"}, 5]':
        assert events == [Text(text, 0, len(text))]
    else:
        assert shown(events) == ", 5]</tool_call> and on"


def test_a_name_alone_is_no_call_where_nothing_closes_it() -> None:
    text = '<|function_call|>{"name":"f"} and on'
    assert fed(text) == [Text(text, 0, len(text))]
    text = 'functools[{"name":"f"}] and on'
    assert called(fed(text)) == [("f", {})]


@pytest.mark.parametrize(
    "inside",
    [
        '{"name":"f"',
        '{"name":"f",',
        '{"name":"f","arguments"',
        '{"name":"f","arguments":',
        '{"name":"f","arguments":{',
        '{"name":"f","arguments":{"a":"\\',
        '{"name":"f","arguments":{"a":"\\u00',
        '{"name":"f","arguments":"{\\"a',
        '{"name":"f","arguments":"{\\',
        '{"arguments":{"a":1},"name":"f',
    ],
)
def test_a_call_that_the_end_of_the_stream_cuts_off_has_an_error_once_its_name_is_known(inside: str) -> None:
    text = "<tool_call>" + inside
    events = fed(text)
    assert fed(text, letters(text)) == events
    if inside.endswith('"name":"f'):
        assert shown(events) == text
    else:
        assert [(end.name, end.error) for end in ended(events)] == [("f", "the stream ended inside the call")]


def test_arguments_packed_in_a_string_come_as_they_are_written() -> None:
    text = tagged('{"name":"f","arguments":"{\\"a\\": 1}"}')
    cuts = [text.index("a\\"), text.index(" 1")]
    assert sum(isinstance(event, ToolArgs) for event in fed(text, cuts)) == 1
    assert called(fed(text, cuts)) == [("f", {"a": 1})]


def test_several_calls_stand_in_an_array_or_one_behind_another() -> None:
    one = '{"name":"f","arguments":{}}'
    assert len(called(fed(tagged(f"[{one}, {one}]")))) == 2
    assert len(called(fed(tagged(f"[{one}, {one}")))) == 2
    assert len(called(fed(tagged(f"{one}\n{one}, {one}")))) == 3
    assert len(called(fed(f"<tool_call>{one}\n{one} and on"))) == 2


def test_a_stray_backslash_around_packed_arguments_is_kept() -> None:
    text = tagged('{"name":"f","arguments":"{\\"a\\": 1, \\q}"}')
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert [(end.arguments, end.error) for end in ended(events)] == [('{"a": 1, \\q}', "the arguments are no JSON")]
