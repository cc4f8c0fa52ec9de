"""Streams that mean harm: the time stays linear, the memory bounded, and nothing is raised or lost."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from core.stream.feeding import fed, keeps_the_rules
from penstock.core.stream import Text, ToolCallFilter, ToolEnd

UNITS = [
    "<tool_call>",
    "<function=",
    "<function=f>\n<parameter=a>",
    '<tool_call>{"name":"',
    '<tool_call>{"name":"f","arguments":{"a":"',
    '<tool_call>{"arguments":{"a":"',
    '{"name":{"a":',
    "[f(a=",
    "{",
    "[",
    "<",
    "`",
    "```\n",
    "`a\n",
    "<think>",
    "</think>\n",
    "]<]minimax[>[<tool_call>",
    "<|channel|>",
    ">>>f\n",
    "\ud83d<",
    "\\",
    "\n ",
]
INSIDE = [
    ('<tool_call>{"name":"f","arguments":{"a":"', ["</tool_call>", "\\", "\ud83d", '\\"<tool_call>', "\x00", "x"]),
    ('<tool_call>{"name":"f","arguments":{"a":', ["[", "{", "1", "[1,"]),
    ("<function=f><parameter=a>", ["</parameter>", "</parameter>" + " " * 300, "\n", "1", "{", "\udc00", " "]),
    ("[f(a=", ["[", "'", "\\", "(", "1"]),
    ("<tool_call>", [" "]),
    ('<tool_call>{"name":"f","arguments":{}}</tool_call>', [" ", "\n"]),
    (']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">', ["]<]minimax[>[<a>", "]<]minimax[>[</a>"]),
    ("<think>", ["`</think>", "<tool_call>", "\n"]),
]
BEGINNINGS = [("", unit) for unit in UNITS] + [(head, unit) for head, units in INSIDE for unit in units]


def taken(text: str, step: int) -> float:
    filter_ = ToolCallFilter(keep_raw=False)
    start = time.process_time()
    for place in range(0, len(text), step):
        filter_.feed(text[place : place + step])
    filter_.finish()
    return time.process_time() - start


@pytest.mark.parametrize(("head", "unit"), BEGINNINGS)
def test_a_unit_said_again_and_again_costs_the_same_each_time(head: str, unit: str) -> None:
    few, many = head + unit * 400, head + unit * 6000
    assert taken(many, 7) <= 15 * 3 * taken(few, 7) + 0.5
    assert taken(many, len(many)) <= 15 * 3 * taken(few, len(few)) + 0.5


@pytest.mark.parametrize(("head", "unit"), BEGINNINGS)
def test_a_unit_said_again_and_again_loses_nothing_in_any_cut(head: str, unit: str) -> None:
    text = head + unit * 60
    assert fed(text, range(1, len(text))) == fed(text)


@pytest.mark.parametrize(("head", "unit"), [*BEGINNINGS, ("", "prose and more prose. ")])
def test_memory_does_not_grow_with_the_stream_but_for_the_call_it_is_in(head: str, unit: str) -> None:
    filter_ = ToolCallFilter(keep_raw=False)
    filter_.feed(head)
    for _ in range(3000):
        filter_.feed(unit)
    assert len(filter_._scan.buf) < 4096 * 2 + 64


@pytest.mark.slow
def test_a_million_opening_tags_are_text() -> None:
    text = "<tool_call>" * 1_000_000
    filter_ = ToolCallFilter(formats=["hermes"], keep_raw=False)
    size = sum(len(event.text) for event in [*filter_.feed(text), *filter_.finish()] if isinstance(event, Text))
    assert size == len(text)


def test_an_argument_of_ten_megabytes_comes_in_pieces_and_whole() -> None:
    value = "hello world " * 850_000
    text = f'<tool_call>{{"name":"f","arguments":{{"a":"{value}"}}}}</tool_call>'
    filter_ = ToolCallFilter(keep_raw=False)
    events = []
    for place in range(0, len(text), 65536):
        events += filter_.feed(text[place : place + 65536])
    events += filter_.finish()
    keeps_the_rules(text, events)
    assert [event.arguments for event in events if isinstance(event, ToolEnd)] == [f'{{"a":"{value}"}}']


def test_a_stream_of_calls_and_prose_takes_no_more_memory_as_it_goes() -> None:
    filter_ = ToolCallFilter(keep_raw=False)
    unit = 'Some prose. <tool_call>{"name":"f","arguments":{"a":1}}</tool_call> '

    def feed(times: int) -> int:
        for _ in range(times):
            filter_.feed(unit)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = feed(500)
        assert feed(3000) - first < 500_000
    finally:
        tracemalloc.stop()
