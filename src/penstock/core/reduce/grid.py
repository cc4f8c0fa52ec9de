"""How a table is laid out: what parts its cells, and which line is its header.

Rules lines (`+----+`, `|---|`), or the same number of commas, tabs, semicolons or bars in nearly every line, or columns
of text under a header with the same blanks in every line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from penstock.core.patterns import re_pattern

# How many lines are looked at.
LOOKED_AT: Final = 60

# So many of them have to be alike.
ALIKE: Final = 0.75
ALL_ALIKE: Final = 0.9

# What parts cells, with how many of it there are in a line at least: prose and logs have a comma in many a line.
MARKS: Final = ((b"\t", 1), (b",", 2), (b";", 2), (b"|", 2))

BARS: Final = (b"|", "│".encode(), "┃".encode())

# Columns of text: the fewest of them.
ALIGNED: Final = 3
ROWS_ALIGNED: Final = 24
WIDEST: Final = 1_000

# The header stands among so many lines.
TOP: Final = 8

# So many of the lines have something in a column, near to where it starts.
FILLED: Final = 0.6
NEAR: Final = 12

_RULE: Final = re_pattern(
    r"[ \t]*[-+|=:\u2500-\u257f][-+|=: \t\u2500-\u257f]*[-=\u2500-\u257f][-+|=: \t\u2500-\u257f]*\r?"
)
_FILLED: Final = b"1" * 32 + b"0" + b"1" * 223


@dataclass(frozen=True, slots=True)
class Grid:
    mark: bytes  # what parts cells; empty where places do
    columns: int
    header: int  # the number of the line, among those that were looked at
    sure: float
    ruled: bool = False
    places: tuple[int, ...] = ()  # where columns start, in aligned text

    def cells(self, line: bytes) -> list[bytes]:
        """The cells of a line; those of a line that is laid out in another way are of another number."""
        if not self.mark:
            edges = (*self.places, len(line))
            return [line[a:b].strip() for a, b in pairwise(edges)]
        if self.ruled:
            line = line.strip().removeprefix(self.mark).removesuffix(self.mark)
        return [cell.strip() for cell in line.split(self.mark)] if self.ruled else line.split(self.mark)


def is_rule(line: bytes) -> bool:
    return len(line) > 2 and _RULE.fullmatch(line[:400].decode("utf-8", "replace")) is not None


def grid_of(lines: Sequence[bytes], bare: Sequence[bytes]) -> Grid | None:
    """The layout of these lines, or None where they are no table. `bare` are the same with quoted text blanked."""
    if len(lines) < 3:
        return None
    found = [
        grid for grid in (_ruled(lines), _underlined(lines), _delimited(bare), _aligned(lines)) if grid is not None
    ]
    return max(found, key=lambda grid: grid.sure, default=None)


def _ruled(lines: Sequence[bytes]) -> Grid | None:
    rule = next((number for number, line in enumerate(lines) if is_rule(line)), None)
    if rule is None:
        return None
    for mark in BARS:
        counts = [line.strip().removeprefix(mark).removesuffix(mark).count(mark) for line in lines]
        of_rows = [count for count, line in zip(counts, lines, strict=True) if line.strip() and not is_rule(line)]
        usual, share = _usual(of_rows)
        if usual and share >= ALIKE:
            # A box begins with a rule; elsewhere the header stands above it.
            above = rule > 0 and counts[rule - 1] == usual
            return Grid(mark, usual + 1, rule - above + (not above), 0.88, ruled=True)
    return None


def _underlined(lines: Sequence[bytes]) -> Grid | None:
    """Columns of text whose header is underlined, column by column."""
    for number, line in enumerate(lines[1:TOP], 1):
        if is_rule(line) and not line.strip(b"-+= \t\r"):
            starts = [found.start() for found in re.finditer(rb"=+" if b"=" in line else rb"-+", line)]
            if len(starts) > 1 and lines[number - 1].strip():
                places = tuple(starts if starts[0] == 0 else [0, *starts])
                return Grid(b"", len(places), number - 1, 0.8, places=places)
    return None


def _delimited(bare: Sequence[bytes]) -> Grid | None:
    rows = [line for line in bare if line.strip()]
    best: Grid | None = None
    for mark, least in MARKS:
        usual, share = _usual([row.count(mark) for row in rows])
        if usual >= least and share >= ALIKE and (best is None or share > best.sure):
            header = next(number for number, line in enumerate(bare) if line.count(mark) == usual)
            best = Grid(mark, usual + 1, header, share)
    if best is None:
        return None
    sure = 0.55
    if best.sure >= ALL_ALIKE and best.columns > 2:
        # A number or two with a comma in it stands in many a text.
        sure = 0.85 if best.columns > 3 or best.mark == b"\t" else 0.7
    return Grid(best.mark, best.columns, best.header, sure)


def _aligned(lines: Sequence[bytes]) -> Grid | None:
    """Columns under a header: no line has anything where they are parted."""
    for header in range(min(4, len(lines) - 2)):
        if _is_heading(lines[header]):
            rows = [line for line in lines[header:] if line.strip() and not is_rule(line)][:ROWS_ALIGNED]
            if 2 * sum(b"  " in line for line in rows) <= len(rows):
                return None
            places = _starts(rows)
            return Grid(b"", len(places), header, 0.65, places=places) if len(places) >= ALIGNED <= len(rows) else None
    return None


def _is_heading(line: bytes) -> bool:
    """A header has several words, each begins with a letter, and it does not end like a sentence or a block."""
    words = line.split()
    named = all(word[:1].isalpha() or word[:1] in b"%#(" for word in words)
    return len(words) >= ALIGNED and named and not line.rstrip().endswith((b".", b",", b":", b"{", b";"))


def _starts(lines: Sequence[bytes]) -> tuple[int, ...]:
    """Where columns start: behind what is blank in every line."""
    width = min(WIDEST, max(map(len, lines)))
    filled = 0
    for line in lines:
        # A number with a digit for each place says at once, for all of them, where something stands.
        filled |= int(line[:width].ljust(width).translate(_FILLED), 2)
    text = f"{filled:0{width}b}"
    starts = [place for place in range(width) if text[place] == "1" and text[place - 1 : place] in ("", "0")]
    least = FILLED * len(lines)
    return tuple(place for place in starts if sum(line[place : place + NEAR].strip() != b"" for line in lines) >= least)


def _usual(counts: Sequence[int]) -> tuple[int, float]:
    """The most frequent count, and what share of all it is."""
    if not counts:
        return 0, 0.0
    usual, times = Counter(counts).most_common(1)[0]
    return usual, times / len(counts)
