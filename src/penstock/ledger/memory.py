"""A ledger for one process and its lifetime: tests, short scripts, machines without a disk to write to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Final

from penstock.core.entry import Entry, ReadBack
from penstock.core.handle import Handle
from penstock.ledger.contract import By, Event, Totals
from penstock.ledger.ranges import merged

# A process that runs for months must not grow for months. Some 50 MB.
EVENTS_KEPT: Final = 100_000

_Moment = tuple[float, int]  # when, and its place among events of the same instant


class MemoryLedger:
    """Keeps the last `most` events; what is older is no longer counted."""

    def __init__(self, most: int = EVENTS_KEPT) -> None:
        self._most = most
        self._events: list[Event] = []
        self._shrinking = threading.Lock()

    def admitted(self, entry: Entry, *, at: float, seconds: float) -> None:
        self._add(Event(at, seconds, entry))

    def read_back(self, read: ReadBack, *, at: float, seconds: float) -> None:
        self._add(Event(at, seconds, read))

    def _add(self, event: Event) -> None:
        # To append and to copy are single steps to other threads: only what removes events needs the lock.
        self._events.append(event)
        if len(self._events) > self._most + self._most // 10:
            with self._shrinking:
                del self._events[: -self._most]

    def totals(self, by: By = "all", *, since: float | None = None) -> list[Totals]:
        events = self._events[:]
        last_read = _last_read(events)
        group_of = _grouping(by, events)
        sums: dict[str, _Sum] = {"": _Sum()} if by == "all" else {}
        for place, event in enumerate(events):
            if since is None or event.at >= since:
                read_at = last_read.get(event.what.handle) if event.what.handle is not None else None
                read_later = read_at is not None and read_at > (event.at, place)
                sums.setdefault(group_of(event), _Sum()).count(event, read_later)
        rows = [total.as_totals(group) for group, total in sums.items()]
        if by == "day":
            return sorted(rows, key=lambda row: row.group)
        return sorted(rows, key=lambda row: (-row.truncated, -row.admissions, row.group))

    def recent(self, count: int = 20) -> list[Event]:
        """Newest first."""
        events = sorted(self._events[:], key=lambda event: event.at)
        return events[::-1][: max(0, count)]

    def shown(self, handle: Handle) -> list[tuple[int, int]]:
        return merged(span for event in self._events[:] if event.what.handle == handle for span in event.what.shown)

    def prune(self, before: float) -> int:
        """Forget what is older than `before`; the number of events that went."""
        with self._shrinking:
            events = self._events[:]
            kept = [event for event in events if event.at >= before]
            self._events[: len(events)] = kept
        return len(events) - len(kept)

    def flush(self) -> None:
        """Nothing waits: an event is here as soon as it is told."""

    def close(self) -> None:
        """Nothing is held open."""


def _last_read(events: Iterable[Event]) -> dict[Handle, _Moment]:
    last: dict[Handle, _Moment] = {}
    for place, event in enumerate(events):
        if isinstance(event.what, ReadBack):
            last[event.what.handle] = max(last.get(event.what.handle, (event.at, place)), (event.at, place))
    return last


def _grouping(by: By, events: Iterable[Event]) -> Callable[[Event], str]:
    if by == "tool":
        return lambda event: event.what.tool
    if by == "agent":
        return lambda event: event.what.agent
    if by == "day":
        return lambda event: datetime.fromtimestamp(int(event.at), UTC).strftime("%Y-%m-%d")
    if by == "kind":
        kinds = _kinds(events)
        return lambda event: event.what.kind if isinstance(event.what, Entry) else kinds.get(event.what.handle, "")
    return lambda _: ""


def _kinds(events: Iterable[Event]) -> dict[Handle, str]:
    """What kept content was taken for when it was last admitted: a read-back counts where its result does."""
    found: dict[Handle, tuple[_Moment, str]] = {}
    for place, event in enumerate(events):
        if isinstance(event.what, Entry) and event.what.handle is not None:
            moment = (event.at, place)
            if event.what.handle not in found or found[event.what.handle][0] < moment:
                found[event.what.handle] = (moment, event.what.kind)
    return {handle: kind for handle, (_, kind) in found.items()}


@dataclass(slots=True)
class _Sum:
    admissions: int = 0
    truncated: int = 0
    failed: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    read_backs: int = 0
    regretted: int = 0
    seconds: float = 0.0

    def count(self, event: Event, read_later: bool) -> None:
        self.seconds += event.seconds
        entry = event.what
        if isinstance(entry, ReadBack):
            self.read_backs += 1
            return
        self.admissions += 1
        self.bytes_before += entry.before.bytes
        self.bytes_after += entry.after.bytes
        if not entry.truncated:
            return
        self.truncated += 1
        self.failed += entry.failure != ""
        self.regretted += read_later
        # One side without the other would count as saved, or as spent, what was only not counted.
        if entry.before.tokens is not None and entry.after.tokens is not None:
            self.tokens_before += entry.before.tokens
            self.tokens_after += entry.after.tokens

    def as_totals(self, group: str) -> Totals:
        return Totals(group, *astuple(self))
