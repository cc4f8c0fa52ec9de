"""What a stream of model output is made of.

Rules:
1. Events come in the order of the raw text and tile it: each begins where the one before it stopped, and together they
   cover every character that has been decided. `raw[event.start:event.stop]` is what the event was made from.
2. What a person reads is `Text`; `Reasoning` is what the model thought aloud. Both hold their raw text unchanged.
3. `Markup` is raw text that nobody should see: markers, wrappers, the white space that belongs to them.
4. A call is one `ToolStart`, any number of `ToolArgs`, one `ToolEnd`. The name is whole at the start. The deltas,
   joined, are the arguments at the end. No delta and no text is empty.
5. A call that never ended has an error, and arguments that may not parse; its raw text is still in the spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Text(NamedTuple):
    text: str
    start: int  # characters of the raw text
    stop: int


class Reasoning(NamedTuple):
    text: str
    start: int
    stop: int


class Markup(NamedTuple):
    start: int
    stop: int


class ToolStart(NamedTuple):
    id: str
    name: str
    start: int
    stop: int
    server: str = ""  # whose tool it is, where the format says it


class ToolArgs(NamedTuple):
    id: str
    delta: str  # the next piece of the arguments as JSON text
    start: int
    stop: int


class ToolEnd(NamedTuple):
    id: str
    name: str
    arguments: str  # JSON text
    error: str  # why it is no whole call; "" when it is one
    start: int
    stop: int


Event = Text | Reasoning | Markup | ToolStart | ToolArgs | ToolEnd


def joined(events: Iterable[Event]) -> list[Event]:
    """The same events however the text was cut: neighbours of one kind, and of one call, made one."""
    whole: list[Event] = []
    for event in events:
        both = _made_one(whole[-1], event) if whole else None
        if both is None:
            whole.append(event)
        else:
            whole[-1] = both
    return whole


def _made_one(last: Event, event: Event) -> Event | None:
    if isinstance(last, Text) and isinstance(event, Text):
        return Text(last.text + event.text, last.start, event.stop)
    if isinstance(last, Reasoning) and isinstance(event, Reasoning):
        return Reasoning(last.text + event.text, last.start, event.stop)
    if isinstance(last, Markup) and isinstance(event, Markup):
        return Markup(last.start, event.stop)
    if isinstance(last, ToolArgs) and isinstance(event, ToolArgs) and last.id == event.id:
        return ToolArgs(event.id, last.delta + event.delta, last.start, event.stop)
    return None
