from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.handle import handle_for
from penstock.errors import Damaged, ExpiredHandle
from penstock.stores.contract import BLOCK, Finding, Record, Store, keep
from penstock.stores.disk import DiskStore

Make = Callable[..., DiskStore]

BIG = b"".join(b"%d\n" % number for number in range(100_000))  # over 2 blocks


def put(store: Store, data: bytes) -> Record:
    return keep(store, data, tool="Bash", media="text")


def told(findings: list[Finding]) -> list[tuple[str, str, bool]]:
    return [(found.problem, found.name, found.repaired) for found in findings]


@pytest.fixture
def record(disk_store: DiskStore) -> Record:
    put(disk_store, b"another result")
    return put(disk_store, BIG)


@pytest.fixture
def path(record: Record, directory: Path) -> Path:
    return directory / record.name


@pytest.mark.parametrize("read_data", [True, False])
def test_missing_file_is_found_and_its_handle_then_expired(
    disk_store: DiskStore, record: Record, path: Path, read_data: bool
) -> None:
    path.unlink()
    assert told(disk_store.check(read_data=read_data)) == [("missing", record.name, False)]
    assert told(disk_store.check(read_data=read_data)) == [("missing", record.name, False)]
    with pytest.raises(Damaged):
        disk_store.read(record.handle, 0, 1)
    found = disk_store.check(read_data=read_data, repair=True)
    assert (told(found), found[0].handle) == ([("missing", record.name, True)], record.handle)
    assert disk_store.check() == []
    with pytest.raises(ExpiredHandle):
        disk_store.read(record.handle, 0, 1)


@pytest.mark.parametrize("how", ["cut", "grown", "link", "directory", "FIFO"])
def test_damage_that_shows_is_found_without_reading(
    disk_store: DiskStore, directory: Path, record: Record, path: Path, how: str
) -> None:
    if how == "cut":
        os.truncate(path, BLOCK)
    elif how == "grown":
        os.truncate(path, len(BIG) + 1)
    else:
        path.unlink()
        if how == "link":
            path.symlink_to("/etc/passwd")
        elif how == "directory":
            path.mkdir()
        else:
            os.mkfifo(path)
    assert told(disk_store.check()) == [("damaged", record.name, False)]
    assert told(disk_store.check(read_data=True, repair=True)) == [("damaged", record.name, True)]
    assert disk_store.check(read_data=True) == []
    assert os.path.lexists(directory / f".damaged-{record.name}")
    with pytest.raises(ExpiredHandle):
        disk_store.read(record.handle, 0, 1)
    assert put(disk_store, BIG).name == record.name


def test_every_flipped_bit_is_found_by_reading(disk_store: DiskStore, record: Record, path: Path) -> None:
    chance = random.Random(7)
    places = [0, BLOCK - 1, BLOCK, len(BIG) - 1, *(chance.randrange(len(BIG)) for _ in range(30))]
    for place in places:
        data = bytearray(BIG)
        data[place] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        assert told(disk_store.check(read_data=True)) == [("damaged", record.name, False)], place
    path.write_bytes(BIG)
    assert disk_store.check(read_data=True) == []


def test_swapped_files_are_both_found(disk_store: DiskStore, directory: Path) -> None:
    one, two = put(disk_store, b"one" * 1000), put(disk_store, b"two" * 1000)
    (directory / one.name).rename(directory / "away")
    (directory / two.name).rename(directory / one.name)
    (directory / "away").rename(directory / two.name)
    found = disk_store.check(read_data=True, repair=True)
    assert told(found) == [("damaged", one.name, True), ("damaged", two.name, True)]
    assert {path.read_bytes()[:3] for path in directory.glob(".damaged-*")} == {b"one", b"two"}


def test_file_without_a_row_is_found_and_adopted(disk_store: DiskStore, record: Record, directory: Path) -> None:
    stray = directory / "tool_20251118_120000_Grep.json"
    stray.write_bytes(b'{"stray": true}')
    stray.chmod(0o600)
    assert told(disk_store.check()) == [("unindexed", stray.name, False)]
    assert told(disk_store.check(repair=True)) == [("unindexed", stray.name, True)]
    adopted = disk_store.stat(handle_for(b'{"stray": true}'))
    assert (adopted.name, adopted.tool, adopted.media) == (stray.name, "Grep", "json")
    assert disk_store.read(adopted.handle, 0, 99) == b'{"stray": true}'


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_file_that_came_with_another_mode_is_private_once_it_is_adopted(
    disk_store: DiskStore, record: Record, directory: Path
) -> None:
    stray = directory / "tool_20251118_120000_Grep.txt"
    stray.write_bytes(b"from a backup")
    stray.chmod(0o644)
    assert told(disk_store.check(repair=True)) == [("unindexed", stray.name, True)]
    assert stray.stat().st_mode & 0o777 == 0o600
    assert disk_store.check(read_data=True) == []


def test_file_without_a_row_is_not_adopted_twice(disk_store: DiskStore, record: Record, directory: Path) -> None:
    stray = directory / "tool_20251118_120000_Grep.txt"
    stray.write_bytes(BIG)
    stray.chmod(0o600)
    assert told(disk_store.check(repair=True)) == [("unindexed", stray.name, False)]
    assert disk_store.stat(record.handle) == record


def test_a_stray_copy_takes_the_place_of_a_lost_file(
    disk_store: DiskStore, record: Record, path: Path, directory: Path
) -> None:
    path.rename(directory / "tool_20251118_120000_Copy.txt")
    disk_store.check(repair=True)
    assert disk_store.read(record.handle, 0, len(BIG)) == BIG
    assert disk_store.check(read_data=True) == []


def test_leftover_part_is_found_and_removed(disk_store: DiskStore, record: Record, directory: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    part = directory / f".part-{ended.pid}-0123456789abcdef"
    part.touch(0o600)
    writer = disk_store.open()
    writer.write(b"x" * 2_000_000)
    assert told(disk_store.check()) == [("leftover", part.name, False)]
    assert told(disk_store.check(repair=True)) == [("leftover", part.name, True)]
    assert writer.commit(tool="Bash", media="text").size == 2_000_000
    assert disk_store.check() == []


@pytest.mark.parametrize("name", ["", "index.sqlite", ".lock", "result"])
@pytest.mark.parametrize("mode", [0o755, 0o666, 0o400])
def test_wrong_permission_is_found_and_put_right(
    disk_store: DiskStore, record: Record, directory: Path, name: str, mode: int
) -> None:
    target = directory / (record.name if name == "result" else name)
    target.chmod(mode)
    assert told(disk_store.check()) == [("permission", target.name, False)]
    assert told(disk_store.check(repair=True)) == [("permission", target.name, True)]
    assert stat.S_IMODE(target.stat().st_mode) == (0o600 if name else 0o700)
    assert disk_store.check(read_data=True) == []


def test_files_of_others_are_none_of_ours(disk_store: DiskStore, record: Record, directory: Path) -> None:
    for name in ("notes.txt", "tool_notes.txt", ".hidden", "tool_20251118_120000_.txt.swp"):
        (directory / name).write_text("mine")
    (directory / "folder").mkdir()
    assert disk_store.check(read_data=True, repair=True) == []
    assert (directory / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET counts = zeroblob(length(counts)) WHERE size > 1000",
        "UPDATE results SET prefixes = zeroblob(length(prefixes)) WHERE size > 1000",
        "UPDATE results SET prefixes = x'00' WHERE size > 1000",
        "UPDATE results SET newlines = 5 WHERE size > 1000",
        "UPDATE results SET digest = CAST(substr(digest, 1, 31) || x'00' AS BLOB) WHERE size > 1000",
    ],
)
def test_a_damaged_row_is_made_right_from_the_file(disk_store: DiskStore, record: Record, damage: str) -> None:
    def spoil(index: object) -> None:
        with index.transaction():  # type: ignore[attr-defined]
            index._execute(damage)  # type: ignore[attr-defined]

    disk_store._shelf.change("damaging", spoil)
    found = disk_store.check(read_data=True)
    assert [(one.problem, one.handle) for one in found] == [("index", record.handle)]
    assert told(disk_store.check(read_data=True, repair=True)) == [("index", "index.sqlite", True)]
    assert disk_store.stat(record.handle) == record
    assert disk_store.read(record.handle, 0, len(BIG)) == BIG
    assert disk_store.seek_line(record.handle, 90_000)[1] > 0
    assert disk_store.check(read_data=True) == []


def test_index_made_anew_is_told_once(make_disk: Make, directory: Path) -> None:
    put(make_disk(), BIG)
    (directory / "index.sqlite").unlink()
    store = make_disk()
    assert told(store.check()) == [("index", "index.sqlite", True)]
    assert store.check() == []


def test_damaged_index_page_is_found(make_disk: Make, directory: Path) -> None:
    store = make_disk()
    kept = {put(store, b"%d" % number * 400).handle: b"%d" % number * 400 for number in range(60)}
    store.close()
    index = directory / "index.sqlite"
    with index.open("r+b") as file:
        file.seek(index.stat().st_size // 2)
        file.write(os.urandom(4096))
    store = make_disk()
    store.check(read_data=True, repair=True)
    assert {handle: store.read(handle, 0, 9_999) for handle in kept} == kept
    assert store.check(read_data=True) == []


def test_check_without_repair_changes_nothing(
    disk_store: DiskStore, directory: Path, record: Record, path: Path
) -> None:
    os.truncate(path, 5)
    (directory / "tool_20251118_120000_Grep.txt").write_bytes(b"stray")
    path.chmod(0o644)

    def files() -> dict[str, tuple[int, int, float]]:
        found = {file.name: file.lstat() for file in directory.glob("tool_*")}
        return {name: (one.st_mode, one.st_size, one.st_mtime) for name, one in found.items()}

    before = files()
    assert len(disk_store.check(read_data=True)) == 3
    assert files() == before


def test_a_copied_directory_is_healthy(make_disk: Make, directory: Path, record: Record, tmp_path: Path) -> None:
    make_disk().close()
    shutil.copytree(directory, tmp_path / "copy")
    (tmp_path / "copy").chmod(0o700)
    copy = DiskStore(tmp_path / "copy", clock=make_disk()._shelf.clock)
    assert copy.read(record.handle, 0, len(BIG)) == BIG
    assert copy.check(read_data=True) == []
    copy.close()
