"""PageRank by power iteration: how often a reader comes to each node who follows links, and now and then starts anew.

1. The ranks sum to one.
2. Who starts anew starts where `start` says, and so does who comes to a node without links.
3. It ends when the ranks change by less than `tolerance` in sum, or after `most` rounds, or when time is over; what it
   has by then is a ranking, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

DAMPING: Final = 0.85
TOLERANCE: Final = 1e-4
MOST_ROUNDS: Final = 60


def pagerank(
    links: Sequence[Mapping[int, float]],
    start: Sequence[float],
    *,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    most: int = MOST_ROUNDS,
    expired: Callable[[], bool] = lambda: False,
) -> list[float]:
    """`links[a][b]` is the weight of the link from a to b, above 0. `start` is not below 0, and not all 0."""
    total = sum(start)
    begin = [weight / total for weight in start]
    flows = [
        (node, tuple(targets), [weight / whole for weight in targets.values()])
        for node, targets in enumerate(links)
        if (whole := sum(targets.values()))
    ]
    linked = {node for node, _, _ in flows}
    ends = [node for node in range(len(links)) if node not in linked]
    ranks = begin
    for _ in range(most):
        anew = 1 - damping + damping * sum(ranks[node] for node in ends)
        following = [anew * share for share in begin]
        for node, targets, shares in flows:
            rank = damping * ranks[node]
            for target, share in zip(targets, shares, strict=True):
                following[target] += rank * share
        change = sum(abs(new - old) for new, old in zip(following, ranks, strict=True))
        ranks = following
        if change < tolerance or expired():
            break
    return ranks
