"""Finding the lines that a pattern is in, by one pass over them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from penstock.core.reduce.contract import Sample


def lines_with(pattern: re.Pattern[bytes], lines: bytes) -> Iterator[tuple[int, bytes]]:
    """The number of each line that a pattern is found in, with what it found there first.

    What is found may begin with the newline before its line, and may not reach into the next one.
    """
    place = line = 0
    last = -1
    for match in pattern.finditer(lines):
        start, stop = match.span()
        word = lines[start:stop].strip()
        start += lines[start:stop].find(word)
        line += lines.count(b"\n", place, start)
        place = start
        if line > last:
            last = line
            yield line, word


def marks_in(sample: Sample, marks: re.Pattern[bytes], most: int) -> int:
    """How often marks of a kind stand in a sample, counted up to `most`."""
    found = (match for part in (sample.data, sample.middle, sample.end) for match in marks.finditer(part))
    return sum(1 for _ in islice(found, most))
