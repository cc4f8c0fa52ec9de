"""Results of a search: which lines to show of thousands of hits.

1. Where the searched word is defined comes first, then what speaks of the question, then lines that look like few
   others, then one line of every file, the files that matter most first, then all the rest, from each file in turn.
2. The searched word is not told; it is what nearly all matches have in common.
3. A line looks like another where the same signs stand in it in the same order. Where most lines look like few others,
   that says nothing.
4. Of a long line a part around the match is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.definitions import READ, sureness
from penstock.core.reduce.groups import NO_GROUP, Groups
from penstock.core.reduce.hitlines import BARE, FLAT, UNDER, Hits, is_heading, read_hits
from penstock.core.reduce.lines import Lines, Runs
from penstock.core.reduce.order import Order, in_turn
from penstock.core.reduce.paths import worth_of
from penstock.core.reduce.pick import joined, picked
from penstock.core.reduce.question import Question
from penstock.core.reduce.sampled import least, parts_of

# A line over this is shown in part.
LONG: Final = 400
PART: Final = 240

# So many definitions, lines that speak of the question and odd lines go before the files, each.
FIRST: Final = 40

# What of a line is compared with others, and how many may look alike to be few.
COMPARED: Final = 200
FEW: Final = 2
ODD_SHARE: Final = 0.02

# From so many lines the searched word is told, and so much of them have it.
WORDS_FROM: Final = 100
COMMON: Final = 0.9
CANDIDATES: Final = 50

# Lines around a definition or what was asked for, where they are in the results as context.
AROUND: Final = 2

_WORD: Final = re_pattern(rb"[A-Za-z_][\w$]{2,60}")
_NOT_SIGNS: Final = bytes(c for c in range(256) if chr(c).isalnum() or c in b"_ \t\r" or c > 127)
# A compiler and a linter say more behind the column than a search does; a time of day looks like a line and a column.
_DIAGNOSIS: Final = re_pattern(rb"[^:\n]+:\d+(?::\d+)?: *(?:fatal error|error|warning|note)\b|[^:\n]+:\d+:\d+: \w")
_TIME: Final = re_pattern(rb".*?\d\d?:\d\d:\d\d\b")
_PATH: Final = re_pattern(rb"(?:[A-Za-z]:[\\/])?[^\s:*?\"<>|,;]+$")


def fit(sample: Sample) -> float:
    flat = least(sample, _fit_flat)
    if flat:
        return flat
    lines = [line for part in parts_of(sample) for line in part]
    return _fit_headings(lines) or _fit_bare(lines)


def _fit_flat(lines: list[bytes]) -> float:
    lines = [line for line in lines if line != b"--"]
    found = [(line, FLAT.match(line)) for line in lines]
    paths = {hit[1] for line, hit in found if hit is not None and hit[2] == b":" and _is_hit(line, hit)}
    flat = sum(hit is not None and (hit[1] in paths or _is_context(line, paths)) for line, hit in found)
    if len(lines) < 3 or 2 * flat <= len(lines):
        return 0.0
    told = sum(_DIAGNOSIS.match(line) is not None for line in lines)
    return max(0.0, 0.55 + 0.4 * flat / len(lines) - 0.6 * told / len(lines))


def _fit_bare(lines: list[bytes]) -> float:
    """Paths before lines without their numbers: only where there are folders in most, or anything might be a path."""
    paths = [found[1] for line in lines if (found := BARE.match(line)) and b" " not in found[1]]
    folders = sum(b"/" in path or b"\\" in path for path in paths)
    return 0.75 if 10 * len(paths) > 9 * len(lines) and 2 * folders > len(lines) else 0.0


def _fit_headings(lines: list[bytes]) -> float:
    under = [found for line in lines if (found := UNDER.match(line)) and _TIME.match(line, 0, 12) is None]
    heads = sum(map(is_heading, lines))
    # A date has dashes only.
    matches = sum(found[2] != b"-" for found in under)
    if 2 * len(under) <= len(lines) or 5 * (len(under) + heads) <= 4 * len(lines) or not matches:
        return 0.0
    return 0.3 + 0.55 * (len(under) + heads) / len(lines) if heads else 0.35


def _is_hit(line: bytes, hit: re.Match[bytes]) -> bool:
    path = hit[1]
    return (
        path.lower() != path.upper() and _PATH.match(path) is not None and _TIME.match(line, 0, hit.end() + 3) is None
    )


def _is_context(line: bytes, paths: set[bytes]) -> bool:
    return any(line.startswith(path + b"-") for path in paths)


def reduce(content: Content, ask: Ask) -> Plan:
    lines = Lines(content)
    ask.effort.spend(2 * len(lines))
    texts = lines.plain()
    return _Search(lines, texts, read_hits(texts), ask).plan()


@dataclass
class _Search:
    lines: Lines
    texts: list[bytes]  # without colours
    hits: Hits
    ask: Ask

    def plan(self) -> Plan:
        matches = sum(hit.matches for hit in self.hits.lines)
        files = len(set(self.hits.paths))
        totals = (Tally("files", files), Tally("matches", matches))
        return Plan(self.choose, totals, "paths" if self._compact else "verbatim")

    def choose(self, room: Room) -> Choice:
        content = self.lines.content
        shown = picked(content, self._units, self._order, room)
        if self._compact:
            in_groups = self._groups.picked(self._order, room)
            if in_groups.count(1) > shown.count(1):
                spans, parts = self._groups.laid_out(in_groups)
                return Choice(spans, parts, "paths", shown=self._shown(spans))
        spans = joined(content, self._units, shown, room.mark)
        return Choice(spans, shown=self._shown(spans))

    @cached_property
    def _compact(self) -> bool:
        """Whether there are paths that can be shown once. Where lines have colours, it is not told where paths end."""
        flat = any(head < 0 and path for head, path in zip(self.hits.heads, self.hits.paths, strict=True))
        return self.ask.compact and flat and not self.lines.coloured

    def _shown(self, spans: list[Span]) -> tuple[int, int]:
        """The files and the matches in some spans."""
        hits = self.hits.lines
        rows = [hit for first, stop in self.lines.covered(spans) for hit in hits[first:stop] if hit.group != NO_GROUP]
        return len({self.hits.paths[hit.group] for hit in rows}), sum(hit.matches for hit in rows)

    # -- units ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _long(self) -> dict[int, Span]:
        """Of each long line the part around its match."""
        long: dict[int, Span] = {}
        for index, text in enumerate(self.lines.texts):
            if len(text) > LONG:
                hit = self.hits.lines[index]
                at = hit.text + hit.column if hit.column else max(text.find(self._word, hit.text), hit.text)
                long[index] = self.lines.unit(index, at, PART)
        return long

    @cached_property
    def _pieces(self) -> tuple[Sequence[Span], Sequence[int]]:
        """The units with the line of each: a line, or where it is long its path and number and the part of it."""
        starts = self.lines.starts
        if not self._long:
            return Runs(self.lines, range(len(self.lines) + 1)), range(len(self.lines))
        units: list[Span] = []
        owners: list[int] = []
        for index in range(len(self.lines)):
            part = self._long.get(index, Span(starts[index], starts[index + 1]))
            head = starts[index] + (0 if self.lines.coloured else self.hits.lines[index].text)
            if starts[index] < head <= part.start:
                units.append(Span(starts[index], head))
                owners.append(index)
            units.append(part)
            owners.append(index)
        return units, owners

    @property
    def _units(self) -> Sequence[Span]:
        return self._pieces[0]

    @cached_property
    def _groups(self) -> Groups:
        units, owners = self._pieces
        hits = self.hits
        of = [hits.lines[owner].group for owner in owners]
        return Groups(self.lines.content, units, of, self._path_in, hits.paths, hits.counts)

    def _path_in(self, unit: int) -> Span:
        start, owner = self._units[unit].start, self._pieces[1][unit]
        # The second part of a long line stands below its number, without a path.
        own = self.hits.lines[owner].own if start == self.lines.starts[owner] else 0
        return Span(start, start + own)

    @cached_property
    def _order(self) -> Order:
        """The units by worth, the heading of a file before its lines."""
        order = self._with_headings(self._by_worth())
        return Order(order if not self._long else self._pieces_of(order))

    def _pieces_of(self, order: Iterable[int]) -> Iterator[int]:
        pieces: dict[int, list[int]] = {}
        for unit, owner in enumerate(self._pieces[1]):
            pieces.setdefault(owner, []).append(unit)
        for line in order:
            yield from pieces[line]

    def _with_headings(self, order: Iterable[int]) -> Iterator[int]:
        heads = self.hits.heads
        hits = self.hits.lines
        for index in order:
            group = hits[index].group
            if group != NO_GROUP and heads[group] >= 0:
                yield heads[group]
            yield index

    # -- worth ---------------------------------------------------------------------------------------------------------

    def _by_worth(self) -> Iterator[int]:
        yield from self._edges()
        first = [*self._definitions()[:FIRST], *self._asked()[:FIRST]]
        yield from first
        yield from self._odd()[:FIRST]
        yield from self._around(first)
        yield from self._in_turn()
        yield from range(len(self.lines))

    def _edges(self) -> list[int]:
        """What stands before the first hit and after the last: how many there are, that there were more."""
        hits, texts = self.hits.lines, self.texts
        places = (0, 1, len(hits) - 1, len(hits) - 2)
        heads = set(self.hits.heads)
        return [
            place
            for place in dict.fromkeys(places)
            if 0 <= place < len(hits)
            and hits[place].group == NO_GROUP
            and place not in heads
            and len(texts[place].strip(b"- \r")) > 1
        ]

    @cached_property
    def _matching(self) -> list[int]:
        return [index for index, hit in enumerate(self.hits.lines) if hit.matches]

    @cached_property
    def _texts(self) -> list[bytes]:
        """The text of each line of `_matching`, without path and number."""
        texts, hits = self.texts, self.hits.lines
        return [texts[index][hits[index].text :] for index in self._matching]

    @cached_property
    def _word(self) -> bytes:
        """The searched word: the longest that nearly all matches have, in lower case where its case differs."""
        texts = [text[:COMPARED] for text in self._texts[:: max(1, len(self._texts) // WORDS_FROM)]]
        return _common_word(texts) or _common_word([text.lower() for text in texts])

    def _definitions(self) -> list[int]:
        """The lines that define the searched word, the surest first."""
        if not self._word:
            return []
        sure: list[tuple[float, float, int]] = []
        paths, hits = self.hits.paths, self.hits.lines
        any_case = self._word.islower()
        uses: set[bytes] = set()  # the same line is often there again
        for index, text in zip(self._matching, self._texts, strict=True):
            if text in uses:
                continue
            worth = sureness(text[:READ].lower() if any_case else text[:READ], self._word)
            if worth:
                sure.append((-worth, -worth_of(paths[hits[index].group]), index))
            else:
                uses.add(text)
        return [index for _, _, index in sorted(sure)]

    def _asked(self) -> list[int]:
        """The lines that speak of the question, best first."""
        question = Question(self.ask.query)
        if not question:
            return []
        scores = question.scores([self.texts[index].lower() for index in self._matching], self.ask.effort)
        return [self._matching[place] for place, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]

    def _odd(self) -> list[int]:
        signs = b"\n".join(text[:COMPARED] for text in self._texts).translate(None, _NOT_SIGNS).split(b"\n")
        counts = Counter(signs)
        odd = [index for index, sign in zip(self._matching, signs, strict=False) if counts[sign] <= FEW]
        return odd if len(odd) <= max(FEW, ODD_SHARE * len(signs)) else []

    def _around(self, chosen: list[int]) -> Iterator[int]:
        hits = self.hits.lines
        for index in chosen[:FIRST]:
            for place in range(max(0, index - AROUND), min(len(hits), index + AROUND + 1)):
                if hits[place].group == hits[index].group and not hits[place].matches:
                    yield place

    def _in_turn(self) -> Iterator[int]:
        """Every match: the first of each file, then files in turn, those that matter more first and more often."""
        hits, paths = self.hits.lines, self.hits.paths
        rows: list[list[int]] = [[] for _ in paths]
        for index in self._matching:
            rows[hits[index].group].append(index)
        worths = [worth_of(path) for path in paths]
        by_worth = sorted(range(len(rows)), key=lambda group: -worths[group])
        return chain((rows[group][0] for group in by_worth if rows[group]), in_turn(rows, worths))


def _common_word(texts: list[bytes]) -> bytes:
    texts = [text for text in texts if text]
    if len(texts) < 2:
        return b""
    words = Counter(word for text in texts for word in {part for word in _WORD.findall(text) for part in _parts(word)})
    common = [
        word for word, _ in words.most_common(CANDIDATES) if sum(word in text for text in texts) >= COMMON * len(texts)
    ]
    return max(common, key=lambda word: (len(word), word), default=b"")


def _parts(word: bytes) -> list[bytes]:
    """A word and what it is made of."""
    return [word, *(part for part in word.strip(b"_").split(b"_") if 2 < len(part) < len(word))]


GREP = Reducer("grep", fit, reduce)
