"""Calls in Python, their values turned into JSON."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, ended, fed, letters, shown
from penstock.core.stream import Text


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("1", 1),
        ("-1.5e3", -1500.0),
        ("True", True),
        ("false", False),
        ("None", None),
        ("'it''s'", None),
        ("'x'", "x"),
        ('"x, y) ]"', "x, y) ]"),
        ("'''a'b\nc'''", "a'b\nc"),
        ('"""a"b"""', 'a"b'),
        (r"'a\n\t\\\'\"\x41\u00e9\U0001F642\d\0'", "a\n\t\\'\"Aé🙂\\d\0"),
        ("'a\\\nb'", "ab"),
        (r"'\x4'", "\\x4"),
        (r"'\UFFFFFFFF'", "\\UFFFFFFFF"),
        (r"'\ud83d'", "\ud83d"),
        ("[1, 'two', [3]]", [1, "two", [3]]),
        ("{'a': {'b': (1, 2)}}", {"a": {"b": [1, 2]}}),
        ("{}", {}),
        ("word", "word"),
        ("007", "007"),
    ],
)
def test_a_value_of_python_becomes_json(raw: str, read: object) -> None:
    text = f"[f(a={raw}, b=1)]"
    events = fed(text)
    assert fed(text, letters(text)) == events
    if read is None and raw != "None":
        # Two strings side by side are one in Python; here they are no JSON.
        assert ended(events)[0].error == "the arguments are no JSON"
    else:
        assert called(events) == [("f", {"a": read, "b": 1})]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("[f()]", [("f", {})]),
        ("[f( ), g.h(a = 1 , )]", [("f", {}), ("g.h", {"a": 1})]),
        ("[ f(a=1) ,g()] on", [("f", {"a": 1}), ("g", {})]),
        ("[f(a=1) on", [("f", {"a": 1})]),
    ],
)
def test_lists_of_calls_are_read(text: str, calls: object) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert called(events) == calls


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "[link](to)",
        "[link(s)](to)",
        "[f(1)]",
        "[f x]",
        "[f(a b)]",
        "so [f(a=1)]",
        "[ ]",
        "[",
        "[f",
        "[f(",
        "[f(a",
    ],
)
def test_brackets_that_hold_no_call_are_text(text: str) -> None:
    assert fed(text) == [Text(text, 0, len(text))]
    assert fed(text, letters(text)) == [Text(text, 0, len(text))]


def test_where_tools_are_declared_a_list_may_stand_in_a_line() -> None:
    assert called(fed("so [f(a=1)]", tools=["f"])) == [("f", {"a": 1})]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[f(a=", "the stream ended inside the call"),
        ("[f(a=1", "the stream ended inside the call"),
        ("[f(a='x", "the stream ended inside the call"),
        ("[f(a=[1", "the stream ended inside the call"),
        ("[f(a=1, b", "the stream ended inside the call"),
        ("[f(a=1, 2)]", "'a keyword' is missing"),
        ("[f(a=])]", "a bracket closes nothing"),
        ("[f(a=<)]", "'a value' is missing"),
    ],
)
def test_a_call_that_breaks_off_has_an_error(text: str, error: str) -> None:
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert [end.error for end in ended(events)] == [error]
    assert shown(events) in text
