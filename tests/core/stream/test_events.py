"""Events joined: what must be equal however the stream was cut."""

from __future__ import annotations

from penstock.core.stream.events import Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart, joined


def test_neighbours_of_one_kind_are_made_one() -> None:
    assert joined([Text("a", 0, 1), Text("b", 1, 2)]) == [Text("ab", 0, 2)]
    assert joined([Reasoning("a", 0, 1), Reasoning("b", 1, 2)]) == [Reasoning("ab", 0, 2)]
    assert joined([Markup(0, 1), Markup(1, 5)]) == [Markup(0, 5)]


def test_deltas_of_one_call_are_made_one_and_of_two_calls_are_not() -> None:
    one, two = ToolArgs("c1", "{", 0, 1), ToolArgs("c1", "}", 1, 2)
    assert joined([one, two]) == [ToolArgs("c1", "{}", 0, 2)]
    assert joined([one, ToolArgs("c2", "}", 1, 2)]) == [one, ToolArgs("c2", "}", 1, 2)]


def test_events_of_different_kinds_stay_as_they_are() -> None:
    events = [
        Text("a", 0, 1),
        Reasoning("b", 1, 2),
        Text("c", 2, 3),
        Markup(3, 4),
        ToolStart("c1", "f", 4, 5),
        ToolEnd("c1", "f", "{}", "", 5, 6),
    ]
    assert joined(events) == events
    assert joined([]) == []
