"""A budget shared by the results of one turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.share import fair_shares, share_limits

needs = st.lists(st.integers(0, 10_000), min_size=1, max_size=20)


@given(st.integers(0, 50_000), needs)
def test_shares_are_within_the_budget_and_the_needs_and_waste_nothing(budget: int, needs: list[int]) -> None:
    parts = fair_shares(budget, needs)
    assert sum(parts) <= budget
    assert all(0 <= part <= need for part, need in zip(parts, needs, strict=True))
    assert sum(parts) >= min(budget, sum(needs)) - len(needs)


@given(st.integers(0, 50_000), needs)
def test_nobody_gets_less_than_another_unless_it_needs_less(budget: int, needs: list[int]) -> None:
    parts = fair_shares(budget, needs)
    least = min(parts)
    assert all(part == need or part <= min(p for p, n in zip(parts, needs, strict=True) if p < n) + 1
               for part, need in zip(parts, needs, strict=True))  # fmt: skip
    assert all(need == part for part, need in zip(parts, needs, strict=True) if part == least and need <= least)


def test_small_results_leave_their_part_to_large_ones() -> None:
    assert fair_shares(100, [10, 1_000, 20, 1_000]) == [10, 35, 20, 35]


def test_limits_are_shared_unit_by_unit() -> None:
    sizes = [Size(10, 1, 10, 3), Size(1_000, 100, 1_000, 300)]
    assert share_limits(Limits(chars=500, lines=50), sizes) == [Limits(10, 1), Limits(490, 49)]
    assert share_limits(Limits(tokens=100), sizes) == [Limits(tokens=3), Limits(tokens=97)]
    assert share_limits(Limits(), sizes) == [Limits(), Limits()]
    assert share_limits(Limits(chars=1), [Size(5), Size(5), Size()]) == [Limits(chars=1)] * 3
