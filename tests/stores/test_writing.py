"""The order of steps in which a result is kept, and what a failure at each of them leaves."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.handle import Handle, handle_for
from penstock.errors import StoreError, StoreFull, UnknownHandle
from penstock.stores import files, writing
from penstock.stores.contract import Record, Store, keep
from penstock.stores.database import Database
from penstock.stores.disk import DiskStore

from .conftest import Clock

Make = Callable[..., DiskStore]

SMALL, LARGE = b"small" * 100, b"large" * 500_000


def put(store: Store, data: bytes) -> Record:
    return keep(store, data, tool="Bash", media="text")


def steps_of(monkeypatch: pytest.MonkeyPatch, directory: Path) -> list[str]:
    """The list to which the steps are written from now on: syncs, names and commits, in their order."""
    steps: list[str] = []
    fsync, link, execute = os.fsync, os.link, Database._execute

    def kind(path: str) -> str:
        name = Path(path).name
        return "directory" if path == str(directory) else "part" if files.is_part(name) else "result"

    def watched_fsync(descriptor: int) -> None:
        fsync(descriptor)
        steps.append("sync " + kind(str(Path(f"/proc/self/fd/{descriptor}").readlink())))

    def watched_link(source: Path, target: Path) -> None:
        link(source, target)
        steps.append("link")

    def watched_execute(self: Database, statement: str, *values: object) -> sqlite3.Cursor:
        cursor = execute(self, statement, *values)
        if statement in ("BEGIN IMMEDIATE", "COMMIT"):
            steps.append(statement.split()[0].lower())
        return cursor

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "link", watched_link)
    monkeypatch.setattr(Database, "_execute", watched_execute)
    return steps


@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "large"])
def test_result_is_on_the_disk_before_its_name_and_its_name_before_its_row(
    make_disk: Make, directory: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    store = make_disk(durability="full")
    put(store, b"the index is made")
    steps = steps_of(monkeypatch, directory)
    put(store, data)
    assert steps == ["sync part", "begin", "link", "sync directory", "commit"]
    steps.clear()
    put(store, data)
    assert steps == ["begin", "sync result", "sync directory", "commit"]


@pytest.mark.parametrize("durability", ["normal", "none"])
def test_nothing_is_synced_unless_asked_for(
    make_disk: Make, directory: Path, monkeypatch: pytest.MonkeyPatch, durability: str
) -> None:
    store = make_disk(durability=durability)
    steps = steps_of(monkeypatch, directory)
    put(store, SMALL)
    put(store, SMALL)
    assert "link" in steps and not [step for step in steps if step.startswith("sync")]


@pytest.mark.parametrize(("durability", "level"), [("full", 2), ("normal", 1), ("none", 0)])
def test_durability_sets_how_the_index_syncs(make_disk: Make, durability: str, level: int) -> None:
    store = make_disk(durability=durability)
    put(store, SMALL)
    settings = store._shelf.ask(lambda index: [index._setting(name) for name in ("synchronous", "journal_mode")], [])
    assert settings == [level, "wal"]


@pytest.mark.parametrize("small", [True, False])
def test_content_that_is_there_already_costs_no_disk_until_it_is_large(
    disk_store: DiskStore, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    data = SMALL if small else LARGE
    put(disk_store, data)
    made = []
    real = files.Part.__init__
    monkeypatch.setattr(files.Part, "__init__", lambda self, place: (made.append(place), real(self, place))[1])
    put(disk_store, data)
    assert len(made) == (0 if small else 1)


FAULTS: dict[str, tuple[object, str]] = {
    "making the part": (os, "open"),
    "writing": (os, "write"),
    "dating": (os, "utime"),
    "syncing": (os, "fsync"),
    "linking": (os, "link"),
}


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("data", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_failing_step_raises_leaves_nothing_and_harms_nothing(
    make_disk: Make, directory: Path, monkeypatch: pytest.MonkeyPatch, fault: str, data: bytes, code: int
) -> None:
    store = make_disk(durability="full")
    before = put(store, b"before")
    there = sorted(path.name for path in directory.iterdir())
    module, name = FAULTS[fault]
    real = getattr(module, name)

    def fail(*args: object, **options: object) -> object:
        if name == "open" and ".part-" not in str(args[0]):
            return real(*args, **options)
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(module, name, fail)
        with pytest.raises(StoreFull if code == errno.ENOSPC else StoreError) as raised:
            put(store, data)
        assert isinstance(raised.value.__cause__, OSError)
        assert "\n" not in str(raised.value)
    assert sorted(path.name for path in directory.iterdir()) == there
    with pytest.raises(UnknownHandle):
        store.read(handle_for(data), 0, 1)
    assert [record.handle for record in store.records()] == [before.handle]
    assert store.read(put(store, data).handle, 0, len(data)) == data


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "INSERT OR REPLACE INTO results", "COMMIT"])
@pytest.mark.parametrize("links", [True, False])
def test_a_failing_index_takes_the_name_back(
    disk_store: DiskStore, directory: Path, monkeypatch: pytest.MonkeyPatch, statement: str, links: bool
) -> None:
    put(disk_store, b"before")
    real = Database._execute

    def refuse_links(*names: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def fail(self: Database, asked: str, *values: object) -> sqlite3.Cursor:
        if asked.startswith(statement):
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error
        return real(self, asked, *values)

    if not links:
        monkeypatch.setattr(os, "link", refuse_links)
    with monkeypatch.context() as patched:
        patched.setattr(Database, "_execute", fail)
        with pytest.raises(StoreError, match="disk I/O error"):
            put(disk_store, SMALL)
    assert len(list(directory.glob("tool_*"))) == 1
    assert not list(directory.glob(".part-*"))
    assert disk_store.read(put(disk_store, SMALL).handle, 0, 5) == b"small"


def test_an_interrupt_leaves_nothing(disk_store: DiskStore, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*facts: object, **others: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(writing, "make_record", interrupt)
        with pytest.raises(KeyboardInterrupt):
            put(disk_store, LARGE)
    assert not list(directory.glob("tool_*")) + list(directory.glob(".part-*"))


def test_a_directory_removed_while_writing_fails_and_comes_back(disk_store: DiskStore, directory: Path) -> None:
    put(disk_store, SMALL)
    writer = disk_store.open()
    writer.write(LARGE)
    subprocess.run(["rm", "-rf", str(directory)], check=True)
    with pytest.raises(StoreError):
        writer.commit(tool="Bash", media="text")
    with pytest.raises(UnknownHandle):
        disk_store.read(handle_for(SMALL), 0, 1)
    assert disk_store.read(put(disk_store, LARGE).handle, 0, 5) == b"large"


def test_another_content_with_the_same_handle_is_refused_and_not_served(
    disk_store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = put(disk_store, SMALL)
    digest = bytes.fromhex(record.digest)
    other = digest[:10] + bytes(22)  # the same 80 bits

    def collide(index: Database) -> None:
        with index.transaction():
            index._execute("UPDATE results SET digest = ?", other)

    disk_store._shelf.change("planting", collide)
    with pytest.raises(StoreError, match="another content"):
        put(disk_store, SMALL)


@pytest.mark.parametrize(
    "planted",
    [
        "UPDATE results SET name = '../../../etc/passwd'",
        "UPDATE results SET name = '/etc/passwd'",
        "UPDATE results SET name = 'index.sqlite'",
        "UPDATE results SET digest = zeroblob(32)",
        "UPDATE results SET digest = 'text'",
        "UPDATE results SET size = 'many'",
        "UPDATE results SET kept_at = 'yesterday'",
        "UPDATE results SET media = 'image'",
        "UPDATE results SET tool = x'ff'",
    ],
)
def test_a_planted_row_is_refused_and_repaired(disk_store: DiskStore, directory: Path, planted: str) -> None:
    record = put(disk_store, SMALL)

    def plant(index: Database) -> None:
        with index.transaction():
            index._execute(planted)

    disk_store._shelf.change("planting", plant)
    with pytest.raises(StoreError, match="cannot be its content"):
        disk_store.read(record.handle, 0, 10)
    with pytest.raises(StoreError):
        put(disk_store, SMALL)
    assert list(disk_store.records()) == []
    disk_store.sweep()
    disk_store.check(repair=True)
    assert (directory / "index.sqlite").exists()
    assert disk_store.read(put(disk_store, SMALL).handle, 0, 5) == b"small"


FULL = """
import resource, signal, sys
from penstock.errors import StoreFull, StoreError
from penstock.stores.contract import keep
from penstock.stores.disk import DiskStore
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
store = DiskStore(sys.argv[1])
first = keep(store, b"first", tool="Bash", media="text")
for size in (400_000, 3_000_000):
    try:
        keep(store, b"x" * size, tool="Bash", media="text")
    except StoreFull as error:
        assert "full" in str(error)
    else:
        raise AssertionError("kept more than there is room for")
assert store.read(first.handle, 0, 9) == b"first"
assert len(list(store.records())) == 1
assert len([path for path in store.directory.iterdir() if path.name.startswith((".part", "tool_"))]) == 1
"""


def test_a_file_size_limit_is_a_full_store(directory: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None and signal.SIGXFSZ is not None
    subprocess.run([sys.executable, "-W", "error", "-c", FULL, str(directory)], check=True)


def test_kept_at_is_when_it_was_kept_and_not_when_writing_began(disk_store: DiskStore, clock: Clock) -> None:
    writer = disk_store.open()
    writer.write(LARGE)
    clock.forward(days=1)
    record = writer.commit(tool="Bash", media="text")
    assert record.kept_at == clock.now
    clock.forward(days=7)
    assert disk_store.read(Handle(record.handle), 0, 1) == b"l"
