"""What a store may hold after something broke, from what a worker printed; and what it does hold."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from worker import DAY, Durability, content

from penstock.core.handle import handle_for
from penstock.errors import Damaged, ExpiredHandle, UnknownHandle
from penstock.stores.contract import Store, keep
from penstock.stores.disk import DiskStore

INDEX = {"index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-journal"}
OWN_FILES = {".gitignore", ".lock"} | INDEX
State = Literal["kept", "expired", "unknown", "damaged", "wrong"]


@dataclass
class History:
    may: dict[int, set[State]] = field(default_factory=dict)
    aged: set[int] = field(default_factory=set)  # past their retention: the next sweep must expire them
    ahead: float = 0.0
    acknowledged: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, lines: Iterable[str]) -> History:
        for line in lines:
            event, step, *said = line.split()
            verb, _, argument = step.partition(":")
            if event == "error":
                self.refused.append(line.strip())
            if event == "ok":
                self.acknowledged += 1
            if verb == "admit":
                self._one("start" if "unkept" in said else event, int(argument), "kept")
            elif verb in ("keep", "delete"):
                self._one(event, int(argument), "kept" if verb == "keep" else "expired")
            elif verb == "age" and event == "ok":
                self.ahead += float(argument) * DAY
                self.aged = {number for number, states in self.may.items() if "kept" in states}
                for number in self.aged:
                    self.may[number].add("expired")
            elif verb == "sweep" and event == "ok":
                for number in self.aged:
                    self.may[number].discard("kept")
        return self

    def _one(self, event: str, number: int, state: State) -> None:
        states = self.may.setdefault(number, {"unknown"})
        if state == "expired" and states == {"unknown"}:
            return  # deleting what was never kept
        if event == "start":
            states.add(state)
            self.aged.discard(number)
        elif event == "ok":
            states.clear()
            states.add(state)


def state_of(store: Store, data: bytes) -> State:
    handle = handle_for(data)
    try:
        record = store.stat(handle)
        pieces = [store.read(handle, offset, 100_000) for offset in range(0, len(data) + 1, 100_000)]
    except UnknownHandle:
        return "unknown"
    except ExpiredHandle:
        return "expired"
    except Damaged:
        return "damaged"
    if b"".join(pieces) != data or record.size != len(data):
        return "wrong"
    return "kept"


def states_of(store: Store, history: History) -> dict[int, State]:
    return {number: state_of(store, content(number)) for number in history.may}


def open_after(directory: Path, history: History, durability: Durability = "full") -> DiskStore:
    return DiskStore(directory, durability=durability, clock=lambda: time.time() + history.ahead)


def faults_of(directory: Path, history: History) -> list[str]:
    """What the store on `directory` does not keep of its promises; empty if all is well."""
    store = open_after(directory, history)
    try:
        return list(_faults(store, directory, history))
    finally:
        store.close()


def _faults(store: DiskStore, directory: Path, history: History) -> Iterator[str]:
    states = states_of(store, history)
    for number, state in states.items():
        if state not in history.may[number]:
            yield f"content {number} is {state}, but may only be {sorted(history.may[number])}"
    known = {handle_for(content(number)): number for number in history.may}
    for record in store.records():
        if record.handle not in known:
            yield f"{record.name} was never kept"
        elif record.path is None or Path(record.path).read_bytes() != content(known[record.handle]):
            yield f"{record.name} is not what was kept, as a file"
    for finding in store.check(read_data=True):
        if finding.problem not in ("leftover", "unindexed"):
            yield f"check before the sweep: {finding}"
    store.sweep()
    for finding in store.check(read_data=True):
        if finding.problem != "unindexed":  # published, not acknowledged: it waits for its time or for repair
            yield f"check after the sweep: {finding}"
    store.check(read_data=True, repair=True)
    for finding in store.check(read_data=True):
        yield f"check after repair: {finding}"
    names = {record.name for record in store.records()}
    there = {path.name for path in directory.iterdir()} if directory.exists() else set()
    for left in sorted(there - names - OWN_FILES):
        yield f"{left} is left over"
    for number, state in states_of(store, history).items():
        lost = states[number] == "kept" and state != "kept" and number not in history.aged
        if lost or state not in history.may[number]:
            yield f"sweep and repair made content {number} {state}, it was {states[number]}"
    keep(store, content(10**9), tool="after", media="text")
    if state_of(store, content(10**9)) != "kept":
        yield "keeping does not work any more"
    store.delete(handle_for(content(10**9)))
