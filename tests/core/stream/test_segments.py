"""A page from actions: order, cards by id, snapshots, and a sweep that finds only what no filter has seen."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.jsontext import from_json, to_json
from penstock.core.stream.events import Event, Reasoning, Text, ToolEnd, ToolStart, joined
from penstock.core.stream.segments import (
    Action,
    Card,
    Prose,
    Result,
    Segments,
    Thought,
    TokenAppend,
    ToolDelta,
    ToolDone,
    ToolHit,
    ToolResult,
    action_from,
    action_of,
)
from penstock.errors import CallerError

from .streams import Tape, tapes


def after(actions: Iterable[Action]) -> Segments:
    page = Segments()
    for action in actions:
        page.apply(action)
    return page


def page_of(events: Iterable[Event]) -> Segments:
    page = Segments()
    page.take(events)
    return page


def test_card_is_there_as_soon_as_the_name_is_known() -> None:
    page = after([TokenAppend("Let me look."), ToolHit("c1", "read_file")])
    assert page.segments == [Prose("Let me look."), Card("c1", "read_file", "")]


def test_answer_with_two_calls_is_text_card_card_text() -> None:
    tape = Tape().text("Both ", "files:").markup().call("read_file", '{"path"', ': "a"}').markup()
    tape.call("read_file", '{"path": "b"}').markup().text("Done.")
    page = page_of(tape.events)
    assert page.segments == [
        Prose("Both files:"),
        Card("call-1", "read_file", '{"path": "a"}', "called"),
        Card("call-2", "read_file", '{"path": "b"}', "called"),
        Prose("Done."),
    ]
    assert page.text == "Both files:Done."


def test_reasoning_is_a_segment_of_its_own() -> None:
    page = page_of(Tape().markup().reasoning("I ", "could").markup().text("Yes.").reasoning("hm").events)
    assert page.segments == [Thought("I could"), Prose("Yes."), Thought("hm")]
    assert page.text == "Yes."


def test_arguments_grow_on_the_card_and_are_those_of_the_end() -> None:
    page = after([ToolHit("c", "f"), ToolDelta("c", '{"a":'), ToolDelta("c", " 1")])
    assert page.segments == [Card("c", "f", '{"a": 1')]
    page.apply(ToolDone("c", "f", '{"a": 12}'))
    page.apply(ToolDelta("c", "late"))
    assert page.segments == [Card("c", "f", '{"a": 12}', "called")]


def test_call_that_never_ended_is_a_broken_card() -> None:
    page = page_of(Tape().call("f", '{"a', error="the stream ended").events)
    assert page.segments == [Card("call-1", "f", '{"a', "broken", "the stream ended")]


def test_results_find_their_cards_late_and_out_of_order() -> None:
    page = page_of(Tape().call("f", "{}").call("g", "{}").text("and on").events)
    page.apply(ToolResult("call-2", {"rows": 3}))
    page.apply(ToolResult("call-1", None, "no such file"))
    assert page.segments == [
        Card("call-1", "f", "{}", "called", result=Result(None, "no such file")),
        Card("call-2", "g", "{}", "called", result=Result({"rows": 3})),
        Prose("and on"),
    ]


def test_later_result_takes_the_place_of_an_earlier_one() -> None:
    page = after([ToolHit("c", "f"), ToolResult("c", "10 %"), ToolResult("c", "all of it")])
    assert page.segments == [Card("c", "f", "", result=Result("all of it"))]


def test_result_of_an_unknown_call_waits_unseen_for_its_card() -> None:
    page = after([ToolResult("c", "early"), TokenAppend("text")])
    assert page.segments == [Prose("text")]
    assert page.snapshot()["waiting"][0]["id"] == "c"
    page.apply(ToolHit("c", "f"))
    assert page.segments == [Prose("text"), Card("c", "f", "", result=Result("early"))]
    assert page.snapshot()["waiting"] == []


def test_deltas_before_the_name_wait_for_it() -> None:
    page = after([ToolDelta("c", "{"), ToolDelta("c", "}"), ToolHit("c", ""), ToolHit("c", "f"), ToolHit("c", "f")])
    assert page.segments == [Card("c", "f", "{}")]


def test_end_of_a_call_whose_start_was_missed_makes_its_card() -> None:
    assert after([ToolDone("c", "f", "{}")]).segments == [Card("c", "f", "{}", "called")]


def test_empty_text_makes_no_segment() -> None:
    assert after([TokenAppend(""), ToolHit("c", "f"), TokenAppend("", "reasoning")]).segments == [Card("c", "f", "")]


def test_actions_have_the_json_form_that_pages_send() -> None:
    told: list[dict[str, Any]] = [
        {"type": "TOKEN_APPEND", "chunk": "Hi", "kind": "text"},
        {"type": "TOOL_HIT", "id": "c", "name": "f", "server": ""},
        {"type": "TOOL_ARGS", "id": "c", "delta": "{}"},
        {"type": "TOOL_DONE", "id": "c", "name": "f", "arguments": "{}", "error": ""},
        {"type": "TOOL_RESULT", "id": "c", "output": [1, None], "error": ""},
    ]
    actions = [action_from(value) for value in told]
    assert [json.loads(to_json(action)) for action in actions] == told
    assert after(actions).segments == [Prose("Hi"), Card("c", "f", "{}", "called", result=Result([1, None]))]


def test_what_is_no_action_and_no_snapshot_is_the_callers_fault() -> None:
    for value in ({}, {"type": "TOKEN_APPEND"}, {"type": "JUMP"}, {"type": "TOOL_HIT", "id": 1, "name": "f"}):
        with pytest.raises(CallerError, match="nothing that a page is made of"):
            action_from(value)
    with pytest.raises(CallerError, match="segments"):
        Segments.restored({"waiting": []})


def test_snapshot_has_the_form_that_pages_read() -> None:
    page = page_of(Tape().text("Hi").reasoning("hm").call("f", "{}").events)
    page.apply(ToolResult("call-1", "done"))
    assert page.snapshot() == {
        "segments": [
            {"type": "text", "text": "Hi"},
            {"type": "reasoning", "text": "hm"},
            {
                "type": "tool",
                "id": "call-1",
                "name": "f",
                "arguments": "{}",
                "state": "called",
                "error": "",
                "result": {"output": "done", "error": ""},
                "server": "",
            },
        ],
        "waiting": [],
    }


@st.composite
def action_lists(draw: st.DrawFn) -> list[Action]:
    """What a page may get, in any order: actions of a stream, and results for known and unknown calls."""
    actions = [action for event in draw(tapes()) if (action := action_of(event)) is not None]
    for id_ in draw(st.lists(st.sampled_from(["call-1", "call-2", "call-9"]), max_size=3)):
        place = draw(st.integers(0, len(actions)))
        actions.insert(place, ToolResult(id_, draw(st.sampled_from(["", {"a": [1.5]}, None])), draw(st.just(""))))
    return draw(st.permutations(actions)) if draw(st.booleans()) else actions


@given(action_lists(), st.integers(0, 40))
def test_snapshot_and_later_actions_give_the_state_of_all_actions(actions: list[Action], cut: int) -> None:
    early = after(actions[:cut])
    page = Segments.restored(from_json(to_json(early.snapshot())))
    for action in actions[cut:]:
        page.apply(action)
        early.apply(action)
    assert page.snapshot() == early.snapshot() == after(actions).snapshot()


@given(tapes())
def test_text_of_the_segments_is_the_text_of_the_events_however_it_was_cut(events: list[Event]) -> None:
    page = page_of(events)
    assert page.text == "".join(event.text for event in events if isinstance(event, Text))
    assert page.segments == page_of(joined(events)).segments
    thoughts = [segment.text for segment in page.segments if isinstance(segment, Thought)]
    assert "".join(thoughts) == "".join(event.text for event in events if isinstance(event, Reasoning))
    ends = [event for event in events if isinstance(event, ToolEnd)]
    cards = [segment for segment in page.segments if isinstance(segment, Card)]
    assert [(card.id, card.name, card.arguments, card.error) for card in cards] == [
        (end.id, end.name, end.arguments, end.error) for end in ends
    ]


def test_a_page_of_many_small_pieces_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        started = time.perf_counter()
        page = Segments()
        for _ in range(count):
            page.apply(TokenAppend("abcd"))
        assert len(page.text) == 4 * count
        return time.perf_counter() - started

    seconds(1_000)
    assert seconds(200_000) < 30 * max(seconds(20_000), 0.005)


class Finds:
    """A filter that knows one call, `<f>...</f>`, and sees it only in whole texts."""

    def feed(self, chunk: str) -> list[Event]:
        before, mark, rest = chunk.partition("<f>")
        if not mark:
            return Tape().text(chunk).events
        arguments, end, behind = rest.partition("</f>")
        error = "" if end else "it has no end"
        return Tape().text(before).markup(3).call("f", arguments, error=error).text(behind).events

    def finish(self) -> list[Event]:
        return []


def test_sweep_makes_cards_of_calls_that_nobody_filtered() -> None:
    page = after([ToolHit("call-1", "g"), TokenAppend("see <f>{}</f> there"), TokenAppend("<f>{}</f>", "reasoning")])
    assert page.sweep(Finds)
    assert page.segments == [
        Card("call-1", "g", ""),
        Prose("see "),
        Card("call-1-swept", "f", "{}", "called"),
        Prose(" there"),
        Thought("<f>{}</f>"),
    ]
    page.apply(ToolResult("call-1-swept", 1))
    assert page.segments[2] == Card("call-1-swept", "f", "{}", "called", result=Result(1))
    assert not page.sweep(Finds)


def test_sweep_leaves_text_alone_that_holds_no_whole_call() -> None:
    page = after([TokenAppend("write <f> to call"), ToolHit("c", "g"), TokenAppend("and on")])
    before = page.snapshot()
    assert not page.sweep(Finds)
    assert page.snapshot() == before


def test_card_tells_whose_tool_it_is_also_from_a_snapshot() -> None:
    page = Segments()
    page.take([ToolStart("c", "route", 0, 9, "maps")])
    again = Segments.restored(page.snapshot())
    assert [segment.server for segment in again.segments if isinstance(segment, Card)] == ["maps"]
