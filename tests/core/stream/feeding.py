"""Feeding a filter, and what may be asked of every answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from penstock.core.stream import Event, Markup, Reasoning, Text, ToolArgs, ToolCallFilter, ToolEnd, ToolStart, joined


def fed(text: str, cuts: Iterable[int] = (), **options: Any) -> list[Event]:
    """The events of a text that is fed in pieces, neighbours joined, and found to keep the rules of events."""
    filter_ = ToolCallFilter(**options)
    events: list[Event] = []
    last = 0
    for cut in (*cuts, len(text)):
        events += filter_.feed(text[last:cut])
        last = cut
    events += filter_.finish()
    keeps_the_rules(text, events)
    return joined(events)


def letters(text: str) -> range:
    """Cuts between all characters."""
    return range(1, len(text))


def keeps_the_rules(text: str, events: Sequence[Event]) -> None:
    place = 0
    deltas: dict[str, str] = {}
    names: dict[str, str] = {}
    for event in events:
        assert event.start == place
        place = event.stop
        if isinstance(event, Text | Reasoning):
            assert event.text
            assert event.text == text[event.start : event.stop]
        elif isinstance(event, Markup):
            assert event.stop > event.start
        elif isinstance(event, ToolStart):
            assert event.id not in names
            names[event.id], deltas[event.id] = event.name, ""
        elif isinstance(event, ToolArgs):
            assert event.delta
            deltas[event.id] += event.delta
        else:
            assert event.name == names[event.id]
            assert event.arguments == deltas.pop(event.id)
            if not event.error:
                json.loads(event.arguments)
    assert place == len(text)
    assert not deltas


def shown(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


def thought(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Reasoning))


def ended(events: Iterable[Event]) -> list[ToolEnd]:
    return [event for event in events if isinstance(event, ToolEnd)]


def called(events: Iterable[Event]) -> list[tuple[str, Any]]:
    """The calls that are whole."""
    return [(end.name, json.loads(end.arguments)) for end in ended(events) if not end.error]
