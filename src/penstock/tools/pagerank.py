"""PageRank by power iteration: how often a reader comes to each node who follows links, and now and then starts anew.

1. The ranks sum to one.
2. Who starts anew starts where `start` says, and so does who comes to a node without links. Of a node with few and
   weak links only a part goes on: it is as if each had one more link, of the weight `idle`, to a new start. A leaf
   would else hand all it has to the one node that it happens to mention.
3. It ends when the ranks change by less than `tolerance` in sum, or after `most` rounds, or when time is over; what it
   has by then is a ranking, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import mul
from typing import Final

DAMPING: Final = 0.85
TOLERANCE: Final = 1e-4
MOST_ROUNDS: Final = 60


def pagerank(
    links: Sequence[Mapping[int, float]],
    start: Sequence[float],
    *,
    idle: float = 0.0,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    most: int = MOST_ROUNDS,
    expired: Callable[[], bool] = lambda: False,
) -> list[float]:
    """`links[a][b]` is the weight of the link from a to b, above 0. `start` is not below 0, and not all 0."""
    total = sum(start)
    begin = [weight / total for weight in start]
    wholes = [sum(targets.values()) for targets in links]
    lost = [idle / (whole + idle) if whole else 1.0 for whole in wholes]
    flows = [
        (node, tuple(targets), [weight / (wholes[node] + idle) for weight in targets.values()])
        for node, targets in enumerate(links)
        if wholes[node]
    ]
    ranks = begin
    for _ in range(most):
        anew = 1 - damping + damping * sum(map(mul, ranks, lost))
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
