"""A budget shared by several results of one turn: who needs less than an equal part leaves the rest to the others."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.limits import UNITS, Limits
from penstock.core.measure import Size


def fair_shares(budget: int, needs: Sequence[int]) -> list[int]:
    """Parts of `budget`, at most what each needs; the largest smallest part that is possible. Together <= budget."""
    parts = [0] * len(needs)
    left = budget
    order = sorted(range(len(needs)), key=lambda index: needs[index])
    for done, index in enumerate(order):
        part = min(needs[index], left // (len(needs) - done))
        parts[index] = part
        left -= part
    return parts


def share_limits(budget: Limits, needs: Sequence[Size]) -> list[Limits]:
    """The limits of each result, so that all of them together are within `budget`.

    A share is at least 1, as there is no limit of 0: a turn of more results than units of budget goes over by that.
    """
    shares: list[dict[str, int]] = [{} for _ in needs]
    for unit in UNITS:
        whole = getattr(budget, unit)
        if whole is None:
            continue
        for limits, part in zip(shares, fair_shares(whole, [getattr(size, unit) or 0 for size in needs]), strict=True):
            limits[unit] = max(1, part)
    return [Limits(**limits) for limits in shares]
