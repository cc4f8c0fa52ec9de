"""An order of worth that is found out only as far as it is asked for, and then kept: a plan asks for it many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heapreplace


class Order:
    """The numbers that `source` gives, each once. It may be gone through any number of times."""

    def __init__(self, source: Iterable[int]) -> None:
        self._rest = iter(source)
        self._seen: set[int] = set()
        self._listed: list[int] = []

    def __iter__(self) -> Iterator[int]:
        listed = self._listed
        place = 0
        while True:
            while place < len(listed):
                yield listed[place]
                place += 1
            number = next(self._rest, None)
            if number is None:
                return
            if number not in self._seen:
                self._seen.add(number)
                listed.append(number)


def in_turn(groups: Sequence[Sequence[int]], worths: Sequence[float]) -> Iterator[int]:
    """One of a group, then of another: of one that is worth twice as much, twice as many."""
    turns = [(1 / worths[group], group, 0) for group in range(len(groups)) if groups[group]]
    heapify(turns)
    while turns:
        _, group, place = turns[0]
        yield groups[group][place]
        if place + 1 < len(groups[group]):
            heapreplace(turns, ((place + 2) / worths[group], group, place + 1))
        else:
            heappop(turns)
