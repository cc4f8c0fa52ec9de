"""The filter's own door: what it is given, what it keeps, and how it holds and releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.stream.feeding import called, ended, fed, letters, shown, thought
from penstock.core.stream import Format, Markup, Reasoning, Text, ToolArgs, ToolCallFilter, ToolEnd, ToolStart, joined
from penstock.core.stream.scan import Scan, Steps
from penstock.errors import CallerError

CALL = '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>'


def test_prose_is_shown_at_once_and_a_prefix_of_a_marker_waits() -> None:
    filter_ = ToolCallFilter()
    assert filter_.feed("Hello, ") == [Text("Hello, ", 0, 7)]
    assert filter_.feed("is 1 <") == [Text("is 1 ", 7, 12)]
    assert filter_.feed("tool") == []
    assert filter_.feed(" 2") == [Text("<tool 2", 12, 19)]
    assert filter_.finish() == []


def test_a_call_starts_when_it_is_proven_and_its_arguments_come_as_they_are_written() -> None:
    filter_ = ToolCallFilter()
    assert filter_.feed('<tool_call>{"name": "f", "arguments": {') == []
    assert filter_.feed('"a') == [ToolStart("call_1", "f", 0, 38), ToolArgs("call_1", '{"a', 38, 41)]
    assert filter_.feed('": 1}') == [
        ToolArgs("call_1", '": 1}', 41, 46),
        ToolEnd("call_1", "f", '{"a": 1}', "", 46, 46),
    ]
    assert joined(filter_.feed("}</tool_call>")) == [Markup(46, 59)]
    assert filter_.finish() == []


def test_a_header_that_the_prompt_began_is_read_only_where_the_stream_begins() -> None:
    header = ' to=functions.f<|channel|>commentary<|message|>{"a":1}'
    assert called(fed(header)) == [("f", {"a": 1})]
    assert called(fed("." + header)) == []
    assert fed(" to be", letters(" to be")) == [Text(" to be", 0, 6)]


def test_bytes_may_be_cut_inside_a_character_and_wrong_ones_are_replaced() -> None:
    filter_ = ToolCallFilter()
    data = "Köln 🙂".encode()
    events = [event for place in range(len(data)) for event in filter_.feed(data[place : place + 1])]
    events += filter_.feed(b"\xff") + filter_.feed(b"\xf0\x9f") + filter_.finish()
    assert shown(joined(events)) == "Köln 🙂��"
    assert filter_.raw == "Köln 🙂��"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 9))
def test_bytes_and_text_give_the_same_events(text: str, step: int) -> None:
    filter_ = ToolCallFilter()
    data = text.encode()
    events = [event for place in range(0, len(data), step) for event in filter_.feed(data[place : place + step])]
    assert joined(events + filter_.finish()) == fed(text)


def test_the_raw_text_and_the_map_to_it_are_kept() -> None:
    filter_ = ToolCallFilter()
    text = f"So {CALL}, yes"
    filter_.feed(text[:20])
    assert filter_.raw == text[:20]
    filter_.feed(text[20:])
    filter_.finish()
    assert filter_.raw == text
    assert filter_.positions.visible(len(text)) == len("So , yes")
    assert text[filter_.positions.raw(3) :] == ", yes"


def test_nothing_is_kept_where_that_is_asked_for() -> None:
    filter_ = ToolCallFilter(keep_raw=False)
    filter_.feed("text")
    with pytest.raises(CallerError, match="not kept"):
        _ = filter_.raw
    with pytest.raises(CallerError, match="not kept"):
        _ = filter_.positions


def test_a_finished_stream_takes_no_more_and_may_be_finished_again() -> None:
    filter_ = ToolCallFilter()
    filter_.feed("a <tool")
    assert filter_.finish() == [Text("<tool", 2, 7)]
    assert filter_.finish() == []
    with pytest.raises(CallerError, match="finished"):
        filter_.feed("b")


def test_only_the_formats_that_are_named_are_looked_for() -> None:
    assert called(fed(CALL, formats=["glm"])) == []
    assert called(fed(CALL, formats=["hermes"])) == [("f", {"a": 1})]
    assert called(fed(CALL, formats="hermes")) == [("f", {"a": 1})]
    with pytest.raises(CallerError, match="'hermess' is no format; there are: all, "):
        ToolCallFilter(formats=["hermess"])


def test_a_pair_of_markers_is_a_format() -> None:
    text = 'So <<{"name":"f","arguments":{}}>> and <<this>> done'
    events = fed(text, formats=["all", ("<<", ">>")])
    assert called(events) == [("f", {})]
    assert shown(events) == "So  and <<this>> done"


def test_an_empty_marker_is_refused() -> None:
    with pytest.raises(CallerError, match="not empty"):
        ToolCallFilter(formats=[("", ">>")])


def test_a_format_of_ones_own_is_read_by_ones_own_reader() -> None:
    def shout(scan: Scan, opener: str) -> Steps[None]:
        scan.pos += len(opener)
        word = yield from scan.upto("!", 20)
        scan.start(word)
        scan.args("{}")
        scan.finish()

    mine = Format("shout", ("CALL ",), shout)
    events = fed("So CALL f! and CALL nothing at all.", formats=[mine])
    assert called(events) == [("f", {})]
    assert shown(events) == "So  and CALL nothing at all."


def test_a_reader_that_settles_nothing_has_found_nothing() -> None:
    def idle(scan: Scan, opener: str) -> Steps[None]:
        scan.pos += len(opener)
        yield from ()

    assert fed("a MARK b", formats=[Format("idle", ("MARK",), idle)]) == [Text("a MARK b", 0, 8)]


def test_what_is_not_proven_within_the_hold_is_text() -> None:
    text = '<tool_call>{"arguments": {"a": "' + "x" * 100 + '"}, "name": "f"}</tool_call>.'
    assert len(called(fed(text))) == 1
    assert fed(text, hold=64) == [Text(text, 0, len(text))]
    assert fed(text, letters(text), hold=64) == [Text(text, 0, len(text))]


def test_no_more_than_the_hold_is_ever_held() -> None:
    filter_ = ToolCallFilter(hold=100, keep_raw=False)
    text = ('<tool_call>{"arguments": {"a": "' + "x" * 300) * 20
    covered = 0
    for place, letter in enumerate(text):
        for event in filter_.feed(letter):
            covered = event.stop
        assert place + 1 - covered <= 100 + 1


def test_a_long_call_in_one_chunk_is_the_call_that_it_is_in_many() -> None:
    text = '<tool_call>{"name":"f","arguments":{"a":"' + "x" * 20_000 + '"}}</tool_call>'
    assert called(fed(text)) == [("f", {"a": "x" * 20_000})]
    assert fed(text, letters(text)) == fed(text)


def test_white_space_between_calls_is_markup_and_before_text_is_text() -> None:
    events = fed(f"{CALL}\n\n{CALL}\n\nDone.")
    assert [type(event) for event in events].count(ToolEnd) == 2
    assert shown(events) == "\n\nDone."
    assert shown(fed(f"{CALL}\n ")) == ""
    assert shown(fed(f"{CALL}{' ' * 100}{CALL}")) == " " * 100


def test_a_call_that_breaks_off_ends_with_an_error_and_its_markers_are_hidden() -> None:
    text = f'<tool_call>{{"name":"f","arguments":{{"a": [1</tool_call> and on {CALL}'
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert [(end.arguments, end.error) for end in ended(events)] == [
        ('{"a": [1', "the arguments were not closed"),
        ('{"a":1}', ""),
    ]
    assert shown(events) == " and on "


@pytest.mark.parametrize("after", ["", " ", "<", "</", "<3 of them", "</ no", "text", "</" + "x" * 100])
def test_only_markers_right_behind_a_broken_call_are_hidden(after: str) -> None:
    text = f'<tool_call>{{"name":"f","arguments":{{"a": [1<|tool_call_end|>{after}'
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert shown(events).strip() == after.strip()


def test_arguments_that_are_no_json_are_an_error() -> None:
    (end,) = ended(fed('<tool_call>{"name":"f","arguments":{"a":fasle}}</tool_call>'))
    assert end.error == "the arguments are no JSON"


def test_an_unclosed_call_has_an_error_and_its_raw_text_is_in_the_spans() -> None:
    text = 'So <tool_call>{"name":"f","arguments":{"a":"b'
    events = fed(text)
    assert [type(event) for event in events] == [Text, ToolStart, ToolArgs, ToolEnd]
    (end,) = ended(events)
    assert (end.arguments, end.error) == ('{"a":"b', "the stream ended inside the call")


def test_ids_are_made_where_none_is_given_and_are_never_the_same_twice() -> None:
    text = "".join(
        f'<tool_call>{{"id":"{one}","name":"f","arguments":{{}}}}</tool_call>'
        for one in ("a", "b", "a", "", "call_6", "")
    )
    assert [end.id for end in ended(fed(text))] == ["a", "b", "call_3", "call_4", "call_6", "call_6_342"]


def test_a_stream_that_begins_inside_reasoning_is_reasoning_to_its_end() -> None:
    events = fed("I think so.\n</think>\n\nYes.", in_reasoning=True)
    assert (thought(events), shown(events)) == ("I think so.\n", "Yes.")
    assert thought(fed("never closed", in_reasoning=True)) == "never closed"


def test_what_looks_like_a_call_in_reasoning_is_none_unless_special_tokens_begin_it() -> None:
    kimi = '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>'
    drafted, real = f"<think>Maybe {CALL} so</think>No.", f"<think>Maybe {kimi} done"
    assert called(fed(drafted)) == []
    assert thought(fed(drafted)) == f"Maybe {CALL} so"
    assert called(fed(real)) == [("f", {"a": 1})]
    assert shown(fed(real)) == " done"
    assert called(fed(drafted, calls_in_reasoning=True)) == [("f", {"a": 1})]
    assert called(fed(real, calls_in_reasoning=False)) == []


def test_reasoning_goes_on_behind_a_marker_that_is_only_mentioned() -> None:
    text = "<think>the <|tool_call_begin|> token, and `</think>` too</think>Yes."
    events = fed(text)
    assert fed(text, letters(text)) == events
    assert events[1] == Reasoning("the <|tool_call_begin|> token, and `</think>` too", 7, 56)
    assert shown(events) == "Yes."
