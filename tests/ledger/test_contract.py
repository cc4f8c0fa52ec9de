"""What every ledger promises, tried on each of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from penstock.core.entry import ReadBack
from penstock.ledger.contract import Ledger, Totals
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import SqliteLedger

from .events import HANDLES, cut, fits, read

DAY = 86_400.0


class PrunableLedger(Ledger, Protocol):
    def prune(self, before: float) -> int: ...


_makers: dict[str, Callable[[Path], PrunableLedger]] = {
    "memory": lambda _: MemoryLedger(),
    "sqlite": lambda folder: SqliteLedger(folder / "index.sqlite"),
}


@pytest.fixture(params=_makers)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PrunableLedger]:
    made = _makers[request.param](tmp_path)
    yield made
    made.close()


def all_of(ledger: Ledger, since: float | None = None) -> Totals:
    (row,) = ledger.totals(since=since)
    return row


def test_ledger_without_events_answers_zeros(ledger: PrunableLedger) -> None:
    row = all_of(ledger)
    assert row == Totals("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0)
    assert (row.truncation_rate, row.regret, row.tokens_saved) == (0.0, 0.0, 0)
    assert ledger.totals("tool") == []
    assert ledger.recent() == []
    assert ledger.shown(HANDLES[0]) == []
    assert ledger.prune(1e12) == 0


def test_totals_count_results_cuts_failures_sizes_and_time(ledger: PrunableLedger) -> None:
    ledger.admitted(fits(), at=1.0, seconds=0.25)
    ledger.admitted(cut(HANDLES[0]), at=2.0, seconds=0.5)
    ledger.admitted(cut(None, failure="disk full"), at=3.0, seconds=0.5)
    ledger.read_back(read(HANDLES[0]), at=4.0, seconds=0.25)
    row = all_of(ledger)
    assert (row.admissions, row.truncated, row.failed, row.read_backs) == (3, 2, 1, 1)
    assert (row.bytes_before, row.bytes_after) == (180_010, 80_010)
    assert (row.tokens_before, row.tokens_after, row.tokens_saved) == (60_000, 24_000, 36_000)
    assert row.seconds == pytest.approx(1.5)
    assert row.truncation_rate == pytest.approx(2 / 3)
    assert row.regret == pytest.approx(1 / 2)


def test_tokens_counted_on_one_side_only_are_not_taken_for_saved(ledger: PrunableLedger) -> None:
    whole = cut()
    ledger.admitted(cut(after=whole.after._replace(tokens=None)), at=1.0, seconds=0.0)
    ledger.admitted(cut(before=whole.before._replace(tokens=None)), at=1.0, seconds=0.0)
    assert (all_of(ledger).tokens_before, all_of(ledger).tokens_after) == (0, 0)


def test_skipped_result_counts_as_admitted_and_not_as_cut(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(None, reason="skip"), at=1.0, seconds=0.0)
    assert (all_of(ledger).admissions, all_of(ledger).truncated, all_of(ledger).tokens_before) == (1, 0, 0)


def test_read_back_before_the_cut_is_no_regret(ledger: PrunableLedger) -> None:
    ledger.read_back(read(HANDLES[0]), at=1.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[0]), at=2.0, seconds=0.0)
    assert all_of(ledger).regretted == 0


def test_read_back_in_the_same_instant_after_the_cut_is_regret(ledger: PrunableLedger) -> None:
    ledger.read_back(read(HANDLES[1]), at=2.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[0]), at=2.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[1]), at=2.0, seconds=0.0)
    ledger.read_back(read(HANDLES[0]), at=2.0, seconds=0.0)
    assert all_of(ledger).regretted == 1


def test_each_cut_of_a_result_is_regretted_once_however_often_it_is_read(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0]), at=1.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[0]), at=2.0, seconds=0.0)
    for action in ("read", "grep", "unseen"):
        ledger.read_back(read(HANDLES[0], action=action), at=3.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[0]), at=4.0, seconds=0.0)
    assert (all_of(ledger).truncated, all_of(ledger).regretted, all_of(ledger).read_backs) == (3, 2, 3)


def test_regret_for_one_result_is_not_regret_for_another(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0]), at=1.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[1]), at=1.0, seconds=0.0)
    ledger.read_back(read(HANDLES[1]), at=2.0, seconds=0.0)
    assert all_of(ledger).regretted == 1


@pytest.mark.parametrize("by", ["tool", "agent"])
def test_totals_by_name_put_the_most_truncated_first(ledger: PrunableLedger, by: str) -> None:
    for count, name in ((1, "b"), (3, "c"), (1, "a")):
        for _ in range(count):
            ledger.admitted(cut(None, **{by: name}), at=1.0, seconds=0.0)
    ledger.admitted(cut(None, reason="fits", **{by: "b"}), at=1.0, seconds=0.0)
    ledger.read_back(read(HANDLES[0], **{by: "only read"}), at=2.0, seconds=0.0)
    rows = ledger.totals(by)  # type: ignore[arg-type]
    assert [row.group for row in rows] == ["c", "b", "a", "only read"]
    assert [(row.admissions, row.truncated) for row in rows] == [(3, 3), (2, 1), (1, 1), (0, 0)]


def test_read_back_counts_for_the_kind_of_its_result(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0], kind="text"), at=1.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[0], kind="json"), at=2.0, seconds=0.0)
    ledger.read_back(read(HANDLES[0]), at=3.0, seconds=0.0)
    ledger.read_back(read(HANDLES[1]), at=3.0, seconds=0.0)
    assert {row.group: row.read_backs for row in ledger.totals("kind")} == {"json": 1, "text": 0, "": 1}


def test_totals_by_day_are_in_the_order_of_days_and_cut_at_midnight_utc(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0]), at=20_776 * DAY, seconds=0.0)
    ledger.admitted(fits(), at=20_776 * DAY - 0.0001, seconds=0.0)
    ledger.read_back(read(HANDLES[0]), at=20_777 * DAY, seconds=0.0)
    rows = ledger.totals("day")
    assert [row.group for row in rows] == ["2026-11-18", "2026-11-19", "2026-11-20"]
    assert [row.regretted for row in rows] == [0, 1, 0]  # on the day of the cut
    assert [row.read_backs for row in rows] == [0, 0, 1]


def test_totals_since_a_time_leave_out_what_was_before(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0]), at=10.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[1]), at=20.0, seconds=0.0)
    ledger.read_back(read(HANDLES[0]), at=30.0, seconds=0.0)
    row = all_of(ledger, since=20.0)
    assert (row.admissions, row.regretted, row.read_backs) == (1, 0, 1)
    assert ledger.totals("tool", since=31.0) == []


def test_recent_gives_whole_events_newest_first(ledger: PrunableLedger) -> None:
    first = cut(HANDLES[0], agent="coder", failure="disk full")
    second, third = read(HANDLES[1], action="grep", shown=((5, 9),)), fits()
    ledger.admitted(first, at=2.0, seconds=0.5)
    ledger.read_back(second, at=2.0, seconds=0.25)
    ledger.admitted(third, at=1.0, seconds=0.125)
    events = ledger.recent()
    assert [event.what for event in events] == [second, first, third]
    assert [(event.at, event.seconds) for event in events] == [(2.0, 0.25), (2.0, 0.5), (1.0, 0.125)]
    assert isinstance(events[0].what, ReadBack)
    assert [event.what for event in ledger.recent(1)] == [second]
    assert ledger.recent(0) == ledger.recent(-1) == []


def test_shown_merges_views_and_read_backs_of_one_result(ledger: PrunableLedger) -> None:
    ledger.admitted(cut(HANDLES[0], shown=((0, 100), (900, 1000))), at=1.0, seconds=0.0)
    ledger.admitted(cut(HANDLES[1], shown=((300, 400),)), at=1.0, seconds=0.0)
    ledger.read_back(read(HANDLES[0], shown=((100, 150), (140, 200), (500, 500))), at=2.0, seconds=0.0)
    assert ledger.shown(HANDLES[0]) == [(0, 200), (900, 1000)]


def test_prune_deletes_what_is_older_and_keeps_what_is_not(ledger: PrunableLedger) -> None:
    for at in (1.0, 2.0, 3.0):
        ledger.admitted(cut(HANDLES[0]), at=at, seconds=0.0)
    assert ledger.prune(2.0) == 1
    assert [event.at for event in ledger.recent()] == [3.0, 2.0]


def test_closed_ledger_can_be_asked_and_told_again(ledger: PrunableLedger) -> None:
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    ledger.close()
    ledger.admitted(fits(), at=2.0, seconds=0.0)
    assert all_of(ledger).admissions == 2


def test_threads_that_tell_at_once_lose_nothing(ledger: PrunableLedger) -> None:
    def tell(name: int) -> None:
        for n in range(500):
            event = cut(HANDLES[0]) if n % 5 == 0 else fits(str(name))
            ledger.admitted(event, at=float(n), seconds=0.0)

    threads = [threading.Thread(target=tell, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        ledger.totals()
    for thread in threads:
        thread.join()
    assert (all_of(ledger).admissions, all_of(ledger).truncated) == (2_000, 400)
