"""Tables: CSV and its kin, aligned text, Markdown, what SQL clients print; also behind a few lines of something else.

The header is always shown. Then rows, whole: those that speak of the question, those that tell of an error, rare values
and extreme numbers, the first and the last. What is left of the room goes to one run of rows, up to the end: every gap
costs a mark for which rows could be shown.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.reduce.brackets import blanked
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.cover import FULL, Cover
from penstock.core.reduce.grid import LOOKED_AT, Grid, grid_of, is_rule
from penstock.core.reduce.lines import LONG, window
from penstock.core.reduce.oddities import odd_columns
from penstock.core.reduce.question import Question
from penstock.core.reduce.ranking import RARE_SHARE, worth_of

# How full the room may be with the header, and with the first row.
HEADER_SHARE: Final = 0.5
FIRST_SHARE: Final = 0.6
LAST_SHARE: Final = 0.95

# The part of what the first row leaves for rows that are no more than unusual: each may stand alone, with its own mark.
ODD_OF_REST: Final = 0.06

# So many rows from the first on. With the header above them a few tell what a row is like; the last ones are the newest
# in most tables that grow.
FIRST_ROWS: Final = 3

MISSES: Final = 50

# What of a sample is looked at, to cost microseconds; all of it only where that has few lines.
SAMPLED: Final = 4_000
FEW_LINES: Final = 8

# A column is one of numbers where this share of what it holds are some.
NUMBERS: Final = 0.8
TRIED: Final = 40

_HIT: Final = re.compile(rb"[^:,;\t|\n]+:\d+[:-]")
_NUMBER: Final = re.compile(rb"[-+]?[$\xe2\x82\xac]*(\d[\d,_]*\.?\d*(?:[eE][-+]?\d+)?) ?([KMGTP]?)i?(?:B|b|%|ms|s|m)?")
_UNITS: Final = {b"": 1.0, b"K": 1e3, b"M": 1e6, b"G": 1e9, b"T": 1e12, b"P": 1e15}


def fit(sample: Sample) -> float:
    if sample.data[:1] in (b"{", b"[", b"<"):
        return 0.0
    data = sample.data[:SAMPLED]
    if data.count(b"\n") < FEW_LINES:
        data = sample.data
    lines = _lines_of(data, whole=sample.size <= len(data))
    grid = grid_of(lines, _bare_lines(data, lines))
    if grid is None or sum(_HIT.match(line) is not None for line in lines[:10]) > 5:
        return 0.0
    later = _bare_lines(sample.middle[:SAMPLED], _lines_of(sample.middle[:SAMPLED], whole=False))
    if later and grid.mark:
        alike = sum(len(grid.cells(line)) == grid.columns for line in later)
        return grid.sure if 2 * alike >= len(later) else 0.3
    return grid.sure


def _lines_of(data: bytes, *, whole: bool) -> list[bytes]:
    lines = data.split(b"\n", LOOKED_AT)
    return lines if whole and len(lines) <= LOOKED_AT else lines[:-1]


def _bare_lines(data: bytes, lines: list[bytes]) -> list[bytes]:
    """The same lines with quoted text blanked, newlines in it too; as they are where quotes do not pair."""
    if b'"' not in data:
        return lines
    bare = blanked(data).split(b"\n")
    return bare[: max(1, len(bare) - 1)][:LOOKED_AT]


def reduce(content: Content, ask: Ask) -> Plan:
    return _Table(content, ask).plan()


class _Table:
    def __init__(self, content: Content, ask: Ask) -> None:
        self.content = content
        self.rows = _rows_of(content.data)
        ask.effort.spend(len(self.rows))
        lines = [content.data[start:stop].rstrip(b"\r\n") for start, stop in self.rows[:LOOKED_AT]]
        bare = [blanked(line) if b'"' in line else line for line in lines]
        grid = grid_of(lines, bare)
        self.first = _first_row(grid, lines)
        body = self.rows[self.first :]
        ask.effort.spend(len(body))
        texts = [content.data[start:stop] for start, stop in body]
        odd = odd_columns(_columns(grid, lines, texts), ask.effort) if grid else {}
        self._starts = [row.start for row in body]
        self._stops = [row.stop for row in body]
        self.worth = worth_of(content.data, self._starts, Question(ask.query), odd, ask.effort)
        self.is_row = bytearray(b"\1") * len(body)
        if grid is not None and grid.ruled:
            self.is_row = bytearray(not is_rule(text.rstrip()) for text in texts)
        self.total = sum(self.is_row)

    def plan(self) -> Plan:
        return Plan(self._choose, (Tally("rows", self.total),) if self.total else ())

    def _choose(self, room: Room) -> Choice:
        cover = Cover(self.content, room)
        last = len(self.rows) - 1
        header = Span(0, self.rows[self.first - 1].stop) if self.first else Span(0, 0)
        if not cover.add([header], HEADER_SHARE):
            self._show(cover, self.first - 1, HEADER_SHARE)
        self._show(cover, self.first, FIRST_SHARE)
        odd_share = cover.filled + (1 - cover.filled) * ODD_OF_REST
        for sort in self.worth.sorts:
            share = min(sort.share, odd_share) if sort.share <= RARE_SHARE else sort.share
            misses = 0
            for index in sort.indices:
                misses = 0 if self._show(cover, self.first + index, share) else misses + 1
                if misses > MISSES:
                    break
        self._show(cover, last, LAST_SHARE)
        body = self.rows[self.first :]
        cover.add_on(body[:FIRST_ROWS])
        cover.add_on(body, back=True)
        cover.add_on(body, show=lambda index: self._show(cover, self.first + index, 1.0))
        if cover.filled < FULL:
            cover.fill()
        return self._counted(cover.spans)

    def _show(self, cover: Cover, number: int, share: float) -> bool:
        if not 0 <= number < len(self.rows):
            return False
        row = self.rows[number]
        if row.stop - row.start > LONG:
            row = window(self.content.data, row, row.start, LONG)
        return cover.add([row], share)

    def _counted(self, spans: list[Span]) -> Choice:
        """With how many rows each gap hides, where that is not what its lines tell."""
        hidden: dict[int, Tally] = {}
        place = total = 0
        for number, span in enumerate([*spans, Span(len(self.content.data), 0)]):
            many = sum(self.is_row[bisect_left(self._starts, place) : bisect_right(self._stops, span.start)])
            if many > 0 and span.start > place:
                total += many
                if many != self.content.newlines(place, span.start):
                    hidden[number] = Tally("rows", many)
            place = span.stop
        return Choice(spans, hidden=hidden, shown=(self.total - total,) if self.total else ())


def _rows_of(data: bytes) -> list[Span]:
    """One row a line; a quoted cell may reach over several, where quotes pair as they do in CSV."""
    bare = blanked(data) if b'"' in data else data
    texts = bare.split(b"\n")
    if bare is not data and 4 * len(texts) < data.count(b"\n"):
        texts = data.split(b"\n")  # a quote that stands for itself would make one row of all that follows
    starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
    starts[-1] = len(data)
    if len(starts) > 1 and starts[-2] >= starts[-1]:
        starts.pop()
    return list(map(Span, starts, starts[1:]))


def _first_row(grid: Grid | None, lines: list[bytes]) -> int:
    """The number of the first row behind the header and the rule under it."""
    if grid is None:
        return 0
    first = grid.header + 1
    while first < len(lines) and is_rule(lines[first]):
        first += 1
    return first


def _columns(grid: Grid, lines: list[bytes], texts: list[bytes]) -> dict[str, list[object]]:
    names = grid.cells(lines[grid.header])
    if grid.mark and not grid.ruled and not any(b'"' in text for text in texts):
        cells = [text.rstrip().split(grid.mark) for text in texts]
    else:
        cells = [_cells(grid, text) for text in texts]
    width = grid.columns
    empty = [b""] * width
    cells = [row if len(row) == width else empty for row in cells]
    return {
        name.decode("utf-8", "replace").strip(): _values([row[place] for row in cells])
        for place, name in enumerate([*names, *empty][:width])
    }


def _cells(grid: Grid, row: bytes) -> list[bytes]:
    row = row.rstrip(b"\r\n")
    if b'"' not in row or grid.ruled or not grid.mark:
        return grid.cells(row)
    text = row.decode("utf-8", "replace").replace("\r", " ").replace("\0", " ")
    return [cell.encode() for cell in next(csv.reader([text.replace("\n", " ")], delimiter=grid.mark.decode()), [])]


def _values(column: list[bytes]) -> list[object]:
    """The cells of a column, as numbers where they are."""
    tried = [cell for cell in column[:TRIED] if cell.strip()]
    if not tried or sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in tried) < NUMBERS * len(tried):
        return [cell.decode("utf-8", "replace") for cell in column]
    try:
        return list(map(float, column))
    except ValueError:
        return [_number(cell.strip()) for cell in column]


def _number(cell: bytes) -> object:
    found = _NUMBER.fullmatch(cell)
    if found is None:
        return cell.decode("utf-8", "replace") or None
    number = float(found[1].replace(b",", b"").replace(b"_", b"")) * _UNITS[found[2]]
    return -number if cell.startswith(b"-") else number


TABLE = Reducer("table", fit, reduce)
