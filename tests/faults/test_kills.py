"""Processes are killed at any moment, without a chance to tidy up."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from judge import History, faults_of
from worker import first_line_of, keeps, lines_of, start

KILLS_OF_ONE_STORE = 10


def kill_often(place: Path, kills: int) -> int:
    """How many steps were acknowledged, all of which are still true."""
    histories = []
    for seed in range(1, kills + 1):
        if seed % KILLS_OF_ONE_STORE == 1:
            directory, history = place / f"store {seed}", History()
            histories.append(history)
        worker = start(directory, f"forever:{seed}")
        first = first_line_of(worker)  # starting Python is not what is interrupted here
        time.sleep(random.Random(seed).uniform(0.0, 0.25))
        worker.kill()
        history.add([first, *lines_of(worker, killed=True)])
        assert all("ExpiredHandle" in line or "UnknownHandle" in line for line in history.refused)
        assert faults_of(directory, history) == [], f"after kill {seed}"
    return sum(history.acknowledged for history in histories)


def test_killed_processes_leave_all_that_they_acknowledged(tmp_path: Path) -> None:
    assert kill_often(tmp_path, 10) > 10


@pytest.mark.faults
def test_two_hundred_killed_processes_leave_all_that_they_acknowledged(tmp_path: Path) -> None:
    assert kill_often(tmp_path, 200) > 400


def test_process_killed_beside_others_does_not_hinder_them(tmp_path: Path) -> None:
    """A killed process may hold a lock of the index; the system must take it back."""
    directory, history = tmp_path / "store", History()
    victims = [start(directory, f"forever:{seed}") for seed in (1, 2)]
    for victim in victims:
        history.add([first_line_of(victim)])
    survivor = start(directory, keeps(0, 60))
    time.sleep(0.15)
    for victim in victims:
        victim.kill()
        history.add(lines_of(victim, killed=True))
    lines = lines_of(survivor)
    assert not any("error" in line for line in lines)
    assert faults_of(directory, history.add(lines)) == []
