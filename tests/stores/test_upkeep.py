from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.handle import handle_for
from penstock.errors import ExpiredHandle, StoreError, UnknownHandle
from penstock.stores.contract import Record, Store, Swept, keep
from penstock.stores.database import Database
from penstock.stores.disk import DiskStore

from .conftest import DAY, Clock

Make = Callable[..., DiskStore]


def put(store: Store, data: bytes) -> Record:
    return keep(store, data, tool="Bash", media="text")


def results(directory: Path) -> int:
    return len(list(directory.glob("tool_*")))


def test_expired_files_are_deleted_by_the_next_process_that_reads(
    make_disk: Make, directory: Path, clock: Clock
) -> None:
    put(make_disk(), b"old")
    clock.forward(days=8)
    with pytest.raises(UnknownHandle):
        make_disk().read(handle_for(b"other"), 0, 1)
    assert results(directory) == 0


def test_expired_files_are_deleted_in_passing_at_most_every_ten_minutes(
    make_disk: Make, directory: Path, clock: Clock
) -> None:
    store = make_disk(retention_days=200 / DAY)
    put(store, b"first")
    clock.forward(seconds=300)
    put(store, b"second")
    assert results(directory) == 2
    clock.forward(seconds=301)
    put(store, b"third")
    assert results(directory) == 1


def test_more_than_one_batch_expires_at_once(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    for number in range(600):
        put(disk_store, b"%03d" % number)
    clock.forward(days=8)
    kept = put(disk_store, b"new")
    assert list(disk_store.records()) == [kept]
    assert results(directory) == 1


def test_what_a_process_began_at_another_time_is_swept(disk_store: DiskStore, directory: Path) -> None:
    put(disk_store, b"content")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = directory / f".part-{ended.pid}-0123456789abcdef"
    dead.write_bytes(b"half of someth")
    mine = disk_store.open()
    mine.write(b"x" * 2_000_000)
    (directory / ".part-of-something-else").write_bytes(b"not ours")
    assert disk_store.sweep() == Swept(0, 0, 1)
    assert not dead.exists() and (directory / ".part-of-something-else").exists()
    assert mine.commit(tool="Bash", media="text").size == 2_000_000


def test_files_without_a_row_are_swept_when_they_are_old_and_ours(
    disk_store: DiskStore, directory: Path, clock: Clock
) -> None:
    put(disk_store, b"content")
    for name in ("tool_20200101_000000_Bash.txt", "tool_notes.txt", "notes.txt"):
        (directory / name).write_bytes(b"x")
        os.utime(directory / name, (clock.now - 8 * DAY,) * 2)
    new = directory / "tool_20200101_000000_New.txt"
    new.write_bytes(b"x")
    os.utime(new, (clock.now - 6 * DAY,) * 2)
    assert disk_store.sweep() == Swept(0, 0, 1)
    assert {path.name for path in directory.glob("*.txt")} >= {"tool_notes.txt", "notes.txt", new.name}


def test_a_deletion_cut_short_by_a_crash_is_finished(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    record = put(disk_store, b"content")
    path = directory / record.name
    copy = path.read_bytes(), path.stat().st_mtime_ns
    disk_store.delete(record.handle)
    path.write_bytes(copy[0])
    os.utime(path, ns=(copy[1], copy[1]))
    assert disk_store.sweep().leftovers == 1
    assert not path.exists()


def test_a_file_put_back_from_a_backup_is_not_swept_at_once(
    disk_store: DiskStore, directory: Path, clock: Clock
) -> None:
    record = put(disk_store, b"content")
    disk_store.delete(record.handle)
    path = directory / record.name
    path.write_bytes(b"content")
    os.utime(path, (clock.now + 1,) * 2)
    assert disk_store.sweep().leftovers == 0
    disk_store.check(repair=True)
    assert disk_store.read(record.handle, 0, 9) == b"content"


def test_moved_aside_files_are_deleted_with_the_retention(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    record = put(disk_store, b"content")
    (directory / record.name).write_bytes(b"changed")
    disk_store.check(read_data=True, repair=True)
    clock.forward(days=6)
    disk_store.sweep()
    assert len(list(directory.glob(".damaged-*"))) == 1
    clock.forward(days=2)
    disk_store.sweep()
    assert list(directory.glob(".damaged-*")) == []


def test_a_failing_commit_of_a_deletion_deletes_nothing(
    disk_store: DiskStore, directory: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = put(disk_store, b"content")
    real = Database._execute

    def fail(self: Database, statement: str, *values: object) -> sqlite3.Cursor:
        if statement == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return real(self, statement, *values)

    with monkeypatch.context() as patched:
        patched.setattr(Database, "_execute", fail)
        with pytest.raises(StoreError):
            disk_store.delete(record.handle)
    assert disk_store.read(record.handle, 0, 9) == b"content"


def test_a_file_that_cannot_be_deleted_is_told_and_not_served(
    disk_store: DiskStore, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = put(disk_store, b"content")
    real = Path.unlink

    def fail(self: Path, missing_ok: bool = False) -> None:
        if self.name == record.name:
            raise PermissionError(13, "Permission denied", str(self))
        real(self, missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", fail)
        with pytest.raises(StoreError, match="Permission denied"):
            disk_store.delete(record.handle)
    with pytest.raises(ExpiredHandle):
        disk_store.read(record.handle, 0, 1)
    disk_store.sweep()
    assert results(directory) == 0


def test_a_failure_to_tidy_up_is_logged_and_does_not_fail_what_was_asked(
    make_disk: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(make_disk(), b"old")
    clock.forward(days=8)
    store = make_disk()
    real = Path.unlink

    def fail(self: Path, missing_ok: bool = False) -> None:
        if self.name.startswith("tool_"):
            raise PermissionError(13, "Permission denied", str(self))
        real(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", fail)
    with caplog.at_level(logging.WARNING):
        assert store.read(put(store, b"new").handle, 0, 9) == b"new"
    assert "tidying up" in caplog.text and "Permission denied" in caplog.text


def test_renewal_and_expiry_at_once_leave_the_file_of_each_row(make_disk: Make, directory: Path, clock: Clock) -> None:
    """One thread keeps and deletes what another keeps again: whatever is listed can be read."""
    end = threading.Event()
    failures: list[BaseException] = []

    def delete_all() -> None:
        store = make_disk()
        try:
            while not end.is_set():
                for number in range(5):
                    store.delete(handle_for(b"%d" % number))
        except BaseException as failure:  # noqa: BLE001  # raised in the thread of the test
            failures.append(failure)

    store = make_disk()
    names = [put(store, b"%d" % number).name for number in range(5)]
    thread = threading.Thread(target=delete_all)
    thread.start()
    for _ in range(100):
        assert [put(store, b"%d" % number).name for number in range(5)] == names
    end.set()
    thread.join()
    assert not failures
    assert store.check(read_data=True) == []
    assert {path.name for path in directory.glob("tool_*")} == {record.name for record in store.records()}


def test_old_memories_of_deleted_results_are_let_go(
    disk_store: DiskStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.stores.index._REMEMBERED", 3)
    for number in range(6):
        disk_store.delete(put(disk_store, b"%d" % number).handle)
        clock.forward(seconds=1)
    answers = []
    for number in range(6):
        with pytest.raises((ExpiredHandle, UnknownHandle)) as raised:
            disk_store.read(handle_for(b"%d" % number), 0, 1)
        answers.append(raised.type)
    assert answers == [UnknownHandle] * 3 + [ExpiredHandle] * 3
