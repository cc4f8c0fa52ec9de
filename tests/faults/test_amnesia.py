"""The file system that forgets: it keeps exactly what was made durable."""

from __future__ import annotations

import mmap
import os
import sqlite3
from pathlib import Path

import pytest
from amnesia import Amnesia


def write(path: Path, data: bytes, *, sync: bool) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def sync_names(directory: Path) -> None:
    opened = os.open(directory, os.O_RDONLY)
    os.fsync(opened)
    os.close(opened)


def test_power_loss_takes_a_file_whose_directory_was_not_synced(amnesia: Amnesia) -> None:
    write(amnesia.path / "file", b"whole", sync=True)
    amnesia.lose_power()
    assert list(amnesia.path.iterdir()) == []


def test_power_loss_empties_a_named_file_whose_content_was_not_synced(amnesia: Amnesia) -> None:
    write(amnesia.path / "file", b"whole", sync=False)
    sync_names(amnesia.path)
    amnesia.lose_power()
    assert (amnesia.path / "file").read_bytes() == b""


def test_power_loss_keeps_what_was_synced_and_undoes_later_writes(amnesia: Amnesia) -> None:
    write(amnesia.path / "file", b"whole", sync=True)
    sync_names(amnesia.path)
    with (amnesia.path / "file").open("r+b") as file:
        file.write(b"other and longer")
    os.truncate(amnesia.path / "file", 3)
    assert (amnesia.path / "file").read_bytes() == b"oth"
    amnesia.lose_power()
    assert (amnesia.path / "file").read_bytes() == b"whole"


@pytest.mark.parametrize("synced", [False, True])
def test_power_loss_undoes_a_rename_unless_the_directory_was_synced(amnesia: Amnesia, synced: bool) -> None:
    for name in ("new", "old"):
        write(amnesia.path / name, name.encode(), sync=True)
    sync_names(amnesia.path)
    (amnesia.path / "new").rename(amnesia.path / "old")
    if synced:
        sync_names(amnesia.path)
    amnesia.lose_power()
    held = {path.name: path.read_bytes() for path in amnesia.path.iterdir()}
    assert held == ({"old": b"new"} if synced else {"old": b"old", "new": b"new"})


@pytest.mark.parametrize("synced", [False, True])
def test_power_loss_undoes_links_and_removals_unless_the_directory_was_synced(amnesia: Amnesia, synced: bool) -> None:
    write(amnesia.path / "gone", b"whole", sync=True)
    sync_names(amnesia.path)
    os.link(amnesia.path / "gone", amnesia.path / "link")
    (amnesia.path / "gone").unlink()
    (amnesia.path / "folder").mkdir()
    if synced:
        sync_names(amnesia.path)
    amnesia.lose_power()
    assert {path.name for path in amnesia.path.iterdir()} == ({"link", "folder"} if synced else {"gone"})


def test_unlinked_open_file_stays_readable_and_has_no_other_name(amnesia: Amnesia) -> None:
    write(amnesia.path / "file", b"whole", sync=False)
    with (amnesia.path / "file").open("rb") as file:
        (amnesia.path / "file").unlink()
        assert list(amnesia.path.iterdir()) == []
        assert file.read() == b"whole"


@pytest.mark.parametrize("synced", [False, True])
def test_mapped_memory_is_kept_once_it_was_flushed(amnesia: Amnesia, synced: bool) -> None:
    write(amnesia.path / "file", bytes(8192), sync=True)
    sync_names(amnesia.path)
    with (amnesia.path / "file").open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[5000] = 7
        if synced:
            mapped.flush()
        amnesia.tell("cut")
    amnesia.lose_power()
    assert (amnesia.path / "file").read_bytes()[5000] == (7 if synced else 0)


def test_failed_sync_drops_the_writes_and_a_second_sync_does_not_bring_them_back(amnesia: Amnesia) -> None:
    amnesia.tell("fail", 1)
    with (amnesia.path / "file").open("wb", buffering=0) as file:
        file.write(b"whole")
        with pytest.raises(OSError, match="Input/output error"):
            os.fsync(file.fileno())
        os.fsync(file.fileno())
    sync_names(amnesia.path)
    assert (amnesia.path / "file").read_bytes() == b"whole"
    amnesia.lose_power()
    assert (amnesia.path / "file").read_bytes() == b""


def test_armed_cut_comes_just_before_that_change(amnesia: Amnesia) -> None:
    amnesia.tell("arm", 2)
    (amnesia.path / "first").mkdir()
    with pytest.raises(OSError, match="Input/output error"):
        (amnesia.path / "second").mkdir()
    with pytest.raises(OSError, match="Input/output error"):
        sync_names(amnesia.path)


def test_survival_is_a_matter_of_chance_for_each_name(amnesia: Amnesia) -> None:
    for number in range(100):
        (amnesia.path / str(number)).mkdir()
    amnesia.lose_power(seed=1, survive=0.5)
    left = len(list(amnesia.path.iterdir()))
    assert 25 < left < 75
    amnesia.lose_power(seed=1, survive=0.0)
    assert len(list(amnesia.path.iterdir())) == left


@pytest.mark.parametrize(("synchronous", "lost"), [("FULL", False), ("NORMAL", True)])
def test_sqlite_in_wal_mode_loses_exactly_what_its_manual_says(amnesia: Amnesia, synchronous: str, lost: bool) -> None:
    database = sqlite3.connect(amnesia.path / "index", isolation_level=None)
    assert database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    database.execute(f"PRAGMA synchronous = {synchronous}")
    database.execute("CREATE TABLE kept (number)")
    database.execute("PRAGMA wal_checkpoint")
    for number in range(50):
        database.execute("INSERT INTO kept VALUES (?)", (number,))
    amnesia.tell("cut")
    database.close()
    amnesia.lose_power()
    database = sqlite3.connect(amnesia.path / "index")
    assert (database.execute("SELECT count(*) FROM kept").fetchone() < (50,)) is lost
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
