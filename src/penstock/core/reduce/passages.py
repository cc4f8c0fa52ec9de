"""Text that is read, as passages (paragraphs, headings, rows, listings): which go into a room, and in what order.

Rules:
1. The title and what the question speaks of go first, each with the heading above it; where much was found, half the
   room stays for what follows.
2. Then the main text from its start, with the outline of what there is no room for: headings, and the first rows of
   tables under their column names.
3. Of a text that people wrote the first sentence of every passage goes before the rest of any, from all over it.
4. What is not the main text goes last, the nearest to it first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Final, Literal, NamedTuple

from penstock.core.content import Content, Span
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.measure import Size
from penstock.core.reduce.contract import Ask, Choice, Room
from penstock.core.reduce.lines import LONG, window
from penstock.core.reduce.pick import pick
from penstock.core.reduce.question import Question

PassageKind = Literal["title", "heading", "text", "head", "row", "code"]

# What of the room each may take before the rest of the main text has its turn.
ASKED: Final = 0.7
OPENING: Final = 0.3
OUTLINE: Final = 0.08
TABLES: Final = 0.3
LEADS: Final = 0.1
CLOSING: Final = 0.08

_NEWLINE: Final = ord("\n")

# Units are offered up to so many times the room: where they do not fit, smaller ones may.
ENOUGH: Final = 4
AT_LEAST: Final = 1 << 14

# A unit is at most a fourth of a small room, but not made smaller than this.
LEAST: Final = 120

# Rows of each table that tell what is in it.
FIRST_ROWS: Final = 4

# A passage that is nearer to the main text than this belongs to it.
MAIN: Final = 0.5

# What a passage has of the words that the heading of its section, or the head of its table, has of the question.
OF_HEADING: Final = 0.3
OF_HEAD: Final = 0.5


class Passage(NamedTuple):
    kind: PassageKind
    units: list[Span]  # what is shown of it, each whole or not at all
    worth: float  # 1 for the main text
    level: int = 0  # of a heading


class _Units(NamedTuple):
    """What can be shown, in the order of the content."""

    spans: list[Span]
    of: Sequence[Sequence[int]]  # by passage: which of the spans are its own
    size: int  # of all these
    in_lines: bool  # most are whole lines
    others: Sequence[int] = ()  # what is of no passage, best first


@dataclass
class Passages:
    content: Content
    passages: Sequence[Passage]
    low: bytes  # the content in lower case: what is looked through for the words of the question
    ask: Ask
    spread: bool = False  # the first sentences of all the text before the rest of it
    by_size: dict[int, _Units] = field(default_factory=dict)

    def choose(self, room: Room) -> Choice:
        units = self._units(room.least)
        if not units.in_lines:
            room = room._replace(mark=_mark_inside(room.mark, len(self.content.data)))
        order = chain(self._order(units, room.least, room.mark.bytes), units.others)
        return Choice(_at_whole_units(self.content.data, pick(self.content, units.spans, order, room)))

    def _units(self, room: int) -> _Units:
        """What is small enough for the room, and what stands between it where the room is large enough for that."""
        # A power of two, so that rooms of nearly one size have the same.
        most = LONG if room >= 4 * LONG else max(LEAST, 1 << (room // 8).bit_length())
        if most not in self.by_size:
            self.by_size[most] = _units_of(self.content.data, self.passages, most)
        units = self.by_size[most]
        if units.size >= room:
            return units
        return _with_rest(self.content.data, units, [passage.worth >= MAIN for passage in self.passages])

    def _order(self, units: _Units, room: int, mark: int) -> Iterator[int]:
        """The units in the order of their worth, for about so many bytes."""
        seen: set[int] = set()
        all_left = ENOUGH * room + AT_LEAST
        for part, share in self._parts():
            left, first = share * room, True
            for index in part:
                if index in seen:
                    continue
                # The rest of a passage that was led with has its turn later.
                own = units.of[index][:1] if part is self._leads else units.of[index]
                size = sum(units.spans[unit].stop - units.spans[unit].start for unit in own)
                left -= size if index - 1 in seen else size + mark
                all_left -= size
                if (left < 0 and share < 1.0 and not first) or all_left < 0:
                    break
                first = False
                if part is not self._leads:
                    seen.add(index)
                yield from own

    def _parts(self) -> list[tuple[list[int], float]]:
        """Which passages have a turn, and what of the room they may take in it."""
        parts = [(self._titles, 1.0), (self._asked, ASKED), (self._main, OPENING), (self._outline, OUTLINE)]
        parts += [(self._tables, TABLES), (self._leads, 1.0 if self.spread else LEADS)]
        if self.spread:
            parts.insert(3, (self._main[::-1], CLOSING))
        return [*parts, (self._main, 1.0), (self._others, 1.0)]

    @cached_property
    def _leads(self) -> list[int]:
        """Of a text all passages, from all over it; of a page those that begin a section."""
        if self.spread:
            texts = [index for index in self._main if self.passages[index].kind == "text"]
            return [texts[index] for index in spread_over(len(texts))]
        after = [False, *(passage.kind == "heading" for passage in self.passages)]
        return [index for index in self._main if after[index] and self.passages[index].kind in ("text", "code")]

    @cached_property
    def _titles(self) -> list[int]:
        titles = [index for index, passage in enumerate(self.passages) if passage.kind == "title"]
        return titles[:1] + [i for i, passage in enumerate(self.passages) if passage.level == 1][:1]

    @cached_property
    def _main(self) -> list[int]:
        return [index for index, passage in enumerate(self.passages) if passage.worth >= MAIN]

    @cached_property
    def _others(self) -> list[int]:
        others = [index for index, passage in enumerate(self.passages) if passage.worth < MAIN]
        return sorted(others, key=lambda index: -self.passages[index].worth)

    @cached_property
    def _outline(self) -> list[int]:
        headings = [index for index in self._main if self.passages[index].kind == "heading"]
        return sorted(headings, key=lambda index: self.passages[index].level)

    @cached_property
    def _tables(self) -> list[int]:
        """The head and the first rows of every table of the main text."""
        chosen: list[int] = []
        count = 0
        for index in self._main:
            kind = self.passages[index].kind
            if kind == "head":
                count = 0
            if kind in ("head", "row"):
                count += 1
                if count <= FIRST_ROWS:
                    chosen.append(index)
            else:
                count = 0
        return chosen

    @cached_property
    def _asked(self) -> list[int]:
        question = Question(self.ask.query)
        if not question:
            return []
        texts = [b" ".join([self.low[start:stop] for start, stop in passage.units]) for passage in self.passages]
        scores = self._scores(question.scores(texts, self.ask.effort))
        best = sorted(scores, key=lambda index: (-scores[index], index))
        return list(self._with_headings(best))

    def _scores(self, own: dict[int, float]) -> dict[int, float]:
        """With what they have from the heads and headings above them, by how near they are to the main text."""
        scores: dict[int, float] = {}
        section = table = 0.0
        for index, passage in enumerate(self.passages):
            score = own.get(index, 0.0)
            if passage.kind == "heading":
                section, table = score, 0.0
            elif passage.kind == "head":
                table = max(table, score)
            elif passage.kind != "row":
                table = 0.0
            elif table:
                score += OF_HEAD * table
            if passage.kind != "heading":
                score += OF_HEADING * section
            if score > 0:
                scores[index] = score * passage.worth
        return scores

    def _with_headings(self, best: Iterable[int]) -> Iterator[int]:
        """Each of them behind the heading of its section and the head of its table."""
        above: list[tuple[int, int]] = []
        heading = head = -1
        for index, passage in enumerate(self.passages):
            if passage.kind == "heading":
                heading = index
            if passage.kind == "head":
                head = index
            elif passage.kind != "row":
                head = -1
            above.append((heading, head))
        for index in best:
            yield from (place for place in above[index] if place >= 0)
            yield index


def _mark_inside(mark: Size, size: int) -> Size:
    """What a mark takes where a gap begins or ends inside a line: it tells bytes then."""
    most = max(mark.chars, len("[... bytes -]") + 2 * len(str(size)))
    return Size(most, mark.lines, max(mark.bytes, most))


def _units_of(data: bytes, passages: Sequence[Passage], most: int) -> _Units:
    """The passages' units in parts of at most so many bytes."""
    spans: list[Span] = []
    firsts = [0]
    for passage in passages:
        for unit in passage.units:
            if unit.stop - unit.start <= most:
                spans.append(unit)
            else:
                spans += parts_of(data, unit, most)
        firsts.append(len(spans))
    lines = sum(data[stop - 1] == _NEWLINE for _, stop in spans)
    size = sum(stop - start for start, stop in spans)
    return _Units(spans, [range(*ends) for ends in pairwise(firsts)], size, 2 * lines > len(spans))


def _at_whole_units(data: bytes, spans: list[Span]) -> list[Span]:
    """The spans widened to safe cuts, which few need: as one where they meet then."""
    wide: list[Span] = []
    for start, stop in spans:
        floor = wide[-1].stop if wide else 0
        begin, end = cut_at_or_before(data, max(start, floor), floor), cut_at_or_after(data, max(stop, floor))
        if wide and begin == floor:
            wide[-1] = Span(wide[-1].start, end)
        else:
            wide.append(Span(begin, end))
    return wide


def _with_rest(data: bytes, units: _Units, main: list[bool]) -> _Units:
    """The units with all that is between them; what is between two of the main text is the best of that."""
    everything: list[Span] = []
    owners = [owner for owner, indices in enumerate(units.of) for _ in indices]
    mine: list[list[int]] = [[] for _ in units.of]
    near: list[int] = []
    far: list[int] = []
    place = 0
    before = False
    for owner, span in [*zip(owners, units.spans, strict=True), (-1, Span(len(data), len(data)))]:
        after = owner >= 0 and main[owner]
        rest = parts_of(data, Span(place, span.start)) if span.start > place else []
        (near if before and after else far).extend(range(len(everything), len(everything) + len(rest)))
        everything += rest
        if owner >= 0:
            mine[owner].append(len(everything))
            everything.append(span)
        place, before = span.stop, after
    return _Units(everything, mine, len(data), units.in_lines, [*near, *far])


def parts_of(data: bytes, span: Span, most: int = LONG) -> list[Span]:
    """A long stretch as several, cut between words."""
    parts: list[Span] = []
    start, stop = span
    while stop - start > most:
        end = window(data, Span(start, stop), start, most).stop
        space = max(data.rfind(b" ", start + most // 2, end), data.rfind(b"\n", start + most // 2, end)) + 1
        end = space or end
        if end == start:
            break  # one cluster that is longer than a part
        parts.append(Span(start, end))
        start = end
    return [*parts, Span(start, stop)]


def spread_over(count: int) -> list[int]:
    """The numbers under `count` so that any first few of them are all over the range: by their bits in reverse."""
    order = [0]
    while len(order) < count:
        order = [2 * number for number in order] + [2 * number + 1 for number in order]
    return [number for number in order if number < count]
