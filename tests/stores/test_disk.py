"""The disk store as its user meets it: files, modes, reading, processes. Damage and repair are in test_checking."""

from __future__ import annotations

import errno
import fcntl
import json
import multiprocessing
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.handle import handle_for
from penstock.errors import Damaged, ExpiredHandle, StoreError, UnknownHandle
from penstock.stores.contract import BLOCK, Record, Store, keep
from penstock.stores.disk import DiskStore

from .conftest import Clock

Make = Callable[..., DiskStore]

BIG = b"".join(b"%d\n" % number for number in range(300_000))  # over 7 blocks


def put(store: Store, data: bytes, tool: str = "Bash") -> Record:
    return keep(store, data, tool=tool, media="text")


def file_of(record: Record) -> Path:
    assert record.path is not None
    return Path(record.path)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


# -- what lies in the directory


def test_nothing_is_created_by_making_asking_or_closing(make_disk: Make, directory: Path) -> None:
    store = make_disk()
    for ask in (store.stat, store.delete):
        with pytest.raises(UnknownHandle):
            ask(handle_for(b"x"))
    assert (list(store.records()), store.sweep().results, store.check(repair=True)) == ([], 0, [])
    store.open().abort()
    store.close()
    assert not directory.exists()


def test_reading_an_empty_directory_creates_nothing(make_disk: Make, directory: Path) -> None:
    directory.mkdir()
    with pytest.raises(UnknownHandle):
        make_disk().read(handle_for(b"x"), 0, 1)
    assert list(directory.iterdir()) == []


def test_result_is_one_plain_file_for_its_owner_only(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    record = put(disk_store, BIG)
    stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(clock.now))
    assert file_of(record) == directory / f"tool_{stamp}_Bash.txt"
    assert file_of(record).read_bytes() == BIG
    assert file_of(record).stat().st_nlink == 1
    assert file_of(record).stat().st_mtime == pytest.approx(clock.now, abs=1e-6)
    assert mode(directory) == 0o700
    assert {mode(path) for path in directory.iterdir()} == {0o600}
    assert not list(directory.glob(".part-*"))
    assert (directory / ".gitignore").read_text() == "*\n"


def test_modes_are_private_whatever_the_umask(make_disk: Make, directory: Path) -> None:
    before = os.umask(0)
    try:
        put(make_disk(), BIG)
    finally:
        os.umask(before)
    assert mode(directory) == 0o700
    assert {mode(path) for path in directory.iterdir()} == {0o600}


def test_only_a_collision_takes_a_suffix(disk_store: DiskStore) -> None:
    names = [put(disk_store, b"%d" % number).name for number in range(12)]
    assert names[1] == names[0].replace(".txt", "_2.txt")
    assert len(set(names)) == 12
    assert "_2" not in keep(disk_store, b"{}", tool="Bash", media="json").name[len("tool_20000101_000000_") :]


def test_a_thousand_results_in_one_second_are_kept_in_linear_time(
    disk_store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    link = os.link
    monkeypatch.setattr(os, "link", lambda *names: (tries.append(names), link(*names)))
    for number in range(1000):
        put(disk_store, b"%d" % number)
    assert len(tries) < 1100


def test_a_file_of_somebody_else_is_never_written_over(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    put(disk_store, b"first")
    clock.forward(seconds=1)
    stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(clock.now))
    foreign = directory / f"tool_{stamp}_Bash.txt"
    foreign.write_bytes(b"not ours")
    assert put(disk_store, b"second").name == foreign.name.replace(".txt", "_2.txt")
    assert foreign.read_bytes() == b"not ours"


def test_a_directory_with_other_things_is_neither_closed_nor_hidden_from_git(make_disk: Make, directory: Path) -> None:
    directory.mkdir(0o755)
    (directory / "main.py").write_text("print()")
    store = make_disk()
    put(store, b"x")
    assert store.check(repair=True) == []
    assert not (directory / ".gitignore").exists()
    assert mode(directory) == 0o755


def test_an_empty_directory_becomes_private(make_disk: Make, directory: Path) -> None:
    directory.mkdir(0o755)
    put(make_disk(), b"x")
    assert (mode(directory), (directory / ".gitignore").read_text()) == (0o700, "*\n")


def test_gitignore_of_the_user_stays(make_disk: Make, directory: Path) -> None:
    directory.mkdir()
    (directory / ".gitignore").write_text("!keep\n")
    put(make_disk(), b"x")
    assert (directory / ".gitignore").read_text() == "!keep\n"


def test_relative_directory_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = DiskStore("here", durability="none")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert file_of(put(store, b"x")).parent == tmp_path / "here"
    store.close()


@pytest.mark.parametrize("name", ["with space", "100%", "?query#fragment", "'quoted\"", "工具", "a;b&c"])
def test_directory_may_have_any_name(tmp_path: Path, name: str) -> None:
    store = DiskStore(tmp_path / name, durability="none")
    assert store.read(put(store, b"content").handle, 0, 9) == b"content"
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


# -- keeping again


def test_the_same_content_again_writes_no_file(disk_store: DiskStore, directory: Path, clock: Clock) -> None:
    record = put(disk_store, b"same" * 1000)
    before = file_of(record).stat()
    clock.forward(seconds=9)
    put(disk_store, b"same" * 1000)
    after = file_of(record).stat()
    assert (after.st_ino, after.st_mtime) == (before.st_ino, pytest.approx(clock.now, abs=1e-6))
    assert len(list(directory.glob("tool_*"))) == 1


@pytest.mark.parametrize("damage", ["missing", "short", "changed", "link", "directory"])
def test_content_kept_again_over_damage_is_whole_under_its_old_name(
    disk_store: DiskStore, directory: Path, clock: Clock, damage: str
) -> None:
    record = put(disk_store, BIG)
    path = file_of(record)
    clock.forward(seconds=1)
    if damage == "changed":
        path.write_bytes(b"x" * len(BIG))
    elif damage == "short":
        os.truncate(path, 5)
    else:
        path.unlink()
        if damage == "link":
            path.symlink_to("/etc/hostname")
        elif damage == "directory":
            path.mkdir()
    again = put(disk_store, BIG)
    assert (again.name, path.read_bytes()) == (record.name, BIG)
    assert disk_store.read(record.handle, 0, len(BIG)) == BIG
    assert disk_store.check(read_data=True) == []
    aside = list(directory.glob(".damaged-*"))
    assert len(aside) == (0 if damage == "missing" else 1)


def test_a_file_that_was_touched_but_not_changed_is_taken_again(disk_store: DiskStore, clock: Clock) -> None:
    record = put(disk_store, BIG)
    inode = file_of(record).stat().st_ino
    os.utime(file_of(record), (1, 1))
    put(disk_store, BIG)
    assert file_of(record).stat().st_ino == inode
    assert file_of(record).stat().st_mtime == pytest.approx(clock.now, abs=1e-6)


def test_expired_content_takes_another_name_where_its_own_is_taken(disk_store: DiskStore, clock: Clock) -> None:
    record = put(disk_store, b"content")
    clock.forward(days=8)
    disk_store.sweep()
    file_of(record).write_bytes(b"somebody else's")
    again = put(disk_store, b"content")
    assert again.name != record.name
    assert file_of(record).read_bytes() == b"somebody else's"
    assert disk_store.read(record.handle, 0, 99) == b"content"


# -- reading


def test_read_touches_only_its_blocks(disk_store: DiskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    record = put(disk_store, BIG)
    read = []
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: (read.append(size), real(descriptor, size))[1])
    disk_store.read(record.handle, 2 * BLOCK + 5, 10)
    assert sum(read) == BLOCK
    read.clear()
    disk_store.read(record.handle, 2 * BLOCK - 5, 10)
    assert sum(read) == 2 * BLOCK
    read.clear()
    disk_store.seek_line(record.handle, 200_000)
    assert read == []


def test_damage_is_told_where_it_is_and_nowhere_else(disk_store: DiskStore) -> None:
    record = put(disk_store, BIG)
    with file_of(record).open("r+b") as file:
        file.seek(2 * BLOCK + 17)
        file.write(b"\xff")
    assert disk_store.read(record.handle, 0, 2 * BLOCK) == BIG[: 2 * BLOCK]
    assert disk_store.read(record.handle, 3 * BLOCK, 9) == BIG[3 * BLOCK : 3 * BLOCK + 9]
    for offset in (2 * BLOCK, 3 * BLOCK - 1, 0):
        with pytest.raises(Damaged):
            disk_store.read(record.handle, offset, 3 * BLOCK)


def test_a_file_of_another_length_is_damaged_also_where_it_is_right(disk_store: DiskStore) -> None:
    record = put(disk_store, BIG)
    with file_of(record).open("ab") as file:
        file.write(b"more")
    for ask in (lambda: disk_store.read(record.handle, 0, 1), lambda: disk_store.stat(record.handle)):
        with pytest.raises(Damaged, match="bytes"):
            ask()
    assert list(disk_store.records()) == []


def test_a_missing_file_is_damage_until_it_has_expired(disk_store: DiskStore, clock: Clock) -> None:
    record = put(disk_store, b"content")
    file_of(record).unlink()
    with pytest.raises(Damaged, match="missing"):
        disk_store.read(record.handle, 0, 1)
    with pytest.raises(Damaged, match="missing"):
        disk_store.stat(record.handle)
    clock.forward(days=8)
    with pytest.raises(ExpiredHandle):
        disk_store.read(record.handle, 0, 1)


@pytest.mark.parametrize("plant", ["link", "dangling link", "directory", "FIFO", "socket"])
def test_what_is_planted_in_the_place_of_a_file_is_not_followed_or_waited_for(
    disk_store: DiskStore, tmp_path: Path, plant: str
) -> None:
    record = put(disk_store, b"content")
    path = file_of(record)
    path.unlink()
    (tmp_path / "same").write_bytes(b"content")
    if plant == "link":
        path.symlink_to(tmp_path / "same")
    elif plant == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    elif plant == "directory":
        path.mkdir()
    elif plant == "FIFO":
        os.mkfifo(path)
    else:
        listener = socket.socket(socket.AF_UNIX)
        before = Path.cwd()
        os.chdir(path.parent)  # the name of a socket may not be long
        listener.bind(path.name)
        os.chdir(before)
        listener.close()
    with pytest.raises(StoreError):
        disk_store.read(record.handle, 0, 1)
    assert list(disk_store.records()) == []


def test_a_result_that_expires_and_comes_back_while_it_is_opened_is_read(
    disk_store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = put(disk_store, b"content")
    looked = disk_store._look

    def look_then_lose(handle: object) -> object:
        found = looked(record.handle)
        if file_of(record).exists():
            disk_store.delete(record.handle)
            monkeypatch.setattr(disk_store, "_look", looked)
            put(disk_store, b"content")
            file_of(record).rename(file_of(record).with_name("away"))
        return found

    monkeypatch.setattr(disk_store, "_look", look_then_lose)
    with pytest.raises(Damaged, match="missing"):
        disk_store.read(record.handle, 0, 9)
    put(disk_store, b"content")
    assert disk_store.read(record.handle, 0, 9) == b"content"


# -- the directory is not ours to write


UNPRIVILEGED = """
import os, sys
from penstock.stores.disk import DiskStore
from penstock.stores.contract import keep
from penstock.errors import StoreError
if os.getuid() == 0:  # after the imports: Python itself may be where only root can read
    os.setgid(65534); os.setuid(65534)
store = DiskStore(sys.argv[1], durability="none")
record = keep(store, b"content", tool="Bash", media="text")
store.close()
os.chmod(sys.argv[1], 0o500)
store = DiskStore(sys.argv[1])
assert store.read(record.handle, 0, 99) == b"content"
assert [found.handle for found in store.records()] == [record.handle]
assert [found.problem for found in store.check(read_data=True)] == ["permission"]
for data in (b"content", b"other"):
    try:
        keep(store, data, tool="Bash", media="text")
    except StoreError as error:
        assert "Permission denied" in str(error), error
    else:
        raise AssertionError("kept in a directory that cannot be written")
assert store.read(record.handle, 0, 99) == b"content"
os.chmod(sys.argv[1], 0o700)
keep(store, b"other", tool="Bash", media="text")
assert len(list(store.records())) == 2
"""


def test_a_directory_that_cannot_be_written_can_be_read(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = Path(f"/tmp/penstock-unprivileged-{os.getpid()}")
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    try:
        subprocess.run([sys.executable, "-W", "error", "-c", UNPRIVILEGED, str(place / "store")], check=True)
    finally:
        subprocess.run(["rm", "-rf", str(place)], check=True)


# -- processes


def admit(directory: Path, number: int, count: int, results: object) -> None:
    store = DiskStore(directory, durability="none")
    kept = []
    for turn in range(count):
        own = b"%d of process %d\n" % (turn, number) * 300
        record = keep(store, own, tool="Bash", media="text")
        shared = keep(store, b"shared %d\n" % turn * 30_000, tool="Bash", media="text")
        assert store.read(record.handle, 0, len(own)) == own
        kept += [(record.handle, record.name), (shared.handle, shared.name)]
    store.close()
    results.put(kept)  # type: ignore[attr-defined]


def no_locks(descriptor: int, how: int) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


@pytest.mark.parametrize("method", ["spawn", "fork", "fork without file locks"])
def test_eight_processes_at_once_lose_and_double_nothing(
    directory: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "without" in method:
        monkeypatch.setattr(fcntl, "flock", no_locks)
        put(DiskStore(directory, durability="none"), b"the index is made")
    context = multiprocessing.get_context(method[:5].strip())
    results = context.Queue()
    count = 15
    workers = [context.Process(target=admit, args=(directory, number, count, results)) for number in range(8)]
    for worker in workers:
        worker.start()
    kept = [pair for _ in workers for pair in results.get(timeout=60)]
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    store = DiskStore(directory)
    names = dict(kept)
    assert len(names) == 8 * count + count
    assert set(kept) == set(names.items())  # one name for a handle, in every process
    store.delete(handle_for(b"the index is made")) if "without" in method else None
    assert {record.handle: record.name for record in store.records()} == names
    assert {path.name for path in directory.glob("tool_*")} == set(names.values())
    assert store.check(read_data=True) == []
    assert not list(directory.glob(".part-*"))
    store.close()


def test_a_forked_child_uses_its_own_connection(disk_store: DiskStore) -> None:
    record = put(disk_store, b"of the parent")
    writer = disk_store.open()
    writer.write(BIG)
    child = os.fork()
    if child == 0:
        try:
            assert disk_store.read(record.handle, 0, 99) == b"of the parent"
            put(disk_store, b"of the child")
            with pytest.raises(StoreError, match="fork"):
                writer.commit(tool="Bash", media="text")
            writer.abort()
        except BaseException:  # noqa: BLE001  # a forked test must not go on as pytest
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert writer.commit(tool="Bash", media="text").handle == handle_for(BIG)
    assert disk_store.read(handle_for(b"of the child"), 0, 99) == b"of the child"
    assert disk_store.check(read_data=True) == []


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # it is what is tested
def test_a_fork_while_another_thread_keeps_does_not_hang_the_child(disk_store: DiskStore) -> None:
    put(disk_store, b"first")
    end = threading.Event()

    def keep_on() -> None:
        number = 0
        while not end.is_set():
            put(disk_store, b"%d" % number)
            number += 1

    thread = threading.Thread(target=keep_on)
    thread.start()
    try:
        for turn in range(10):
            child = os.fork()
            if child == 0:
                try:
                    put(disk_store, b"child %d" % turn)
                except BaseException:  # noqa: BLE001  # a forked test must not go on as pytest
                    os._exit(1)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        end.set()
        thread.join()
    assert {b"child %d" % turn for turn in range(10)} <= {
        disk_store.read(r.handle, 0, 99) for r in disk_store.records()
    }


def test_store_is_used_again_after_close(disk_store: DiskStore) -> None:
    record = put(disk_store, b"content")
    disk_store.close()
    assert disk_store.read(record.handle, 0, 99) == b"content"


MEASURE = """
import resource, sys
from penstock.stores.disk import DiskStore
store = DiskStore(sys.argv[1], durability="none")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
writer = store.open()
piece = b"line of a long output\\n" * 3000
for _ in range(int(sys.argv[2])):
    writer.write(piece)
record = writer.commit(tool="Bash", media="text")
offset = 0
while data := store.read(record.handle, offset, 1 << 20):
    offset += len(data)
assert store.check(read_data=True) == [] and offset == record.size
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_result(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "store"), "3000"]  # 198 MB
    grown = int(subprocess.run(command, check=True, capture_output=True).stdout)
    assert grown < 40_000  # kB


def test_importing_the_store_does_not_import_what_it_may_not_need() -> None:
    question = "import sys, json, penstock.stores.disk; print(json.dumps(sorted(sys.modules)))"
    modules = json.loads(subprocess.run([sys.executable, "-c", question], check=True, capture_output=True).stdout)
    assert "concurrent.futures" not in modules
    assert "multiprocessing" not in modules
