"""Whatever breaks below the gate, a view is bounded, and it has a handle only if the whole was kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from amnesia import Amnesia
from judge import History, faults_of
from strace import CHANGING, CREATE, MARK, NAME, WRITE, meet, points
from worker import LIMITS, content, lines_of, start

from penstock.core.handle import parse_handle
from penstock.errors import StoreError, StoreFull
from penstock.gate import BareGate
from penstock.ledger.sqlite import SqliteLedger
from penstock.stores.disk import DiskStore

STEPS = "admit:1 admit:4 admit:1 admit:2 age:8 admit:2 reopen admit:8"


def gate_on(directory: Path, *, strict: bool = False) -> BareGate:
    return BareGate(store=DiskStore(directory), ledger=SqliteLedger(directory / "index.sqlite"), strict=strict)


def assert_says_that_the_rest_is_lost(gate: BareGate, number: int) -> None:
    view = gate.admit(content(number), tool="grep", limits=LIMITS)
    assert view.size.over(LIMITS) is None
    assert (view.handle, view.path) == (None, None)
    assert view.failure
    assert "not kept" in view.text
    assert "ps-" not in view.text
    assert view.truncation is not None
    assert (view.truncation.handle, view.truncation.full_output_path) == (None, None)


def fill(gate: BareGate) -> dict[int, str]:
    """Admits results until one is not kept; the handles of the others."""
    handles: dict[int, str] = {}
    for number in range(4, 1_000, 6):
        view = gate.admit(content(number), tool="grep", limits=LIMITS)
        if view.handle is None:
            break
        handles[number] = view.handle
    return handles


def test_gate_on_a_full_disk_shows_a_bounded_view_without_a_handle(tmpfs: Callable[..., Path]) -> None:
    gate = gate_on(tmpfs("size=2m") / "store")
    handles = fill(gate)
    assert len(handles) >= 4
    assert_says_that_the_rest_is_lost(gate, 1_000 * 6 + 4)
    for number, handle in handles.items():
        assert gate.store is not None
        assert gate.store.read(parse_handle(handle), 0, 10**6) == content(number)
    assert gate.read(handles[4], start=2, limit=1).text
    gate.close()


def test_strict_gate_on_a_full_disk_raises_store_full(tmpfs: Callable[..., Path]) -> None:
    directory = tmpfs("size=2m") / "store"
    fill(gate_on(directory))
    with gate_on(directory, strict=True) as gate, pytest.raises(StoreFull):
        gate.admit(content(1_000 * 6 + 4), tool="grep", limits=LIMITS)


def test_gate_keeps_again_once_there_is_room_again(tmpfs: Callable[..., Path]) -> None:
    directory = tmpfs("size=2m") / "store"
    gate = gate_on(directory)
    handles = fill(gate)
    assert gate.store is not None
    for handle in handles.values():
        gate.store.delete(parse_handle(handle))
    view = gate.admit(content(1_000 * 6 + 4), tool="grep", limits=LIMITS)
    assert view.handle is not None
    assert gate.store.read(view.handle, 0, 10**6) == content(1_000 * 6 + 4)
    gate.close()


def test_gate_without_a_place_for_its_store_shows_a_bounded_view_without_a_handle(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the folder should be")
    gate = gate_on(tmp_path / "store")
    assert_says_that_the_rest_is_lost(gate, 4)
    with pytest.raises(StoreError):
        gate.admit(content(4), tool="grep", limits=LIMITS, strict=True)
    assert gate.admit(content(0), tool="grep", limits=LIMITS).text == content(0).decode()
    gate.close()


def test_store_deleted_between_two_results_is_made_anew(place: Path) -> None:
    gate = gate_on(place / "store")
    assert gate.admit(content(4), tool="grep", limits=LIMITS).handle is not None
    shutil.rmtree(place / "store")
    view = gate.admit(content(4), tool="grep", limits=LIMITS)
    assert view.handle is None or gate.store is None or gate.store.read(view.handle, 0, 10**6) == content(4)
    gate.close()


def test_gate_whose_power_is_cut_promised_only_what_is_there(amnesia: Amnesia) -> None:
    for change in range(20, 320, 50):
        directory = amnesia.path / f"cut {change}"
        amnesia.tell("arm", change)
        history = History().add(lines_of(start(directory, STEPS)))
        amnesia.lose_power(seed=change, survive=0.5)
        assert history.refused == [], "a gate that is not strict does not raise"
        assert faults_of(directory, history) == []


def assert_gate_stands(place: Path, strace: str, chosen: list[tuple[str, int, str]]) -> None:
    wrong = [sentence for point in chosen for sentence in meet(place, strace, STEPS, point, refusals=False)]
    assert not wrong, "\n".join(wrong)


def test_sample_of_failing_calls_under_a_gate_costs_no_promise(place: Path, strace: str) -> None:
    chosen = points(place, strace, STEPS, CHANGING)
    assert_gate_stands(place, strace, chosen[:: len(chosen) // 12])


@pytest.mark.faults
@pytest.mark.parametrize("kinds", [CREATE, WRITE, NAME, MARK], ids=lambda kinds: "-".join(sorted(kinds)))
def test_many_failing_calls_under_a_gate_costs_no_promise(place: Path, strace: str, kinds: set[str]) -> None:
    """A third of them: each call alone is met by the store's own test."""
    assert_gate_stands(place, strace, points(place, strace, STEPS, kinds)[::3])
