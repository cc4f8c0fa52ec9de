"""Byte ranges, as the ledgers merge and store them: half open, `start` to `end`."""

from __future__ import annotations

from collections.abc import Iterable

Range = tuple[int, int]


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same bytes in the fewest ranges, in order."""
    whole: list[Range] = []
    for start, end in sorted(ranges):
        if end <= start:
            continue
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(whole[-1][1], end))
        else:
            whole.append((start, end))
    return whole


def written(ranges: Iterable[Range]) -> str:
    """Text that is short and that a person with the sqlite3 shell can read: "0-120 4000-4096"."""
    return " ".join(f"{start}-{end}" for start, end in ranges)


def parsed(text: str) -> tuple[Range, ...]:
    pairs = (pair.split("-") for pair in text.split())
    return tuple((int(start), int(end)) for start, end in pairs)
