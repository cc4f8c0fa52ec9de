"""Several processes on one store; a store that may only be read; an index that disappears under them."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from judge import INDEX, OWN_FILES, History, faults_of, open_after, states_of
from worker import content, first_line_of, keeps, lines_of, start

from penstock.errors import PenstockError, StoreError
from penstock.stores.contract import keep
from penstock.stores.disk import DiskStore

PROCESSES = 8


def together(directory: Path, steps_of: Callable[[int], str]) -> History:
    workers = [start(directory, steps_of(number)) for number in range(PROCESSES)]
    history = History()
    for worker in workers:
        history.add(lines_of(worker))
    assert history.refused == []
    return history


def test_eight_processes_keeping_the_same_content_keep_it_once(tmp_path: Path) -> None:
    history = together(tmp_path / "store", lambda process: keeps(0, 12))
    assert faults_of(tmp_path / "store", history) == []
    store = open_after(tmp_path / "store", history)
    assert len(list(store.records())) == 12
    assert len([path for path in (tmp_path / "store").iterdir() if path.name not in OWN_FILES]) == 12
    store.close()


def test_eight_processes_keeping_different_contents_lose_none(tmp_path: Path) -> None:
    history = together(
        tmp_path / "store",
        lambda process: keeps(process * 100, 12),
    )
    assert faults_of(tmp_path / "store", history) == []
    store = open_after(tmp_path / "store", history)
    assert len(list(store.records())) == 12 * PROCESSES
    assert max(Counter(record.name for record in store.records()).values()) == 1
    store.close()


def test_processes_that_delete_and_keep_the_same_content_leave_it_whole_or_expired(tmp_path: Path) -> None:
    """What wins is a race; that the answer is one of the two, and the file agrees with it, is not."""
    directory = tmp_path / "store"
    keep(store := DiskStore(directory), content(1), tool="grep", media="text")
    verbs = ("keep:1", "delete:1", "keep:2", "sweep", "delete:2")
    workers = [start(directory, *random.Random(process).choices(verbs, k=30), "keep:7") for process in range(PROCESSES)]
    history = History({1: {"kept", "expired"}, 2: {"kept", "expired"}, 7: {"kept"}})
    for worker in workers:
        assert not [line for line in lines_of(worker) if "error" in line and "Handle" not in line]
    store.close()
    assert faults_of(directory, history) == []


@pytest.mark.faults
def test_process_that_stopped_with_the_lock_does_not_stop_the_others_for_ever(place: Path) -> None:
    """Ctrl-Z, a debugger, a container that is frozen. No answer at all is worse than a refusal."""
    lines_of(start(place / "store", "keep:1"))
    with (place / "store" / ".lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        worker = start(place / "store", "keep:2")
        try:
            lines = lines_of(worker)
        finally:
            worker.kill()
    assert any(line.startswith("error keep:2 StoreError") for line in lines)


# -- a store that may only be read


def assert_only_reads(directory: Path, *, before: list[str]) -> None:
    steps = "read:1 keep:2 read:1 delete:1 sweep reopen read:1 keep:1"
    worker = start(directory, steps, before=before)
    lines = lines_of(worker)
    assert lines.count("ok read:1") == 3, lines
    assert "ok keep:2" not in lines
    assert "ok delete" not in lines


def test_store_on_a_read_only_disk_reads_and_refuses_to_keep(tmpfs: Callable[..., Path]) -> None:
    disk = tmpfs("size=4m")
    lines_of(start(disk / "store", "keep:1"))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert_only_reads(disk / "store", before=[])


def test_directory_without_write_permission_is_read_and_keeps_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    lines_of(start(directory, "keep:1"))
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    if nobody:
        probe = [*nobody, sys.executable, "-c", f"import penstock.stores.disk; open({__file__!r})"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            pytest.skip("Python cannot be run by another user than root, whom no permission stops")
        subprocess.run(["chmod", "-R", "a+rX", str(tmp_path)], check=True)
        for parent in itertools.takewhile(lambda folder: folder != Path(tempfile.gettempdir()), tmp_path.parents):
            parent.chmod(0o755)
    directory.chmod(0o555)
    try:
        assert_only_reads(directory, before=nobody)
    finally:
        directory.chmod(0o755)


# -- an index that disappears


def delete_index(directory: Path) -> None:
    for name in INDEX:
        (directory / name).unlink(missing_ok=True)


def overwrite_index(directory: Path) -> None:
    for name in INDEX:
        with contextlib.suppress(FileNotFoundError), (directory / name).open("r+b") as file:
            file.write(random.Random(1).randbytes(os.fstat(file.fileno()).st_size))


def overwrite_part_of_index(directory: Path) -> None:
    """The header stays: SQLite opens it, and meets rubbish only on the way."""
    path = directory / "index.sqlite"
    data = path.read_bytes()
    path.write_bytes(data[:100] + random.Random(1).randbytes(max(0, len(data) - 100)))


def empty_index(directory: Path) -> None:
    os.truncate(directory / "index.sqlite", 0)


def overwrite_log(directory: Path) -> None:
    if (log := directory / "index.sqlite-wal").exists():
        log.write_bytes(random.Random(1).randbytes(log.stat().st_size))


def delete_log(directory: Path) -> None:
    (directory / "index.sqlite-wal").unlink(missing_ok=True)


INDEX_FAULTS = (
    delete_index,
    overwrite_index,
    overwrite_part_of_index,
    empty_index,
    overwrite_log,
    delete_log,
)


@pytest.mark.parametrize("opened", [True, False], ids=["opened", "closed"])
@pytest.mark.parametrize("fault", INDEX_FAULTS)
def test_lost_index_costs_no_result(place: Path, fault: Callable[[Path], None], opened: bool) -> None:
    """Handles are made of content, so an index can be told from the files."""
    directory = place / "store"
    store = DiskStore(directory)
    for number in range(8):
        keep(store, content(number), tool="grep", media="text")
    if not opened:
        store.close()
    fault(directory)
    history = History({number: {"kept"} for number in range(8)})
    if opened:  # it may refuse now and then, but in our own words
        for number in range(8, 12):
            try:
                keep(store, content(number), tool="grep", media="text")
                history.may[number] = {"kept"}
                assert "wrong" not in states_of(store, history).values()
            except StoreError:
                pass
        store.close()
    repaired = open_after(directory, history)
    repaired.check(read_data=True, repair=True)
    assert states_of(repaired, history) == dict.fromkeys(history.may, "kept")
    assert repaired.check(read_data=True) == []
    repaired.close()


@pytest.mark.parametrize("fault", [delete_index, overwrite_index])
def test_index_lost_under_working_processes_costs_no_result(place: Path, fault: Callable[[Path], None]) -> None:
    directory, history = place / "store", History()
    workers = [start(directory, keeps(first, 80)) for first in (0, 100, 200)]
    for _ in range(20):
        history.add([first_line_of(workers[0])])
    for _ in range(3):
        fault(directory)
        time.sleep(0.02)
    for worker in workers:
        history.add(lines_of(worker))
    repaired = open_after(directory, history)
    repaired.check(read_data=True, repair=True)
    states = states_of(repaired, history)
    repaired.close()
    assert {number: state for number, state in states.items() if state not in history.may[number]} == {}


def test_store_directory_deleted_under_an_open_store_is_an_answer_and_not_a_crash(place: Path) -> None:
    store = DiskStore(place / "store")
    kept = keep(store, content(1), tool="grep", media="text")
    shutil.rmtree(place / "store")
    with pytest.raises(PenstockError):
        store.read(kept.handle, 0, 10)
    try:
        again = keep(store, content(2), tool="grep", media="text")
        assert store.read(again.handle, 0, 10) == content(2)[:10]
    except StoreError:
        pass
    store.close()
