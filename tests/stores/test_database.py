"""The index is deleted, damaged or somebody else's: the store goes on from the files."""

from __future__ import annotations

import gc
import logging
import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.handle import Handle, handle_for
from penstock.errors import ExpiredHandle, PenstockError, StoreError, UnknownHandle
from penstock.stores.contract import Record, Store, keep
from penstock.stores.database import Database
from penstock.stores.disk import DiskStore

from .conftest import Clock

Make = Callable[..., DiskStore]


def put(store: Store, data: bytes) -> Record:
    return keep(store, data, tool="Bash", media="text")


@pytest.fixture
def index(directory: Path) -> Path:
    return directory / "index.sqlite"


@pytest.fixture
def kept(make_disk: Make, clock: Clock) -> list[Record]:
    store = make_disk()
    records = []
    for number in range(10):
        records.append(put(store, b"%d\n" % number * 1000))
        clock.forward(seconds=60)
    store.close()
    return records


def whole(store: Store) -> dict[Handle, bytes]:
    return {record.handle: store.read(record.handle, 0, record.size) for record in store.records()}


EXPECTED = {handle_for(b"%d\n" % number * 1000): b"%d\n" % number * 1000 for number in range(10)}


def delete(index: Path) -> None:
    index.unlink()


def empty(index: Path) -> None:
    os.truncate(index, 0)


def cut(index: Path) -> None:
    os.truncate(index, 5_000)


def rubbish(index: Path) -> None:
    index.write_bytes(b"not a database, whatever its name says" * 200)


def foreign_tables(index: Path) -> None:
    index.unlink()
    other = sqlite3.connect(index)
    other.execute("CREATE TABLE results (a, b)")
    other.commit()
    other.close()


def directory_there(index: Path) -> None:
    index.unlink()
    index.mkdir()


def link_there(index: Path) -> None:
    index.rename(index.with_name("moved"))
    index.symlink_to(index.with_name("moved"))


def newer_format(index: Path) -> None:
    with index.open("r+b") as file:
        file.seek(18)
        file.write(b"\x07\x02")


LOSSES = [delete, empty, cut, rubbish, foreign_tables, directory_there, link_there, newer_format]


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("first", ["read", "keep", "list", "check"])
def test_lost_index_is_made_from_the_files(
    make_disk: Make, kept: list[Record], index: Path, lose: Callable[[Path], None], first: str
) -> None:
    lose(index)
    store = make_disk()
    if first == "read":
        assert store.read(kept[3].handle, 0, 2) == b"3\n"
    elif first == "keep":
        assert put(store, b"3\n" * 1000).name == kept[3].name
    elif first == "check":
        store.check()
    put(store, b"3\n" * 1000)
    store.delete(kept[3].handle)
    assert whole(store) == {handle: data for handle, data in EXPECTED.items() if handle != kept[3].handle}
    assert store.stat(kept[5].handle).kept_at == pytest.approx(kept[5].kept_at, abs=1e-6)
    assert (store.stat(kept[5].handle).name, store.stat(kept[5].handle).tool) == (kept[5].name, "Bash")
    store.check(repair=True)
    assert store.check(read_data=True) == []


@pytest.mark.parametrize("lose", [delete, foreign_tables, directory_there])
def test_index_lost_while_it_is_open_is_noticed_at_the_next_use(
    make_disk: Make, kept: list[Record], index: Path, lose: Callable[[Path], None]
) -> None:
    store = make_disk()
    assert whole(store) == EXPECTED
    lose(index)
    assert whole(store) == EXPECTED
    lose(index)
    new = put(store, b"new")
    assert whole(make_disk()) == {**EXPECTED, new.handle: b"new"}


def test_index_damaged_in_place_while_it_is_open_loses_nothing(
    make_disk: Make, kept: list[Record], index: Path
) -> None:
    store = make_disk()
    assert whole(store) == EXPECTED
    with index.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(index.stat().st_size - 4096))
    new = put(store, b"new")
    store.close()
    again = make_disk()
    again.check(read_data=True, repair=True)
    assert whole(again) == {**EXPECTED, new.handle: b"new"}


@pytest.mark.parametrize("statement", ["SELECT value FROM store_meta WHERE key", "BEGIN IMMEDIATE", "SELECT handle"])
@pytest.mark.parametrize("code", [sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_READONLY])
def test_one_failed_look_does_not_throw_a_good_index_away(
    make_disk: Make, kept: list[Record], index: Path, monkeypatch: pytest.MonkeyPatch, statement: str, code: int
) -> None:
    """A disk that fails once to read a page lets SQLite say the same as of rubbish."""
    make_disk().delete(kept[0].handle)
    real = Database._execute
    failures = []

    def fail_once(self: Database, asked: str, *values: object) -> sqlite3.Cursor:
        if asked.startswith(statement) and not failures:
            failures.append(asked)
            error = sqlite3.DatabaseError("file is not a database")
            error.sqlite_errorcode = code
            raise error
        return real(self, asked, *values)

    monkeypatch.setattr(Database, "_execute", fail_once)
    store = make_disk()
    try:
        put(store, b"1\n" * 1000)
    except StoreError:
        assert code == sqlite3.SQLITE_READONLY and not statement.startswith("BEGIN")
    assert failures
    with pytest.raises(ExpiredHandle):
        store.read(kept[0].handle, 0, 1)
    assert len(whole(store)) == 9
    assert not list(index.parent.glob("*.damaged-*"))


def test_damaged_index_is_kept_aside_twice_at_most(make_disk: Make, kept: list[Record], index: Path) -> None:
    for number in range(4):
        rubbish(index)
        with index.open("ab") as file:
            file.write(b"%d" % number)
        store = make_disk()
        assert whole(store) == EXPECTED
        store.close()
    copies = sorted(index.parent.glob("index.sqlite.damaged-*"), key=lambda path: path.stat().st_mtime_ns)
    assert [path.read_bytes()[-1:] for path in copies] == [b"2", b"3"]


def test_a_lost_index_is_told_in_the_log(
    make_disk: Make, kept: list[Record], index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rubbish(index)
    with caplog.at_level(logging.WARNING):
        make_disk().read(kept[0].handle, 0, 1)
    assert "made a new index of 10 kept results" in caplog.text


def test_first_index_of_a_directory_is_no_warning(make_disk: Make, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        put(make_disk(), b"first")
    assert caplog.text == ""


def test_one_file_that_cannot_be_read_does_not_hide_the_others(
    make_disk: Make, kept: list[Record], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.unlink()
    real = os.open

    def fail(path: object, *how: object, **options: object) -> int:
        if str(path).endswith(kept[4].name):
            raise OSError(5, "Input/output error", str(path))
        return real(path, *how, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", fail)
    assert set(whole(make_disk())) == set(EXPECTED) - {kept[4].handle}


def test_planted_files_are_not_adopted(make_disk: Make, kept: list[Record], index: Path, tmp_path: Path) -> None:
    directory = index.parent
    (tmp_path / "secret").write_text("secret")
    (directory / "tool_20200101_000000_link.txt").symlink_to(tmp_path / "secret")
    (directory / "tool_20200101_000000_folder.txt").mkdir()
    os.mkfifo(directory / "tool_20200101_000000_pipe.txt")
    (directory / "tool_20200101_000000_.txt.bak").write_text("not ours")
    index.unlink()
    assert whole(make_disk()) == EXPECTED


def test_files_past_their_time_expire_with_the_new_index(
    make_disk: Make, kept: list[Record], index: Path, clock: Clock
) -> None:
    clock.forward(days=8)
    index.unlink()
    with pytest.raises(ExpiredHandle):
        make_disk().read(kept[0].handle, 0, 1)
    assert not list(index.parent.glob("tool_*"))


def test_tables_of_others_in_the_file_stay(make_disk: Make, directory: Path, index: Path) -> None:
    directory.mkdir()
    other = sqlite3.connect(index, isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE ledger (what TEXT)")
    other.execute("INSERT INTO ledger VALUES ('admitted')")
    store = make_disk()
    with pytest.raises(UnknownHandle):
        store.read(handle_for(b"x"), 0, 1)
    record = put(store, b"content")
    other.execute("INSERT INTO ledger VALUES ('read')")
    assert store.read(record.handle, 0, 9) == b"content"
    assert other.execute("SELECT count(*) FROM ledger").fetchone() == (2,)
    other.close()
    assert index.stat().st_mode & 0o777 == 0o600
    assert not list(directory.glob("*.damaged-*"))


def test_index_of_a_newer_version_is_refused_and_left_alone(make_disk: Make, kept: list[Record], index: Path) -> None:
    connection = sqlite3.connect(index)
    connection.execute("UPDATE store_meta SET value = '2' WHERE key = 'version'")
    connection.commit()
    connection.close()
    store = make_disk()
    for use in (lambda: store.read(kept[0].handle, 0, 1), lambda: put(store, b"x"), lambda: list(store.records())):
        with pytest.raises(StoreError, match="version 2"):
            use()
    assert not list(index.parent.glob("*.damaged-*"))


def test_a_writer_that_holds_the_index_is_waited_for(make_disk: Make, kept: list[Record], index: Path) -> None:
    store = make_disk()
    put(store, b"before")
    other = sqlite3.connect(index, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.4, lambda: other.execute("COMMIT"))
    timer.start()
    assert store.read(kept[0].handle, 0, 2) == b"0\n"  # readers do not wait
    assert store.read(put(store, b"content").handle, 0, 9) == b"content"
    timer.join()
    other.close()


def test_several_stores_that_meet_a_lost_index_make_one(make_disk: Make, kept: list[Record], index: Path) -> None:
    stores = [make_disk() for _ in range(6)]
    found: list[object] = []

    def work(store: DiskStore, number: int) -> None:
        try:
            put(store, b"new %d" % number)
            found.append(whole(store))
        except BaseException as failure:  # noqa: BLE001  # raised in the thread of the test
            found.append(failure)

    for turn in range(5):
        rubbish(index) if turn % 2 else index.unlink()
        threads = [threading.Thread(target=work, args=(store, number)) for number, store in enumerate(stores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in found:
            assert isinstance(one, dict) and EXPECTED.items() <= one.items()
        found.clear()
        new = {handle_for(b"new %d" % number) for number in range(6)}
        assert set(whole(make_disk())) == set(EXPECTED) | new
        for store in stores:
            store.close()


def test_any_flipped_bit_in_the_index_gives_no_wrong_byte_and_is_repaired(
    make_disk: Make, kept: list[Record], index: Path, directory: Path, tmp_path: Path
) -> None:
    chance = random.Random(3)
    shutil.copytree(directory, tmp_path / "copy")
    size = index.stat().st_size
    for place in [*range(16, 100, 6), *(chance.randrange(100, size) for _ in range(60))]:
        shutil.rmtree(directory)
        shutil.copytree(tmp_path / "copy", directory)
        with index.open("r+b") as file:
            file.seek(place)
            byte = file.read(1)[0] ^ 1 << chance.randrange(8)
            file.seek(place)
            file.write(bytes([byte]))
        store = make_disk()
        for handle, data in EXPECTED.items():
            try:
                assert store.read(handle, 0, 10_000) == data
            except PenstockError:
                continue
        assert store.read(put(store, b"new").handle, 0, 9) == b"new"
        store.check(read_data=True, repair=True)
        assert EXPECTED.items() <= whole(store).items(), place
        store.close()


def test_store_that_nobody_closed_closes_its_index_when_it_goes(directory: Path) -> None:
    store = DiskStore(directory)
    put(store, b"a result")
    connection = store._shelf.index._connection
    assert connection is not None
    assert connection.execute("SELECT 1").fetchone() == (1,)
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
