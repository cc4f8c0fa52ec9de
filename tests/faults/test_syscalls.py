"""Every system call that the store makes on its directory fails once, or is the last of its process."""

from __future__ import annotations

from pathlib import Path

import pytest
from strace import ASK, CHANGING, CREATE, MARK, NAME, READ, WRITE, Point, meet, points

STEPS = "keep:1 keep:4 keep:1 read:4 delete:1 age:8 keep:2 sweep keep:1 reopen read:2 repair"


def assert_survived(place: Path, strace: str, chosen: list[Point]) -> None:
    wrong = [sentence for point in chosen for sentence in meet(place, strace, STEPS, point)]
    assert not wrong, "\n".join(wrong)


def test_sample_of_failing_calls_loses_nothing_acknowledged(place: Path, strace: str) -> None:
    chosen = points(place, strace, STEPS, CHANGING)
    assert len(chosen) > 50
    assert_survived(place, strace, chosen[:: len(chosen) // 18])


@pytest.mark.faults
@pytest.mark.parametrize("kinds", [CREATE, WRITE, NAME, MARK, READ, ASK], ids=lambda kinds: "-".join(sorted(kinds)))
def test_every_failing_call_loses_nothing_acknowledged(place: Path, strace: str, kinds: set[str]) -> None:
    assert_survived(place, strace, points(place, strace, STEPS, kinds))
