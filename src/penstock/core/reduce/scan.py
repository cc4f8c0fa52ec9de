"""Finding the lines that a pattern is in, by one pass over them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

import re2

from penstock.core.reduce.contract import Sample


def lines_with(pattern: re2._Regexp[bytes], shown: bytes, texts: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each line that a pattern is found in, with what it found there first. `shown` are the texts, one a line.

    What is found may begin with the newline before its line, and may not reach into the next one.
    """
    ends = list(accumulate(map(len, texts), lambda end, size: end + 1 + size))
    place = line = 0
    last = -1
    for match in pattern.finditer(shown):
        start, stop = match.span()
        word = shown[start:stop].strip()
        start += shown[start:stop].find(word)
        if start > ends[line]:
            line += shown.count(b"\n", place, start)
            place = start
        if line > last:
            last = line
            yield line, word


def marks_in(sample: Sample, marks: re2._Regexp[bytes], most: int) -> int:
    """How often marks of a kind stand in a sample, counted up to `most`."""
    found = (match for part in (sample.data, sample.middle, sample.end) for match in marks.finditer(part))
    return sum(1 for _ in islice(found, most))
