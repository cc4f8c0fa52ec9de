"""No room: a small disk that fills up, a limit on the size of files, and what a full store can still do."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from judge import History, faults_of, states_of
from worker import DAY, content, keeps, lines_of, start

from penstock import Gate, Limits
from penstock.core.handle import Handle
from penstock.errors import StoreFull
from penstock.ledger.sqlite import SqliteLedger
from penstock.stores.contract import keep
from penstock.stores.disk import DiskStore
from penstock.stores.files import INDEX


def fill(disk: Path, *, leave: int = 0) -> Path:
    """Something else takes the rest of the disk, but for `leave` bytes."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError as failure:
                assert failure.errno == errno.ENOSPC
    os.truncate(filler, filler.stat().st_size - leave)
    return filler


def keep_until_full(store: DiskStore, history: History) -> None:
    with pytest.raises(StoreFull):
        for number in range(4, 1_000, 6):  # those are the large ones
            keep(store, content(number), tool="grep", media="text")
            history.may[number] = {"kept"}


def test_full_disk_refuses_a_result_and_keeps_the_others(tmpfs: Callable[..., Path]) -> None:
    directory, history = tmpfs("size=2m") / "store", History()
    store = DiskStore(directory)
    keep_until_full(store, history)
    assert len(history.may) >= 4
    assert set(states_of(store, history).values()) == {"kept"}
    assert store.check(read_data=True) == []
    for number in (4, 10):
        store.delete(next(record.handle for record in store.records() if record.size == len(content(number))))
    keep(store, content(2), tool="grep", media="text")
    store.close()


def test_refused_result_gives_its_room_back(tmpfs: Callable[..., Path]) -> None:
    disk = tmpfs("size=2m")
    store = DiskStore(disk / "store")
    keep_until_full(store, History())
    free = shutil.disk_usage(disk).free
    for _ in range(3):
        with pytest.raises(StoreFull):
            keep(store, content(4) * 4, tool="grep", media="text")
    assert shutil.disk_usage(disk).free >= free - 64 * 1024
    store.close()


@pytest.mark.parametrize("leave", [0, 4_096, 16_384])
def test_disk_without_any_room_can_still_be_swept(tmpfs: Callable[..., Path], leave: int) -> None:
    """A store that needs room to give room back would stay full for ever."""
    disk = tmpfs("size=2m")
    now = [time.time()]
    store = DiskStore(disk / "store", clock=lambda: now[0])
    for number in (1, 2, 4):
        keep(store, content(number), tool="grep", media="text")
    store.close()
    fill(disk, leave=leave)
    now[0] += 8 * DAY
    free = shutil.disk_usage(disk).free
    store = DiskStore(disk / "store", clock=lambda: now[0])
    store.sweep()
    assert shutil.disk_usage(disk).free - free > 200_000
    keep(store, content(5), tool="grep", media="text")
    assert states_of(store, History({5: {"kept"}})) == {5: "kept"}
    store.close()


def test_results_stay_readable_on_a_disk_without_any_room(tmpfs: Callable[..., Path]) -> None:
    disk = tmpfs("size=2m")
    directory = disk / "store"
    history = History().add(lines_of(start(directory, "keep:1 keep:2 keep:4")))
    fill(disk)
    store = DiskStore(directory)
    assert set(states_of(store, history).values()) == {"kept"}
    with pytest.raises(StoreFull):
        keep(store, content(2_000 * 6 + 2), tool="grep", media="text")
    assert store.check(read_data=True) == []
    store.close()


def test_ledger_stays_readable_on_a_disk_without_any_room(tmpfs: Callable[..., Path]) -> None:
    disk = tmpfs("size=2m")
    with Gate(directory=disk / "store", limits=Limits(lines=10)) as gate:
        handle = gate.admit("line\n" * 1_000).handle
        gate.read(str(handle), limit=3)
    fill(disk)
    ledger = SqliteLedger(disk / "store" / INDEX)
    for _ in range(2):
        (totals,) = ledger.totals()
        assert (totals.admissions, totals.truncated, totals.read_backs) == (1, 1, 1)
        assert ledger.shown(Handle(str(handle)))
    ledger.close()


def test_processes_on_a_disk_that_fills_up_lose_nothing_acknowledged(tmpfs: Callable[..., Path]) -> None:
    disk = tmpfs("size=2m")
    history = History()
    workers = [start(disk / "store", keeps(first, 60)) for first in (0, 100)]
    for worker in workers:
        history.add(lines_of(worker))
    assert any("StoreFull" in line for line in history.refused)
    subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
    assert faults_of(disk / "store", history) == []


def test_result_over_the_largest_file_size_is_refused_and_others_are_kept(place: Path) -> None:
    """A limit on the size of files (ulimit -f) is met in the middle of a write."""
    if (prlimit := shutil.which("prlimit")) is None:
        pytest.skip("prlimit (util-linux) is absent")
    worker = start(place / "store", "keep:2 keep:4 keep:5 read:2", before=[prlimit, "--fsize=150000"])
    history = History().add(lines_of(worker))
    assert [line.split()[:3] for line in history.refused] == [["error", "keep:4", "StoreFull"]] * 2
    assert faults_of(place / "store", history) == []


@pytest.mark.parametrize("files", [5, 6, 7, 8, 9, 10, 12])
def test_process_without_file_descriptors_is_refused_and_not_broken(place: Path, files: int) -> None:
    if (prlimit := shutil.which("prlimit")) is None:
        pytest.skip("prlimit (util-linux) is absent")
    worker = start(place / "store", "keep:1", "keep:4", "read:1", before=[prlimit, f"--nofile={files}"])
    assert faults_of(place / "store", History().add(lines_of(worker))) == []
