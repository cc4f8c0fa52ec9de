"""Where visible text stands in the raw text, and the other way round."""

from __future__ import annotations

from bisect import bisect_right


class Positions:
    """Stretches of raw text that are visible, in order; neighbours are one."""

    __slots__ = ("_raw", "_size", "_visible")

    def __init__(self) -> None:
        self._raw: list[int] = []  # where each stretch begins in the raw text
        self._visible: list[int] = []  # and in the visible
        self._size = 0

    def add(self, start: int, stop: int) -> None:
        if not self._raw or self._raw[-1] + self._size - self._visible[-1] != start:
            self._raw.append(start)
            self._visible.append(self._size)
        self._size += stop - start

    def raw(self, visible: int) -> int:
        """Where in the raw text a visible character stands; behind the last one for any place beyond."""
        if not self._raw:
            return 0
        visible = max(0, min(visible, self._size))
        index = bisect_right(self._visible, visible) - 1
        return self._raw[index] + visible - self._visible[index]

    def visible(self, raw: int) -> int:
        """How many visible characters stand before a place in the raw text."""
        index = bisect_right(self._raw, raw) - 1
        if index < 0:
            return 0
        following = self._visible[index + 1] if index + 1 < len(self._visible) else self._size
        return min(self._visible[index] + raw - self._raw[index], following)
