from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from penstock.ledger.ranges import merged, parsed, written

ranges = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=8)


@given(ranges)
def test_merged_ranges_hold_the_same_bytes_in_order_and_apart(pairs: list[tuple[int, int]]) -> None:
    whole = merged(pairs)
    assert {at for start, end in whole for at in range(start, end)} == {
        at for start, end in pairs for at in range(start, end)
    }
    ends = [at for pair in whole for at in pair]
    assert all(a < b for a, b in pairwise(ends))


@given(ranges)
def test_written_ranges_read_back_the_same(pairs: list[tuple[int, int]]) -> None:
    assert list(parsed(written(pairs))) == pairs


def test_ranges_are_written_for_people() -> None:
    assert written([(0, 120), (4000, 4096)]) == "0-120 4000-4096"
    assert written([]) == ""
