from __future__ import annotations

from datetime import UTC, datetime

import pytest

from penstock.cli import times

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("text", "ago"), [("30s", 30), ("5m", 300), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), (" 1d ", 86_400)]
)
def test_ages_count_back_from_now(text: str, ago: int) -> None:
    assert times.since(text, NOW) == NOW - ago


def test_dates_are_local_unless_they_say_where() -> None:
    assert times.since("2026-11-01T10:00+00:00", NOW) == datetime(2026, 11, 1, 10, tzinfo=UTC).timestamp()
    assert times.since("2026-11-01", NOW) == datetime(2026, 11, 1).timestamp()


@pytest.mark.parametrize("text", ["", "7", "d", "-1d", "1.5d", "yesterday", "2026-02-30"])
def test_anything_else_is_no_time(text: str) -> None:
    with pytest.raises(ValueError):
        times.since(text, NOW)


@pytest.mark.parametrize("at", [0.0, NOW, -5.0, 1e18])
def test_any_number_can_be_written_as_a_time(at: float) -> None:
    assert len(times.local(at)) == 19
    assert times.utc(at).endswith("Z")


def test_utc_is_exact() -> None:
    assert times.utc(NOW) == "2027-01-15T08:00:00.000Z"
