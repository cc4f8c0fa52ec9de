"""What a chat page shows of one answer: text, reasoning and tool cards, in the order in which they came.

Rules:
1. A card stands where its call began, from the moment when its name is known. Each call has one card.
2. Whatever comes of a call goes to its card by id: late, out of order, or after other text. What comes for an id that
   has no card waits until the card is there; it is part of the snapshot, and shown nowhere.
3. Text that follows text goes on in the same segment; a card or reasoning in between ends it.
4. State from a snapshot and later actions is the state from all actions. Actions and snapshots have a JSON form.
5. The sweep is the second safeguard, for text that no filter saw: where a filter finds whole calls in it, it is made
   text and cards. Text that came out of such a filter holds none, and stays as it is; it could hold one only where
   markup was hidden between two halves of another marker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from penstock.core.stream.contract import NewFilter
from penstock.core.stream.events import Event, Reasoning, Text, ToolArgs, ToolEnd, ToolStart
from penstock.errors import CallerError

Kind = Literal["text", "reasoning"]
State = Literal["streaming", "called", "broken"]


class TokenAppend(msgspec.Struct, frozen=True, tag_field="type", tag="TOKEN_APPEND"):
    chunk: str
    kind: Kind = "text"


class ToolHit(msgspec.Struct, frozen=True, tag_field="type", tag="TOOL_HIT"):
    id: str
    name: str
    server: str = ""  # whose tool it is, where that is known


class ToolDelta(msgspec.Struct, frozen=True, tag_field="type", tag="TOOL_ARGS"):
    id: str
    delta: str


class ToolDone(msgspec.Struct, frozen=True, tag_field="type", tag="TOOL_DONE"):
    id: str
    name: str
    arguments: str
    error: str = ""


class ToolResult(msgspec.Struct, frozen=True, tag_field="type", tag="TOOL_RESULT"):
    """What the tool returned. A later one takes the place of an earlier one: a tool may tell how far it is."""

    id: str
    output: Any
    error: str = ""


Action = TokenAppend | ToolHit | ToolDelta | ToolDone | ToolResult


class Prose(msgspec.Struct, frozen=True, tag_field="type", tag="text"):
    text: str


class Thought(msgspec.Struct, frozen=True, tag_field="type", tag="reasoning"):
    text: str


class Result(msgspec.Struct, frozen=True):
    output: Any
    error: str = ""


class Card(msgspec.Struct, frozen=True, tag_field="type", tag="tool"):
    id: str
    name: str  # "" while it waits
    arguments: str  # JSON text; while it streams, the first part of it
    state: State = "streaming"
    error: str = ""  # why it is no whole call
    result: Result | None = None
    server: str = ""


Segment = Prose | Thought | Card


class Snapshot(msgspec.Struct, frozen=True):
    segments: list[Segment]
    waiting: list[Card]  # of calls whose name is not known yet


def action_of(event: Event) -> Action | None:
    """What a page is told of an event; of markup, nothing."""
    match event:
        case Text(text=text):
            return TokenAppend(text)
        case Reasoning(text=text):
            return TokenAppend(text, "reasoning")
        case ToolStart(id=id, name=name, server=server):
            return ToolHit(id, name, server)
        case ToolArgs(id=id, delta=delta):
            return ToolDelta(id, delta)
        case ToolEnd(id=id, name=name, arguments=arguments, error=error):
            return ToolDone(id, name, arguments, error)
        case _:
            return None


def action_from(value: Mapping[str, Any]) -> Action:
    """An action that came as JSON."""
    action: Action = _converted(value, Action)
    return action


class Segments:
    def __init__(self) -> None:
        self._parts: list[_Growing | _Call] = []
        self._calls: dict[str, _Call] = {}  # those on the page, and those that wait

    def apply(self, action: Action) -> None:
        match action:
            case TokenAppend():
                self._append(action)
            case ToolHit():
                call = self._call(action.id)
                call.server = call.server or action.server
                self._place(call, action.name)
            case ToolDelta():
                self._call(action.id).delta(action.delta)
            case ToolDone():
                call = self._call(action.id)
                self._place(call, action.name)
                call.done(action)
            case _:
                self._call(action.id).result = Result(action.output, action.error)

    def take(self, events: Iterable[Event]) -> None:
        for event in events:
            action = action_of(event)
            if action is not None:
                self.apply(action)

    def _append(self, action: TokenAppend) -> None:
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, _Growing) or last.kind != action.kind:
            if not action.chunk:
                return
            last = _Growing(action.kind)
            self._parts.append(last)
        last.pieces.append(action.chunk)

    def _call(self, id: str) -> _Call:  # noqa: A002  # as the field is called
        return self._calls.setdefault(id, _Call(id))

    def _place(self, call: _Call, name: str) -> None:
        if name and not call.name:
            call.name = name
            self._parts.append(call)

    @property
    def segments(self) -> list[Segment]:
        return [part.segment() for part in self._parts]

    @property
    def text(self) -> str:
        """What a person reads, without cards and reasoning."""
        return "".join(part.text() for part in self._parts if isinstance(part, _Growing) and part.kind == "text")

    def snapshot(self) -> dict[str, Any]:
        """The state as JSON-able values, for a page that comes later or comes back."""
        waiting = [call.segment() for call in self._calls.values() if not call.name]
        found: dict[str, Any] = msgspec.to_builtins(Snapshot(self.segments, waiting))
        return found

    @classmethod
    def restored(cls, snapshot: Mapping[str, Any]) -> Segments:
        """The state that a snapshot was taken of."""
        state, told = cls(), _converted(snapshot, Snapshot)
        for segment in told.segments:
            state._parts.append(_part_of(segment))
        for part in [*state._parts, *map(_Call.of, told.waiting)]:
            if isinstance(part, _Call):
                state._calls[part.id] = part
        return state

    def sweep(self, new_filter: NewFilter) -> bool:
        """Look for whole calls in the finished text once more; whether there were any."""
        swept = Segments()
        swept._calls = dict(self._calls)
        found = False
        for part in self._parts:
            events = None
            if isinstance(part, _Growing) and part.kind == "text":
                events = _whole_calls(part.text(), new_filter)
            if events is None:
                swept._parts.append(part)
            else:
                found = True
                swept.take(_named_anew(events, swept._calls))
        self._parts, self._calls = swept._parts, swept._calls
        return found


class _Growing:
    """A text of which the pieces are joined only when it is looked at: a page asks less often than a model speaks."""

    def __init__(self, kind: Kind, text: str = "") -> None:
        self.kind: Final = kind
        self.pieces = [text] if text else []

    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0]

    def segment(self) -> Segment:
        return Prose(self.text()) if self.kind == "text" else Thought(self.text())


class _Call:
    def __init__(self, id: str) -> None:  # noqa: A002  # as the field is called
        self.id: Final = id
        self.name = self.server = ""
        self.state: State = "streaming"
        self.error = ""
        self.result: Result | None = None
        self._pieces: list[str] = []

    @classmethod
    def of(cls, card: Card) -> _Call:
        call = cls(card.id)
        call.name, call.state, call.error, call.result = card.name, card.state, card.error, card.result
        call.server = card.server
        call._pieces = [card.arguments]
        return call

    def delta(self, text: str) -> None:
        if self.state == "streaming":
            self._pieces.append(text)

    def done(self, action: ToolDone) -> None:
        self.state = "broken" if action.error else "called"
        self.error = action.error
        self._pieces = [action.arguments]

    def segment(self) -> Card:
        self._pieces = ["".join(self._pieces)]
        return Card(self.id, self.name, self._pieces[0], self.state, self.error, self.result, self.server)


def _converted(value: object, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise CallerError(f"this is nothing that a page is made of: {error}") from None


def _part_of(segment: Segment) -> _Growing | _Call:
    match segment:
        case Prose(text=text):
            return _Growing("text", text)
        case Thought(text=text):
            return _Growing("reasoning", text)
        case _:
            return _Call.of(segment)


def _whole_calls(text: str, new_filter: NewFilter) -> list[Event] | None:
    """The events of a text that holds a whole call."""
    once_more = new_filter()
    events = [*once_more.feed(text), *once_more.finish()]
    return events if any(isinstance(event, ToolEnd) and not event.error for event in events) else None


def _named_anew(events: Iterable[Event], taken: Mapping[str, object]) -> Iterator[Event]:
    """The same with ids that no other call has: each filter counts from one."""
    names: dict[str, str] = {}
    for event in events:
        if isinstance(event, ToolStart):
            name = event.id
            while name in taken:
                name += "-swept"
            names[event.id] = name
        if isinstance(event, ToolStart | ToolArgs | ToolEnd):
            event = event._replace(id=names[event.id])
        yield event
