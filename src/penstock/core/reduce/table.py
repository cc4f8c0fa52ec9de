"""Tables: CSV and its kin, aligned text, Markdown, what SQL clients print; also behind a few lines of something else.

The header is always shown. Then rows, whole: those that speak of the question, those that tell of an error, rare values
and extreme numbers, the first and the last. What is left of the room goes to one run of rows, up to the end: every gap
costs a mark for which rows could be shown.
"""

from __future__ import annotations

import csv
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
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

_HIT: Final = re_pattern(rb"[^:,;\t|\n]+:\d+[:-]")
_NUMBER: Final = re_pattern(r"(?a)[-+]?[$€]*(\d[\d,_]*\.?\d*(?:[eE][-+]?\d+)?) ?([KMGTP]?)i?(?:B|b|%|ms|s|m)?")
_UNITS: Final = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}

_Column = list[str] | list[float] | list[float | None] | list[object]


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
        self.edges = _edges_of(content.data)
        ask.effort.spend(len(self.edges) - 1)
        lines = [content.data[start:stop].rstrip(b"\r\n") for start, stop in pairwise(self.edges[: LOOKED_AT + 1])]
        bare = [blanked(line) if b'"' in line else line for line in lines]
        grid = grid_of(lines, bare)
        self.first = _first_row(grid, lines)
        self.body = self.edges[self.first :]
        ask.effort.spend(len(self.body) - 1)
        texts = [content.data[start:stop] for start, stop in pairwise(self.body)]
        odd = odd_columns(_columns(grid, lines, texts, quoted=b'"' in content.data), ask.effort) if grid else {}
        self.worth = worth_of(content.data, self.body[:-1], Question(ask.query), odd, ask.effort)
        self.is_row = bytearray(b"\1") * len(texts)
        if grid is not None and grid.ruled:
            self.is_row = bytearray(not is_rule(text.rstrip()) for text in texts)
        self.total = sum(self.is_row)

    def plan(self) -> Plan:
        return Plan(self._choose, (Tally("rows", self.total),) if self.total else ())

    def _choose(self, room: Room) -> Choice:
        cover = Cover(self.content, room)
        last = len(self.edges) - 2
        if not cover.add([Span(0, self.edges[self.first])], HEADER_SHARE):
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
        cover.add_on(self.body[: FIRST_ROWS + 1])
        cover.add_on(self.body, back=True)
        cover.add_on(self.body, show=lambda index: self._show(cover, self.first + index, 1.0))
        if cover.filled < FULL:
            cover.fill()
        return self._counted(cover.spans)

    def _show(self, cover: Cover, number: int, share: float) -> bool:
        if not 0 <= number < len(self.edges) - 1:
            return False
        row = Span(self.edges[number], self.edges[number + 1])
        if row.stop - row.start > LONG:
            row = window(self.content.data, row, row.start, LONG)
        return cover.add([row], share)

    def _counted(self, spans: list[Span]) -> Choice:
        """With how many rows each gap hides, where that is not what its lines tell."""
        hidden: dict[int, Tally] = {}
        place = total = 0
        for number, span in enumerate([*spans, Span(len(self.content.data), 0)]):
            many = sum(self.is_row[bisect_left(self.body, place) : bisect_right(self.body, span.start, 1) - 1])
            if many > 0 and span.start > place:
                total += many
                if many != self.content.newlines(place, span.start):
                    hidden[number] = Tally("rows", many)
            place = span.stop
        return Choice(spans, hidden=hidden, shown=(self.total - total,) if self.total else ())


def _edges_of(data: bytes) -> list[int]:
    """Where rows begin, and the last one ends: one row a line, or several where a quoted cell reaches over them.

    Quotes pair as they do in CSV.
    """
    bare = blanked(data) if b'"' in data else data
    texts = bare.split(b"\n")
    if bare is not data and 4 * len(texts) < data.count(b"\n"):
        texts = data.split(b"\n")  # a quote that stands for itself would make one row of all that follows
    edges = list(accumulate(map((1).__add__, map(len, texts)), initial=0))
    edges[-1] = len(data)
    if len(edges) > 1 and edges[-2] >= edges[-1]:
        edges.pop()
    return edges


def _first_row(grid: Grid | None, lines: list[bytes]) -> int:
    """The number of the first row behind the header and the rule under it."""
    if grid is None:
        return 0
    first = grid.header + 1
    while first < len(lines) and is_rule(lines[first]):
        first += 1
    return first


def _columns(grid: Grid, lines: list[bytes], texts: list[bytes], *, quoted: bool) -> dict[str, _Column]:
    """The cells of every column; of a row that is laid out in another way they are empty."""
    names = [name.decode("utf-8", "replace").strip() for name in grid.cells(lines[grid.header])]
    names += [""] * (grid.columns - len(names))
    if grid.mark and not grid.ruled and not quoted:
        columns = _parted(list(map(bytes.rstrip, texts)), grid.mark, grid.columns)
    else:
        empty = [""] * grid.columns
        cells = [row if len(row) == grid.columns else empty for row in (_cells(grid, text) for text in texts)]
        columns = [list(column) for column in zip(*cells, strict=True)]
    return {name: _values(column) for name, column in zip(names, columns, strict=False)}


def _parted(rows: list[bytes], mark: bytes, columns: int) -> list[list[str]]:
    """The columns of rows without quotes, parted all at once: every so many cells a row begins."""
    usual = columns - 1
    rows = [row if row.count(mark) == usual else mark * usual for row in rows]
    cells = mark.join(rows).decode("utf-8", "replace").split(mark.decode())
    return [cells[place : len(rows) * columns : columns] for place in range(columns)]


def _cells(grid: Grid, row: bytes) -> list[str]:
    row = row.rstrip(b"\r\n")
    text = row.decode("utf-8", "replace")
    if b'"' in row and grid.mark and not grid.ruled:
        text = text.replace("\r", " ").replace("\0", " ").replace("\n", " ")
        return next(csv.reader([text], delimiter=grid.mark.decode()), [])
    return [cell.decode("utf-8", "replace") for cell in grid.cells(row)]


def _values(column: list[str]) -> _Column:
    """The cells of a column, as numbers where they are."""
    tried = [cell for cell in column[:TRIED] if cell.strip()]
    if not tried or sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in tried) < NUMBERS * len(tried):
        return column
    try:
        if "" in column:
            return [float(cell) if cell else None for cell in column]
        return [*map(float, column)]
    except ValueError:
        return [_number(cell.strip()) for cell in column]


def _number(cell: str) -> object:
    found = _NUMBER.fullmatch(cell)
    if found is None:
        return cell or None
    number = float(found[1].replace(",", "").replace("_", "")) * _UNITS[found[2]]
    return -number if cell.startswith("-") else number


TABLE = Reducer("table", fit, reduce)
