"""Listings of files: which of thousands of entries to show.

1. First what the listing says of itself (how many there are), then what the question speaks of.
2. Then the shape: what stands at the top, each folder by one entry of it, files of kinds that are rare here.
3. Then folders take turns, those that matter more the more often; a folder is shown from its start, so that few marks
   are needed.
4. An entry is shown with the lines under which it stands. Where a line is nothing but a path, the folder may be shown
   once for those that are in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.entries import BEFORE, BULLET, HEADING, MODE, NONE, READ, TREE, Entries, read_entries
from penstock.core.reduce.groups import Groups
from penstock.core.reduce.lines import Lines, Runs
from penstock.core.reduce.order import Order, in_turn
from penstock.core.reduce.paths import worth_of
from penstock.core.reduce.pick import joined, picked
from penstock.core.reduce.question import Question
from penstock.core.reduce.sampled import least

# So many that speak of the question, that stand at the top, and that are rare go before the rest, each.
FIRST: Final = 100
FEW: Final = 30

# An ending that so few files have is rare, where there are many more files.
RARE: Final = 2
MANY: Final = 50

_ENDING: Final = re_pattern(rb"\w\.\w{1,12}\r?$")
_PATH: Final = re_pattern(rb"(?:[A-Za-z]:\\|\.{0,2}/|[\w.@+\-]+/)?[^\s:;,(){}<>|\"'=]*[\w/~]$")
_ABOUT: Final = re_pattern(
    rb"total |\d+ (?:director|file|object|entr)|[ \t]*\d+[ \t]+\d+ files|Archive:"
    rb"|[A-Z][^/]*\d+ (?:files|entries|items|results)"
)


def fit(sample: Sample) -> float:
    return least(sample, _fit)


def _fit(lines: list[bytes]) -> float:
    if len(lines) < 3:
        return 0.0
    if 2 * sum(TREE.match(line) is not None for line in lines) > len(lines):
        return 0.9
    known = sum(MODE.match(line) is not None or _ends_in_path(line) for line in lines)
    if 2 * known > len(lines):
        return 0.5 + 0.4 * known / len(lines)
    heads = sum(HEADING.match(line) is not None for line in lines)
    names = sum(_is_path(line) for line in lines)
    if names + heads < 0.9 * len(lines):
        return 0.0
    slashes = sum(b"/" in line or b"\\" in line for line in lines) / len(lines)
    dots = sum(b"." in line for line in lines) / len(lines)
    return min(0.9, 0.35 + 0.3 * max(slashes, dots) + 0.25 * slashes)


def _ends_in_path(line: bytes) -> bool:
    found = BEFORE.match(line)
    return found is not None and _PATH.match(line[found.end() :].rstrip(b"\r")) is not None


def _is_path(line: bytes) -> bool:
    found = BULLET.match(line)
    return _PATH.match(line[found.end() if found else 0 :].rstrip(b"\r")) is not None


def reduce(content: Content, ask: Ask) -> Plan:
    lines = Lines(content)
    ask.effort.spend(2 * len(lines))
    listing = _Listing(lines, read_entries(lines.plain()), ask)
    total = sum(run != NONE for run in listing.entries.runs)
    return Plan(listing.choose, (Tally("entries", total),), "paths" if listing.compact else "verbatim")


@dataclass
class _Listing:
    lines: Lines
    entries: Entries
    ask: Ask

    @property
    def compact(self) -> bool:
        return self.ask.compact and not self.lines.coloured and self.entries.bare and len(self.entries.folders) > 1

    def choose(self, room: Room) -> Choice:
        content = self.lines.content
        shown = picked(content, self._units, self._order, room)
        if self.compact:
            in_groups = self._groups.picked(self._order, room)
            if in_groups.count(1) > shown.count(1):
                spans, parts = self._groups.laid_out(in_groups)
                return Choice(spans, parts, "paths", shown=self._shown(spans))
        spans = joined(content, self._units, shown, room.mark)
        return Choice(spans, shown=self._shown(spans))

    def _shown(self, spans: list[Span]) -> tuple[int]:
        runs = self.entries.runs
        return (sum(run != NONE for first, stop in self.lines.covered(spans) for run in runs[first:stop]),)

    @cached_property
    def _units(self) -> Runs:
        return Runs(self.lines, range(len(self.lines) + 1))

    @cached_property
    def _groups(self) -> Groups:
        entries = self.entries
        counts = [len(rows) for rows in self._rows]
        return Groups(self.lines.content, self._units, entries.runs, self._folder_in, entries.folders, counts)

    def _folder_in(self, index: int) -> Span:
        start, stop = self._units[index]
        folder = self.entries.folders[self.entries.runs[index]]
        there = self.lines.content.data.startswith(folder, start, stop)
        return Span(start, start + len(folder) if there else start)

    @cached_property
    def _order(self) -> Order:
        return Order(self._with_headings(self._by_worth()))

    def _with_headings(self, order: Iterable[int]) -> Iterator[int]:
        above = self.entries.above
        if not above:
            yield from order
            return
        for index in order:
            line = above[index]
            heads: list[int] = []
            while line != NONE:
                heads.append(line)
                line = above[line]
            yield from reversed(heads)
            yield index

    # -- worth ---------------------------------------------------------------------------------------------------------

    def _by_worth(self) -> Iterator[int]:
        count = len(self.lines)
        for place in dict.fromkeys((0, count - 1, count - 2)):
            if 0 <= place < count and _ABOUT.match(self.lines.texts[place], 0, READ):
                yield place
        yield from self._asked()
        yield from islice(self._at_top(), FIRST)
        yield from islice(self._rare(), FEW)
        yield from in_turn(self._rows, self._worths)
        yield from range(count)

    def _asked(self) -> list[int]:
        question = Question(self.ask.query)
        if not question:
            return []
        paths = self.entries.paths
        scores = question.scores([path.lower() for path in paths], self.ask.effort)
        ranked = sorted(scores, key=lambda index: (-scores[index] * (0.3 + worth_of(paths[index])), index))
        return ranked[: 4 * FIRST]

    def _at_top(self) -> Iterator[int]:
        """Entries at the top, and the folders there by the first entry of each."""
        folders = self.entries.folders
        depths = [folder.count(b"/") for folder in folders]
        depth = min(depths, default=0)
        if depth == max(depths, default=0):
            return
        seen: set[bytes] = set()
        for folder, its_depth, rows in zip(folders, depths, self._rows, strict=True):
            top = b"/".join(folder.split(b"/", depth + 1)[: depth + 1])
            if its_depth == depth:
                yield from rows[:FEW]
            elif rows and top not in seen:
                seen.add(top)
                yield rows[0]

    def _rare(self) -> Iterator[int]:
        """Files with an ending that few others have."""
        paths = self.entries.paths
        endings = [path.rpartition(b".")[2] for path in paths]
        counts = Counter(endings)
        if len(paths) >= MANY:
            few = (index for index, ending in enumerate(endings) if counts[ending] <= RARE)
            yield from (index for index in few if _ENDING.search(paths[index][-READ:]))

    @cached_property
    def _rows(self) -> list[list[int]]:
        """The lines of each run."""
        rows: list[list[int]] = [[] for _ in self.entries.folders]
        for index, run in enumerate(self.entries.runs):
            if run != NONE:
                rows[run].append(index)
        return rows

    @cached_property
    def _worths(self) -> list[float]:
        """Of each run, told from two of its entries."""
        paths = self.entries.paths
        told = (
            [worth_of(paths[row]) for row in (rows[0], rows[len(rows) // 2])] if rows else [1.0] for rows in self._rows
        )
        return [(sum(worths) / len(worths)) ** 2 for worths in told]


LISTING = Reducer("listing", fit, reduce)
