"""Listings of files: which of thousands of entries to show.

1. First what the listing says of itself (how many there are), then what the question speaks of.
2. Then the shape: what stands at the top, each folder by one entry of it, files of kinds that are rare here.
3. Then folders take turns, those that matter more the more often; a folder is shown from its start, so that few marks
   are needed.
4. An entry is shown with the lines under which it stands. Where a line is nothing but a path, the folder may be shown
   once for those that are in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.entries import BEFORE, BULLET, HEADING, MODE, NONE, READ, TREE, Entries, read_entries
from penstock.core.reduce.groups import Groups
from penstock.core.reduce.lines import LONG, Lines
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

_PATH: Final = re.compile(rb"(?:[A-Za-z]:\\|\.{0,2}/|[\w.@+\-]+/)?[^\s:;,(){}<>|\"'=]*[\w/~]$")
_ABOUT: Final = re.compile(
    rb"(?:total |\d+ (?:director|file|object|entr)|[ \t]*\d+[ \t]+\d+ files|Archive:|[A-Z][^/]*\d+ (?:files|entries|items|results))"
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
    listing = _Listing(lines, read_entries(lines.texts), ask)
    total = sum(folder != NONE for folder in listing.entries.folders)
    return Plan(listing.choose, (Tally("entries", total),), "paths" if listing.compact else "verbatim")


@dataclass
class _Listing:
    lines: Lines
    entries: Entries
    ask: Ask

    @property
    def compact(self) -> bool:
        return self.ask.compact and self.entries.bare and len(self.entries.names) > 1

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
        folders = self.entries.folders
        return (sum(f != NONE for first, stop in self.lines.covered(spans) for f in folders[first:stop]),)

    @cached_property
    def _units(self) -> list[Span]:
        return self.lines.units(LONG)

    @cached_property
    def _groups(self) -> Groups:
        entries, units = self.entries, self._units
        left_out = [
            Span(unit.start + gone.start, min(unit.stop, unit.start + gone.stop))
            for unit, gone in zip(units, entries.left_out, strict=True)
        ]
        counts = Counter(entries.folders)
        return Groups(
            self.lines.content,
            units,
            entries.folders,
            left_out,
            entries.names,
            [counts[n] for n in range(len(entries.names))],
        )

    @cached_property
    def _order(self) -> Order:
        return Order(self._with_headings(self._by_worth()))

    def _with_headings(self, order: Iterable[int]) -> Iterator[int]:
        above = self.entries.above
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
        yield from in_turn(self._folders, self._worths)
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
        paths = self.entries.paths
        depth = min((path.count(b"/") for path in paths if path), default=0)
        seen: set[bytes] = set()
        for index, path in enumerate(paths):
            top = path.split(b"/", depth + 1)[depth : depth + 1]
            if top and top[0] not in seen:
                seen.add(top[0])
                yield index

    def _rare(self) -> Iterator[int]:
        """Files with an ending that few others have."""
        endings = [_ending(path) for path in self.entries.paths]
        counts = Counter(endings)
        if len(endings) >= MANY:
            yield from (index for index, ending in enumerate(endings) if ending and counts[ending] <= RARE)

    @cached_property
    def _folders(self) -> list[list[int]]:
        folders: list[list[int]] = [[] for _ in self.entries.names]
        for index, folder in enumerate(self.entries.folders):
            if folder != NONE:
                folders[folder].append(index)
        return folders

    @cached_property
    def _worths(self) -> list[float]:
        """Of each folder, told from some of its entries."""
        paths = self.entries.paths
        worths: list[float] = []
        for rows in self._folders:
            told = [worth_of(paths[row]) for row in {rows[0], rows[len(rows) // 2]}] if rows else [1.0]
            worths.append((sum(told) / len(told)) ** 2)
        return worths


def _ending(path: bytes) -> bytes:
    name = path.rsplit(b"/", 1)[-1]
    return name.rpartition(b".")[2] if b"." in name[1:] else b""


LISTING = Reducer("listing", fit, reduce)
