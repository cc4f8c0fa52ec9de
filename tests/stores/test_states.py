"""Any sequence of uses, checked against a dictionary."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from penstock.core.handle import Handle, handle_for
from penstock.errors import ExpiredHandle, StoreFull, UnknownHandle
from penstock.stores.contract import BLOCK, Store

from .conftest import DAY, STORES, Clock

QUOTA = 1_500_000
SIZES = [0, 1, 20, 3_000, BLOCK, BLOCK + 5, 600_000, 1_200_000, QUOTA + 1]

contents = st.builds(
    lambda number, size: (b"content %d\n" % number * (size // 5 + 1))[:size], st.integers(0, 2), st.sampled_from(SIZES)
)


class Uses(RuleBasedStateMachine):
    kind = "memory"

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="penstock-states-"))
        self.clock = Clock()
        self.stores: list[Store] = []
        self.open_another()
        self.kept: dict[Handle, tuple[bytes, float]] = {}
        self.gone: set[Handle] = set()
        self.forgotten: set[Handle] = set()  # gone, and the index that remembered it was lost
        self.names: dict[Handle, str] = {}

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.place)

    def open_another(self) -> None:
        self.stores.append(STORES[self.kind](self.place, self.clock, quota_bytes=QUOTA))

    @property
    def store(self) -> Store:
        return self.stores[-1]

    def expire(self) -> None:
        for handle, (_, kept_at) in list(self.kept.items()):
            if kept_at < self.clock.now - 7 * DAY:
                self.bury(handle)

    def bury(self, handle: Handle) -> None:
        del self.kept[handle]
        self.gone.add(handle)

    @rule(data=contents, tool=st.sampled_from(["Bash", "Grep"]), piece=st.sampled_from([1_000, BLOCK, 10**9]))
    def keep(self, data: bytes, tool: str, piece: int) -> None:
        self.clock.forward(seconds=0.001)
        writer = self.store.open()
        handle = handle_for(data)
        try:
            for start in range(0, len(data), piece):
                writer.write(data[start : start + piece])
            record = writer.commit(tool=tool, media="text", expect=handle)
        except StoreFull:
            assert len(data) > QUOTA
            return
        assert len(data) <= QUOTA
        assert (record.handle, record.size) == (handle, len(data))
        assert handle in self.forgotten or self.names.setdefault(handle, record.name) == record.name
        self.names[handle] = record.name
        self.gone.discard(handle)
        self.forgotten.discard(handle)
        self.kept[handle] = data, self.clock.now
        while sum(len(content) for content, _ in self.kept.values()) > QUOTA:
            self.bury(min(self.kept, key=lambda other: self.kept[other][1]))

    @rule(data=contents, offset=st.integers(0, 700_000), size=st.integers(0, 300_000))
    def read(self, data: bytes, offset: int, size: int) -> None:
        handle = handle_for(data)
        try:
            found = self.store.read(handle, offset, size)
        except ExpiredHandle:
            assert handle in self.gone | self.forgotten
        except UnknownHandle:
            assert handle not in self.kept and handle not in self.gone
        else:
            assert found == self.kept[handle][0][offset : offset + size]

    @rule(days=st.sampled_from([0.3, 3.0, 8.0]))
    def wait(self, days: float) -> None:
        self.clock.forward(days=days)
        self.expire()

    @rule(data=contents)
    def delete(self, data: bytes) -> None:
        handle = handle_for(data)
        try:
            self.store.delete(handle)
        except UnknownHandle:
            assert handle not in self.kept and handle not in self.gone
        else:
            assert handle in self.kept or handle in self.gone or handle in self.forgotten
            if handle in self.kept:
                self.bury(handle)

    @rule()
    def sweep(self) -> None:
        self.store.sweep()

    @rule()
    def abort(self) -> None:
        writer = self.store.open()
        writer.write(b"never committed" * 100_000)
        writer.abort()

    @rule(read_data=st.booleans(), repair=st.booleans())
    def check(self, read_data: bool, repair: bool) -> None:
        assert [found for found in self.store.check(read_data=read_data, repair=repair) if not found.repaired] == []

    @invariant()
    def lists_exactly_what_is_kept(self) -> None:
        newest_first = sorted(self.kept, key=lambda handle: -self.kept[handle][1])
        assert [record.handle for record in self.store.records()] == newest_first


class DiskUses(Uses):
    kind = "disk"

    @property
    def index(self) -> Path:
        return self.place / "tool-output" / "index.sqlite"

    @rule()
    def end_and_start_again(self) -> None:
        self.stores.pop().close()
        self.open_another()

    @rule()
    def another_process_takes_over(self) -> None:
        self.open_another()

    @precondition(lambda self: self.index.exists())
    @rule(how=st.sampled_from(["deleted", "rubbish", "empty", "rubbish in place", "cut"]), at=st.integers(0, 30_000))
    def lose_the_index(self, how: str, at: int) -> None:
        if how in ("rubbish in place", "cut", "empty"):
            for store in self.stores:
                store.close()
        if how == "deleted":
            self.index.unlink()
        elif how == "rubbish":
            other = self.index.with_name("other")
            other.touch(0o600)
            other.write_bytes(b"rubbish" * 1_000)
            other.replace(self.index)
        elif how == "rubbish in place":
            with self.index.open("r+b") as file:
                file.write(b"rubbish" * 1_000)
        else:
            os.truncate(self.index, 0 if how == "empty" else min(at, self.index.stat().st_size))
        self.forgotten |= self.gone
        self.gone.clear()

    @invariant()
    def leaves_no_file_that_was_not_committed(self) -> None:
        if self.index.parent.exists():
            files = {path.name for path in self.index.parent.glob("tool_*")}
            assert not list(self.index.parent.glob(".part-*"))
            assert files <= set(self.names.values())


@pytest.mark.parametrize("machine", [Uses, DiskUses])
def test_any_sequence_of_uses_is_what_a_dictionary_would_do(machine: type[Uses]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
