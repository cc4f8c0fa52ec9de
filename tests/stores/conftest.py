"""Stores under a clock that only tests move. A further store joins the contract test by one line in STORES."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from penstock.stores.contract import Store
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore

DAY = 86_400.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_760_000_000.25

    def __call__(self) -> float:
        return self.now

    def forward(self, *, days: float = 0, seconds: float = 0) -> None:
        self.now += days * DAY + seconds


def disk(place: Path, clock: Clock, **options: Any) -> Store:
    return DiskStore(place / "tool-output", **{"durability": "none", "clock": clock, **options})


def memory(place: Path, clock: Clock, **options: Any) -> Store:
    return MemoryStore(clock=clock, **options)


STORES: dict[str, Callable[..., Store]] = {"memory": memory, "disk": disk}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=list(STORES))
def make(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Store]]:
    """Makes the store that is under test."""
    with ExitStack() as stack:

        def make(**options: Any) -> Store:
            store = STORES[request.param](tmp_path, clock, **options)
            stack.callback(store.close)
            return store

        yield make


@pytest.fixture
def store(make: Callable[..., Store]) -> Store:
    return make()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "tool-output"


@pytest.fixture
def make_disk(directory: Path, clock: Clock) -> Iterator[Callable[..., DiskStore]]:
    """Makes disk stores on one directory: as several processes would have."""
    with ExitStack() as stack:

        def make(**options: Any) -> DiskStore:
            store = DiskStore(directory, **{"durability": "none", "clock": clock, **options})
            stack.callback(store.close)
            return store

        yield make


@pytest.fixture
def disk_store(make_disk: Callable[..., DiskStore]) -> DiskStore:
    return make_disk()
