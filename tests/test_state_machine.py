"""A gate on a disk over weeks of use: what it was given is there, what has expired is said to be, nothing is invented.

Time moves, results expire, the index is deleted, processes end without closing, and are killed in the middle of keeping
something. (Every single system call is met in tests/faults.)
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

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
from penstock.core.measure import measure
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


# As many calls of C functions as the store makes to keep the first result of all.
KEEPING = 240


def admit_and_die(open_gate: Callable[[], BareGate], text: str, step: int) -> NoReturn:
    """In a child process: its end is 0 if the result was acknowledged before that call, SIGKILL if not, 1 if lost."""
    code, calls = 1, 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        if event == "c_call" and "stores" in frame.f_code.co_filename:
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        gate = open_gate()
        sys.setprofile(count)
        code = 0 if gate.admit(text, limits=SMALL).handle else 1
    finally:
        os._exit(code)


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
        self.unsure: dict[Handle, bytes] = {}  # a process was killed while it kept this
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
        self._make_sure(handle)
        return handle in self.held and self.held[handle][1] >= self.clock.now

    def _make_sure(self, handle: Handle) -> None:
        """What a killed process may have kept is there, whole, or it is not: nothing in between."""
        if handle not in self.unsure:
            return
        store = self.gate.store
        assert store is not None
        try:
            kept_at = store.stat(handle).kept_at
        except (ExpiredHandle, UnknownHandle):
            assert not (handle in self.held and self.held[handle][1] >= self.clock.now)
            return
        data = self.unsure.pop(handle)
        assert whole(lambda offset, size: store.read(handle, offset, size), len(data), 1_000) == data
        self.held[handle] = data, kept_at + RETENTION_DAYS * DAY
        self._forget(handle)

    def _settle(self) -> None:
        for handle in [*self.unsure]:
            self._make_sure(handle)
        for handle in [handle for handle in self.held if not self._alive(handle)]:
            del self.held[handle]
            self.gone.add(handle)

    def _forget(self, handle: Handle) -> None:
        self.unsure.pop(handle, None)
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
        held = {data for data, _ in self.held.values()}
        assert held <= files <= held | {*self.unsure.values()}
        assert not [*(self.directory / "kept").glob(".part-*")]

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
            assert finding.problem in (("index", "unindexed", "leftover") if self.unsure else ("index",)), finding
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
    def forget(self) -> None:
        """Another gate goes on; the one before never closed its files."""
        self.gate = self._open()

    @precondition(lambda _: hasattr(os, "fork"))
    @rule(target=handles, text=texts(3_000), step=st.integers(1, KEEPING))
    def kill(self, text: str, step: int) -> Any:
        """A process keeps something, and is killed as it comes to that step of it."""
        data = text.encode("utf-8", "surrogatepass")
        if not measure(text).over(SMALL):
            return multiple()
        child = os.fork()
        if child == 0:
            admit_and_die(self._open, text, step)
        _, status = os.waitpid(child, 0)
        handle = handle_for(data)
        if os.WIFSIGNALED(status):
            self.unsure[handle] = data
        else:
            assert os.waitstatus_to_exitcode(status) == 0
            self.held[handle] = data, self.clock.now + RETENTION_DAYS * DAY
            self._forget(handle)
        return handle

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
