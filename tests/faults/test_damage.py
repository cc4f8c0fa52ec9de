"""Kept files are damaged behind the store's back, their sizes and dates put right where that is possible."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from judge import state_of
from worker import content

from penstock.core.handle import handle_for
from penstock.errors import Damaged
from penstock.stores.contract import Record, keep
from penstock.stores.disk import DiskStore

NUMBERS = (12, 13, 14, 15, 16, 17, 18)  # one of each size; 12 and 18 are equally long
PAGE = 10_000


def flip(path: Path, position: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << bit
    path.write_bytes(data)


def cut_to_half(path: Path, other: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def swap(path: Path, other: Path) -> None:
    """The second of the pair is looked at through the first: both hold what the other should."""
    aside = path.with_name("aside")
    path.rename(aside)
    other.rename(path)
    aside.rename(other)


def replace_by_folder(path: Path, other: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_link(path: Path, other: Path) -> None:
    path.unlink()
    path.symlink_to(other)


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "first bit flipped": lambda path, other: flip(path, 0),
    "last bit flipped": lambda path, other: flip(path, -1, 7),
    "bit in the middle flipped": lambda path, other: flip(path, path.stat().st_size // 2, 3),
    "last byte cut off": lambda path, other: os.truncate(path, path.stat().st_size - 1),
    "half cut off": cut_to_half,
    "all cut off": lambda path, other: os.truncate(path, 0),
    "byte appended": lambda path, other: path.write_bytes(path.read_bytes() + b"\n"),
    "zeros": lambda path, other: path.write_bytes(bytes(path.stat().st_size)),
    "swapped": swap,
    "other's content": lambda path, other: path.write_bytes(other.read_bytes()),
    "missing": lambda path, other: path.unlink(),
    "folder": replace_by_folder,
    "link": replace_by_link,
}


@pytest.fixture
def full(place: Path) -> Path:
    directory = place / "full"
    store = DiskStore(directory)
    for number in NUMBERS:
        keep(store, content(number), tool="grep", media="text")
    assert store.check(read_data=True) == []
    store.close()
    return directory


def damaged(full: Path, number: int, damage: Callable[[Path, Path], object]) -> tuple[DiskStore, str]:
    """A store in which that result is damaged and still has its date, and the name of its file."""
    directory = full.with_name("damaged")
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(full, directory)
    store = DiskStore(directory)
    path, other = (directory / record_of(store, which).name for which in (number, 12 if number == 18 else 18))
    times = path.stat()
    damage(path, other)
    if path.is_file():
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return store, path.name


def record_of(store: DiskStore, number: int) -> Record:
    return store.stat(handle_for(content(number)))


def read_in_pages(store: DiskStore, number: int) -> int:
    """How many pages are refused. A page that is served is right."""
    data, refused = content(number), 0
    for offset in range(0, len(data), PAGE):
        try:
            page = store.read(handle_for(data), offset, PAGE)
        except Damaged:
            refused += 1
        else:
            assert page == data[offset : offset + PAGE]
    return refused


@pytest.mark.parametrize("damage", DAMAGES)
def test_check_finds_damage_and_no_page_of_it_is_served(full: Path, damage: str) -> None:
    for number in NUMBERS:
        store, name = damaged(full, number, DAMAGES[damage])
        found = {(finding.name, finding.problem) for finding in store.check(read_data=True)}
        assert found & {(name, "damaged"), (name, "missing")}, f"content {number} not among {found}"
        refused = read_in_pages(store, number)
        assert refused > 0 or damage == "byte appended", f"content {number}"
        others = [other for other in NUMBERS if other != number and not (damage == "swapped" and other in (12, 18))]
        assert [state_of(store, content(other)) for other in others] == ["kept"] * len(others)
        store.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_repair_takes_damage_away_and_the_same_content_can_be_kept_again(full: Path, damage: str) -> None:
    store, _ = damaged(full, 16, DAMAGES[damage])
    store.check(read_data=True, repair=True)
    assert store.check(read_data=True) == []
    assert state_of(store, content(16)) in ("expired", "unknown") or damage in ("byte appended", "swapped")
    keep(store, content(16), tool="grep", media="text")
    assert state_of(store, content(16)) == "kept"
    assert store.check(read_data=True) == []
    store.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_result_that_is_kept_again_is_whole_again(full: Path, damage: str) -> None:
    """Content that is known is not written twice, but only if what is there is that content."""
    store, _ = damaged(full, 16, DAMAGES[damage])
    keep(store, content(16), tool="grep", media="text")
    assert state_of(store, content(16)) == "kept"
    store.close()


@pytest.mark.parametrize("flips", [60, pytest.param(2_000, marks=pytest.mark.faults)])
def test_check_finds_every_flipped_bit(full: Path, flips: int) -> None:
    chance = random.Random(7)
    store, _ = damaged(full, 12, lambda path, other: None)
    for _ in range(flips):
        number = chance.choice(NUMBERS)
        record = record_of(store, number)
        path = full.with_name("damaged") / record.name
        position, bit = chance.randrange(record.size), chance.randrange(8)
        flip(path, position, bit)
        found = [(finding.problem, finding.handle) for finding in store.check(read_data=True)]
        assert found == [("damaged", record.handle)], f"bit {bit} of byte {position} of content {number}"
        flip(path, position, bit)
    assert store.check(read_data=True) == []
    store.close()
