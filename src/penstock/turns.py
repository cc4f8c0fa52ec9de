"""A turn's budget among the results of one turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from penstock.core.flow import size_in
from penstock.core.limits import UNITS, Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.result import Result
from penstock.core.share import share_limits
from penstock.core.tokens import MOST_BYTES_PER_TOKEN

_PLENTY: Final = 1 << 62


def shares(budget: Limits, results: Sequence[tuple[Result, Policy]]) -> list[Limits]:
    """The limits of each result, so that all of them together are within `budget`.

    A result needs no more than its own limits let it have. One that is let through needs no limits: what it takes is
    not there for the others.
    """
    sizes = [_size(result, budget, policy) for result, policy in results]
    through = [result.skip and policy.trust_skip for result, policy in results]
    left = _less(budget, [size for size, skipped in zip(sizes, through, strict=True) if skipped])
    needs = [
        _at_most(size, policy.limits)
        for size, (_, policy), skipped in zip(sizes, results, through, strict=True)
        if not skipped
    ]
    shared = iter(share_limits(left, needs))
    return [Limits() if skipped else next(shared) for skipped in through]


def _size(result: Result, budget: Limits, policy: Policy) -> Size:
    if budget.tokens is not None and len(result.shown) > MOST_BYTES_PER_TOKEN * budget.tokens:
        # It is over for sure, so how many tokens it has does not matter.
        return size_in(result.text(), Limits(), policy.counter)._replace(tokens=_PLENTY)
    return size_in(result.text(), budget, policy.counter)


def _at_most(size: Size, limits: Limits) -> Size:
    parts = {unit: getattr(limits, unit) for unit in UNITS}
    return size._replace(
        **{
            unit: min(limit, getattr(size, unit))
            for unit, limit in parts.items()
            if limit is not None and getattr(size, unit) is not None
        }
    )


def _less(budget: Limits, taken: Sequence[Size]) -> Limits:
    room = {}
    for unit in UNITS:
        limit = getattr(budget, unit)
        used = sum(getattr(size, unit) or 0 for size in taken)
        room[unit] = None if limit is None else max(1, limit - used)
    return Limits(**room)
