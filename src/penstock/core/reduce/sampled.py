"""Some lines of a sample, for telling what kind of content it is of: those of its start, its middle and its end apart.

Content of a kind is of that kind to its end. A log that begins with the listing of a folder is a log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from penstock.core.reduce.contract import Sample
from penstock.core.reduce.lines import without_colours

# Of each part so many lines, and so much of each.
LINES: Final = 16
READ: Final = 240


def least(sample: Sample, fit: Callable[[list[bytes]], float]) -> float:
    """How well the part of a sample fits that fits worst. Where one does not, no more is looked at."""
    parts = parts_of(sample)
    worst = 1.0 if parts else 0.0
    for part in parts:
        worst = min(worst, fit(part))
        if not worst:
            break
    return worst


def parts_of(sample: Sample) -> list[list[bytes]]:
    """Of each part the first lines that have something on them. A short sample has its parts in its start."""
    data, middle, end = sample.data, sample.middle, sample.end
    if not middle:
        third = len(data) // 3
        middle, end = data[data.find(b"\n", third) + 1 :], end or data[data.find(b"\n", 2 * third) + 1 :]
    return [part for part in map(_some, map(without_colours, (data, middle, end))) if part]


def _some(data: bytes) -> list[bytes]:
    lines = data.split(b"\n", 2 * LINES)
    # The last one is cut off, or all the rest.
    return [line[:READ].rstrip(b"\r") for line in lines[:-1] if line.strip()][:LINES]
