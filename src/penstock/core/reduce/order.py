"""An order of worth that is found out only as far as it is asked for, and then kept: a plan asks for it many times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


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


def in_turn(groups: Iterable[Sequence[int]]) -> Iterator[int]:
    """The first of each group, then the second of each, and so on."""
    left = [group for group in groups if group]
    place = 0
    while left:
        for group in left:
            yield group[place]
        place += 1
        left = [group for group in left if len(group) > place]
