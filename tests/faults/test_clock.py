"""The machine's clock is wrong, jumps, or runs away: libfaketime moves it for a process and its SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge import History, faults_of, open_after, states_of
from worker import lines_of, start


@pytest.fixture(scope="session")
def library() -> Path:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    if not found:
        pytest.skip("libfaketime is not installed: the machine's clock cannot be moved for a process")
    return found[0]


def at(library: Path, when: str, directory: Path, *steps: str) -> tuple[History, list[str]]:
    """Steps of a worker to which it is `when`; files keep their real dates, and timeouts their length."""
    settings = (f"LD_PRELOAD={library}", f"FAKETIME={when}", "NO_FAKE_STAT=1", "DONT_FAKE_MONOTONIC=1")
    lines = lines_of(start(directory, *steps, before=["env", *settings]))
    return History().add(lines), [line for line in lines if not line.startswith("start")]


def test_retention_ends_after_seven_days_and_not_after_six(place: Path, library: Path) -> None:
    directory = place / "store"
    at(library, "+0d", directory, "keep:1", "keep:2")
    assert at(library, "+6d", directory, "sweep", "read:1")[1] == ["ok sweep", "ok read:1", "ok close"]
    at(library, "+6d", directory, "keep:2")
    _, lines = at(library, "+8d", directory, "sweep", "read:1", "read:2")
    assert lines[0] == "ok sweep"
    assert lines[1].startswith("error read:1 ExpiredHandle")
    assert lines[2] == "ok read:2"


def test_results_past_retention_are_deleted_by_opening_and_keeping_alone(place: Path, library: Path) -> None:
    directory = place / "store"
    at(library, "+0d", directory, "keep:1")
    at(library, "+8d", directory, "keep:2", "keep:4")
    store = open_after(directory, History())
    assert states_of(store, History({1: {"expired"}})) == {1: "expired"}
    store.close()


def test_clock_set_back_by_a_year_deletes_nothing(place: Path, library: Path) -> None:
    directory = place / "store"
    history, _ = at(library, "+0d", directory, "keep:1", "keep:2")
    steps = "keep:4 sweep reopen sweep read:2 repair read:4"
    _, lines = at(library, "-400d", directory, steps)
    assert not any("error" in line for line in lines)
    store = open_after(directory, History())
    assert states_of(store, history) == {1: "kept", 2: "kept"}
    store.close()


def test_result_of_a_clock_that_was_ahead_is_readable_when_the_clock_is_right(place: Path, library: Path) -> None:
    directory = place / "store"
    at(library, "+4000d", directory, "keep:1")
    history, lines = at(library, "+0d", directory, "read:1", "keep:1", "keep:2", "sweep", "read:1")
    assert not any("error" in line for line in lines)
    assert faults_of(directory, history) == []
    assert at(library, "+8d", directory, "sweep", "read:1")[1][1].startswith("error read:1 ExpiredHandle")


@pytest.mark.parametrize("when", ["@1970-01-02 00:00:00", "@2038-01-19 03:14:00 x10", "@2100-03-01 00:00:00"])
def test_store_works_at_the_edges_of_time(place: Path, library: Path, when: str) -> None:
    steps = "keep:1 keep:2 keep:1 sweep read:1 read:2 repair"
    _, lines = at(library, when, place / "store", steps)
    assert not any("error" in line for line in lines)


def test_clock_that_runs_away_expires_results_but_never_damages_them(place: Path, library: Path) -> None:
    steps = " ".join(f"keep:{number} read:{number} read:{number // 2} sweep" for number in range(30))
    _, lines = at(library, "+0 x100000000", place / "store", steps)
    assert all(line.startswith("ok") or "ExpiredHandle" in line for line in lines)
    assert any("ExpiredHandle" in line for line in lines)
