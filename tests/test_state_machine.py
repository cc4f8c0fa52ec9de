"""A gate on a disk over weeks of use: what it was given is there, what has expired is said to be, nothing is invented.

Time moves, results expire, the index is deleted, processes end without closing. (That a process is really killed in
the middle of a step is tried in tests/faults.)
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from penstock.core.handle import Handle, handle_for
from penstock.core.limits import Limits
from penstock.core.rules import PlainRules
from penstock.errors import ExpiredHandle, UnknownHandle
from penstock.gate import BareGate
from penstock.ledger.sqlite import SqliteLedger
from penstock.stores.disk import DiskStore
from strategies import Clock, assert_text_within, byte_strings, texts, whole

DAY = 86_400.0
RETENTION_DAYS = 7
SMALL = Limits(chars=400, lines=30)
INDEX_FILES = ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm")


class Weeks(RuleBasedStateMachine):
    """`held` is what must be there, with the time until which it must; `gone` is what was there once."""

    handles = Bundle("handles")

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="penstock-weeks-"))
        self.clock = Clock()
        self.held: dict[Handle, tuple[bytes, float]] = {}
        self.gone: set[Handle] = set()
        self.forgotten: set[Handle] = set()  # gone, and the index that remembered it was deleted
        self.gate, self.other = self._open(), self._open()

    def _open(self) -> BareGate:
        return BareGate(
            rules=PlainRules(),
            store=DiskStore(
                self.directory / "kept", retention_days=RETENTION_DAYS, durability="none", clock=self.clock
            ),
            ledger=SqliteLedger(self.directory / "kept" / "index.sqlite"),
            clock=self.clock,
        )

    def teardown(self) -> None:
        self.gate.close()
        self.other.close()
        shutil.rmtree(self.directory)

    # -- the model

    def _alive(self, handle: Handle) -> bool:
        return handle in self.held and self.held[handle][1] >= self.clock.now

    def _settle(self) -> None:
        for handle in [handle for handle in self.held if not self._alive(handle)]:
            del self.held[handle]
            self.gone.add(handle)

    def _forget(self, handle: Handle) -> None:
        self.gone.discard(handle)
        self.forgotten.discard(handle)

    def _expect(self, handle: Handle, read: Any) -> None:
        """What is not held is expired, or unknown where nobody can remember that it was there."""
        expected: tuple[type[Exception], ...] = (ExpiredHandle,) if handle in self.gone else (UnknownHandle,)
        if handle in self.forgotten:
            expected = (ExpiredHandle, UnknownHandle)
        with pytest.raises(expected):
            read()

    # -- what callers do

    @initialize(target=handles)
    def know_a_handle_of_nothing(self) -> Handle:
        return handle_for(b"never admitted")

    @rule(target=handles, output=st.one_of(texts(3_000), byte_strings(3_000)), tool=st.sampled_from(["Bash", "Re/ad"]))
    def admit(self, output: str | bytes, tool: str) -> Any:
        data = output.encode("utf-8", "surrogatepass") if isinstance(output, str) else output
        view = self.gate.admit(output, tool=tool, limits=SMALL)
        assert_text_within(view.text, SMALL)
        if not view.truncated:
            assert bytes(view) == data
            return multiple()
        assert view.handle == handle_for(data)
        assert view.path is not None
        assert Path(view.path).read_bytes() == data
        self.held[view.handle] = data, self.clock.now + RETENTION_DAYS * DAY
        self._forget(view.handle)
        return view.handle

    @rule(handle=handles)
    def admit_again(self, handle: Handle) -> None:
        if handle in self.held:
            data, _ = self.held[handle]
            assert self.gate.admit(data, tool="again", limits=SMALL).handle == handle
            self.held[handle] = data, self.clock.now + RETENTION_DAYS * DAY

    @rule(handle=handles, start=st.integers(1, 40), limit=st.integers(1, 50))
    def read(self, handle: Handle, start: int, limit: int) -> None:
        if not self._alive(handle):
            self._settle()
            self._expect(handle, lambda: self.gate.read(handle, start=start, limit=limit))
            return
        data, _ = self.held[handle]
        page = self.gate.read(handle, start=start, limit=limit)
        assert page.data == data[page.start : page.stop]
        assert page.start == _line_start(data, start)
        assert page.total_bytes == len(data)

    @rule(handle=handles)
    def read_all(self, handle: Handle) -> None:
        store = self.gate.store
        assert store is not None
        if self._alive(handle):
            data, _ = self.held[handle]
            assert whole(lambda offset, size: store.read(handle, offset, size), len(data), 1_000) == data
            assert store.stat(handle).size == len(data)

    @rule(handle=handles, at=st.integers(0, 3_000), length=st.integers(1, 12))
    def grep(self, handle: Handle, at: int, length: int) -> None:
        if not self._alive(handle):
            self._settle()
            self._expect(handle, lambda: self.gate.grep(handle, "x"))
            return
        data, _ = self.held[handle]
        wanted = data[at : at + length].split(b"\n")[0]
        try:
            pattern = wanted.decode()
        except UnicodeDecodeError:
            return
        if pattern:
            hits = self.gate.grep(handle, pattern, fixed=True, limit=1, limits=Limits(chars=100_000))
            [hit] = hits.hits
            assert hit.start == data.find(wanted)
            assert data[hit.start : hit.stop] == wanted

    @rule(handle=handles)
    def unseen(self, handle: Handle) -> None:
        if not self._alive(handle):
            self._settle()
            self._expect(handle, lambda: self.gate.unseen(handle))
            return
        data, _ = self.held[handle]
        view = self.gate.unseen(handle, limits=SMALL)
        assert_text_within(view.text, SMALL)
        assert all(0 <= start <= stop <= len(data) for start, stop in view.spans)

    @rule()
    def list(self) -> None:
        self._settle()
        assert {record.handle for record in self.gate.records()} == set(self.held)

    # -- what happens to it

    @rule(days=st.sampled_from([0.001, 0.5, 1.0, 3.4, 7.0, 8.0]))
    def time_passes(self, days: float) -> None:
        self.clock.now += days * DAY

    @rule()
    def sweep(self) -> None:
        self._settle()
        self.gate.sweep()
        files = {path.read_bytes() for path in (self.directory / "kept").glob("tool_*")}
        assert files == {data for data, _ in self.held.values()}

    @rule(target=handles, handle=consumes(handles))
    def delete(self, handle: Handle) -> Handle:
        assert self.gate.store is not None
        self._settle()
        if handle in self.held:
            self.gate.store.delete(handle)
            del self.held[handle]
            self.gone.add(handle)
        return handle

    @rule()
    def repair(self) -> None:
        assert self.gate.store is not None
        for finding in self.gate.store.check(read_data=True, repair=True):
            assert finding.problem == "index", finding
            assert finding.repaired
        assert self.gate.store.check(read_data=True) == []

    @rule()
    def reopen(self) -> None:
        self.gate.close()
        self.gate = self._open()

    @rule()
    def switch(self) -> None:
        """To another process that uses the same directory at the same time."""
        self.gate, self.other = self.other, self.gate

    @rule()
    def kill(self) -> None:
        """Another process goes on; the one before never closed its files."""
        self.gate = self._open()

    @precondition(lambda self: (self.directory / "kept").exists())
    @rule()
    def delete_the_index(self) -> None:
        # What has expired by now is still remembered by its file, as long as that has not been swept.
        self._settle()
        for name in INDEX_FILES:
            (self.directory / "kept" / name).unlink(missing_ok=True)
        self.forgotten |= self.gone

    @invariant()
    def files_are_for_their_owner_alone(self) -> None:
        if (self.directory / "kept").exists():
            assert (self.directory / "kept").stat().st_mode & 0o777 == 0o700
            for path in (self.directory / "kept").glob("tool_*"):
                assert path.stat().st_mode & 0o777 == 0o600


def _line_start(data: bytes, line: int) -> int:
    lines = data.split(b"\n")
    return min(len(data), sum(len(text) + 1 for text in lines[: line - 1]))


Weeks.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestWeeks = Weeks.TestCase
