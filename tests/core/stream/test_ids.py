"""Ids of calls: the model's own where they tell calls apart, and the same ones each time."""

from __future__ import annotations

from penstock.core.stream.events import ToolArgs, ToolEnd, ToolStart
from penstock.core.stream.ids import Ids, call_id

from .streams import Tape


def test_id_of_a_call_is_the_models_or_follows_from_the_answer() -> None:
    assert call_id("answer", 0, "functions.read:0") == "functions.read:0"
    ids = {call_id(answer, number, told) for answer in "ab" for number in (0, 1) for told in ("call_1", "call_123456")}
    assert len(ids) == 4
    assert call_id("a", 0, "0") == call_id("a", 0, "call_1") in ids
    assert call_id("a", 0, "x" * 41) in ids
    assert all(len(id_) == 29 for id_ in ids)
    assert call_id("\ud800", 0, "") != call_id("", 0, "")


def test_events_of_a_call_get_one_id_and_all_else_stays() -> None:
    events = Tape().text("a").call("f", "{", "}").markup().call("g", "{}").events
    ids = Ids("answer")
    named = [event for one in events for event in ids.of([one])]
    assert [event._replace(id="") if "id" in event._fields else event for event in named] == [
        event._replace(id="") if "id" in event._fields else event for event in events
    ]
    told = [event.id for event in named if isinstance(event, ToolStart | ToolArgs | ToolEnd)]
    assert told == [call_id("answer", 0, "")] * 4 + [call_id("answer", 1, "")] * 3
