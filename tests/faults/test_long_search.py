"""A search that would take longer than it may: it ends in time, with what it found so far, and can be gone on with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from penstock.core.limits import Limits
from penstock.core.rules import PlainRules
from penstock.gate import BareGate
from penstock.stores.disk import DiskStore

LINE = b"2026-11-18T12:00:00Z INFO a worker handled a request, nothing to see here\n"
NEEDLE = b"the needle aaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n"
BLOCK = LINE * 14_000  # about a megabyte


def pieces(count: int) -> Iterator[bytes]:
    yield NEEDLE
    for _ in range(count):
        yield BLOCK
    yield NEEDLE


def assert_ends_in_time(place: Path, megabytes: int, seconds: float) -> None:
    """The pattern is one that takes others exponential time at the needle, and matches nowhere else."""
    store = DiskStore(place / "kept", durability="none")
    with BareGate(rules=PlainRules(), store=store) as gate:
        handle = gate.capture(pieces(megabytes), tool="log").handle
        assert handle is not None
        hits = gate.grep(handle, "needle (a+)+!$", seconds=seconds, limits=Limits(chars=2_000))
        assert [hit.line for hit in hits.hits] == [1]
        assert (hits.complete, hits.ended) == (False, "time")
        assert 0 < hits.searched < megabytes * len(BLOCK)
        assert "time limit" in hits.text
        assert hits.next is not None
        rest = gate.grep(handle, "needle (a+)+!$", seconds=600, start=hits.next["start"], context=0)
        assert [hit.line for hit in rest.hits] == [megabytes * 14_000 + 2]
        assert rest.complete


def test_search_through_megabytes_ends_at_its_time_limit(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A clock of its own: how far a busy machine comes in a moment is anybody's guess.
    seconds = count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds), perf_counter=time.perf_counter, time=time.time)
    monkeypatch.setattr("penstock.gate.time", clock)
    assert_ends_in_time(place, 20, 4)


@pytest.mark.faults
def test_search_through_a_gigabyte_ends_at_its_time_limit(place: Path) -> None:
    assert_ends_in_time(place, 980, 0.5)
