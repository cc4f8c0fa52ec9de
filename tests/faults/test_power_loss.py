"""The power fails. What the store acknowledged is there afterwards; what it holds is whole."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import pytest
from amnesia import Amnesia
from judge import History, faults_of, open_after, state_of, states_of
from worker import Durability, content, lines_of, start

from penstock.errors import StoreError
from penstock.stores.contract import keep
from penstock.stores.disk import DiskStore

LOSSES_OF_ONE_STORE = 5
LAST_CHANGE = 1_000  # of a worker before its power is cut; a result takes about twenty


def lose(amnesia: Amnesia, directory: Path, history: History, seed: int, durability: str = "full") -> None:
    """A worker keeps things until the power is cut; in every second loss some unsynced writes survive."""
    amnesia.tell("arm", random.Random(seed).randrange(1, LAST_CHANGE))
    history.add(lines_of(start(directory, f"forever:{seed}", durability=durability)))
    amnesia.lose_power(seed=seed, survive=0.5 * (seed % 2))


def lose_often(amnesia: Amnesia, losses: int) -> int:
    """How many steps were acknowledged, all of which are still true."""
    histories = []
    for seed in range(1, losses + 1):
        if seed % LOSSES_OF_ONE_STORE == 1:
            directory, history = amnesia.path / f"store {seed}", History()
            histories.append(history)
        lose(amnesia, directory, history, seed)
        assert faults_of(directory, history) == [], f"after loss {seed}"
    return sum(history.acknowledged for history in histories)


def test_power_loss_takes_nothing_that_was_acknowledged(amnesia: Amnesia) -> None:
    assert lose_often(amnesia, 5) > 20


@pytest.mark.faults
def test_hundred_power_losses_take_nothing_that_was_acknowledged(amnesia: Amnesia) -> None:
    assert lose_often(amnesia, 100) > 500


STEPS = "keep:1 keep:2 keep:4 keep:1 delete:2 keep:6 age:8 keep:1 sweep keep:2 reopen keep:8"


def cut_at(amnesia: Amnesia, change: int, survive: float) -> bool:
    """Whether the power was cut before the steps were done."""
    directory, history = amnesia.path / f"cut {change} {survive}", History()
    amnesia.tell("arm", change)
    history.add(lines_of(start(directory, STEPS)))
    changes = amnesia.lose_power(seed=change, survive=survive)
    assert faults_of(directory, history) == [], f"after a cut before change {change}, survival {survive}"
    return changes >= change


def test_power_loss_before_chosen_changes_takes_nothing_that_was_acknowledged(amnesia: Amnesia) -> None:
    for change in range(7, 250, 27):
        cut_at(amnesia, change, survive=0.5)


def test_first_result_in_new_folders_survives_a_power_loss(amnesia: Amnesia) -> None:
    """Each folder on the way has to be made durable in the one above it."""
    directory = amnesia.path / "new" / "newer" / "tool-output"
    history = History().add(lines_of(start(directory, "keep:1")))
    amnesia.lose_power()
    assert faults_of(directory, history) == []


def test_first_result_in_a_folder_that_somebody_just_made_survives_a_power_loss(amnesia: Amnesia) -> None:
    """Such as a process that was killed before it could make the folder durable."""
    directory = amnesia.path / "tool-output"
    directory.mkdir()
    history = History().add(lines_of(start(directory, "keep:1")))
    amnesia.lose_power()
    assert faults_of(directory, history) == []


@pytest.mark.faults
@pytest.mark.parametrize("survive", [0.0, 0.5])
def test_power_loss_before_any_change_takes_nothing_that_was_acknowledged(amnesia: Amnesia, survive: float) -> None:
    change = 1
    while cut_at(amnesia, change, survive):
        change += 1
    assert change > 50


@pytest.mark.parametrize("durability", ["normal", "none"])
def test_result_kept_again_at_full_durability_survives_a_power_loss(amnesia: Amnesia, durability: Durability) -> None:
    """It is not written again, but all that the first process left undone has to be done now."""
    full = DiskStore(amnesia.path)
    keep(full, content(1), tool="grep", media="text")
    lines_of(start(amnesia.path, "keep:2 keep:4", durability=durability))
    keep(full, content(4), tool="grep", media="text")
    amnesia.tell("cut")
    with contextlib.suppress(StoreError):
        full.close()
    amnesia.lose_power()
    store = DiskStore(amnesia.path)
    assert [state_of(store, content(number)) for number in (1, 4)] == ["kept", "kept"]
    store.close()


def fail_sync(amnesia: Amnesia, number: int) -> bool:
    """Whether there was such a sync to fail: what it should have kept is gone, then the power fails."""
    directory, history = amnesia.path / f"sync {number}", History()
    amnesia.tell("fail", number)
    history.add(lines_of(start(directory, STEPS)))
    came = amnesia.tell("left") <= 0
    amnesia.lose_power(seed=number)
    assert faults_of(directory, history) == [], f"after sync {number} failed"
    return came


def test_failed_sync_of_any_file_is_never_acknowledged(amnesia: Amnesia) -> None:
    assert all(fail_sync(amnesia, number) for number in (1, 4, 6, 9))


@pytest.mark.faults
def test_failed_syncs_up_to_the_last_are_never_acknowledged(amnesia: Amnesia) -> None:
    number = 1
    while fail_sync(amnesia, number):
        number += 1
    assert number > 10


@pytest.mark.parametrize("durability", ["normal", "none"])
@pytest.mark.parametrize("losses", [2, pytest.param(20, marks=pytest.mark.faults)])
def test_less_durable_store_may_lose_but_never_serves_wrong_bytes(
    amnesia: Amnesia, durability: Durability, losses: int
) -> None:
    lost = 0
    for seed in range(losses):
        directory, history = amnesia.path / f"store {seed}", History()
        lose(amnesia, directory, history, seed, durability)
        try:
            store = open_after(directory, history, durability)
        except StoreError:
            lost += 1
            continue
        states = states_of(store, history)
        store.check(read_data=True, repair=True)
        assert "wrong" not in states.values()
        assert "damaged" not in states_of(store, history).values(), "repair takes away what cannot be read"
        lost += sum(state not in history.may[number] for number, state in states.items())
        store.close()
    # Otherwise these power losses are none, and the tests of full durability above could not fail.
    assert durability != "none" or lost > 0
