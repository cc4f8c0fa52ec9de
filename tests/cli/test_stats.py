from __future__ import annotations

import pytest

from .conftest import LONG, call


@pytest.fixture
def used(kept: str) -> str:
    """One result that was cut and read twice, and one that fitted."""
    call("pipe", "--tool", "other", stdin=b"short")
    call("read", kept)
    call("grep", kept, "line 5")
    return kept


def test_nothing_recorded_is_all_zeros() -> None:
    done = call("stats")
    assert done.code == 0
    assert done.text.splitlines()[1].split()[:3] == ["all", "0", "0"]
    assert call("stats", "--by", "tool").err == "penstock: nothing is recorded\n"


def test_one_line_for_all(used: str) -> None:
    (totals,) = call("stats", "--json").json
    assert (totals["admissions"], totals["truncated"], totals["read_backs"], totals["regret"]) == (2, 1, 2, 1.0)
    assert totals["bytes_before"] == len(LONG) + 5
    row = call("stats").text.splitlines()[1]
    assert row.split()[:4] == ["all", "2", "1", "(50%)"]


def test_groups_are_those_that_were_asked_for(used: str) -> None:
    assert [row["group"] for row in call("stats", "--by", "tool", "--json").json] == ["build", "other"]
    assert [line.split()[0] for line in call("stats", "--by", "tool").text.splitlines()[1:]] == ["build", "other"]
    assert len(call("stats", "--by", "day", "--json").json) == 1
    assert call("stats", "--by", "agent").text.splitlines()[1].startswith("(none)")


def test_since_leaves_out_what_was_before(used: str) -> None:
    assert call("stats", "--since", "1h", "--json").json[0]["admissions"] == 2
    assert sum(row["admissions"] for row in call("stats", "--since", "2100-01-01", "--json").json) == 0


@pytest.mark.parametrize("text", ["soon", "", "7", "7y", "2026-13-01", "99999999999999d"])
def test_since_that_is_no_time_is_misuse(text: str) -> None:
    done = call("stats", "--since", text)
    assert done.code == 2
    assert "7d" in done.err


def test_recent_events_are_newest_first(used: str) -> None:
    events = call("stats", "--recent", "10", "--json").jsons
    assert [event["action"] for event in events] == ["grep", "read", "admit", "admit"]
    assert (events[3]["handle"], events[3]["reason"]) == (used, "lines")
    rows = call("stats", "--recent", "4").text.splitlines()
    assert rows[0].endswith(used)
    assert rows[2].endswith("other  5 bytes")
    assert f"{len(LONG):,} -> " in rows[3]
    assert call("stats", "--recent", "1", "--by", "tool").code == 2


def test_ledger_that_is_turned_off_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_LEDGER", "off")
    done = call("stats")
    assert done.code == 1
    assert "ledger.enabled is false" in done.err
