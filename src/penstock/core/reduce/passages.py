"""Text that is read, as passages: paragraphs, headings, rows, listings. Which of them go into a room, and in what order.

Rules:
1. The title and what the question speaks of go first, each with the heading above it; where much was found, half the
   room stays for what follows.
2. Then the main text from its start, with the outline of what there is no room for: headings, and the first rows of
   tables under their column names.
3. What is not the main text goes last, the nearest to it first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
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
OUTLINE: Final = 0.07
TABLES: Final = 0.3

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
    others: Sequence[int]  # what is of no passage, best first


@dataclass
class Passages:
    content: Content
    passages: Sequence[Passage]
    texts: Sequence[bytes]  # in lower case: what is looked through for the words of the question
    ask: Ask

    def choose(self, room: Room) -> Choice:
        units = self._between if self._letters < room.least else self._units
        order = [unit for index in self._order(room.least) for unit in units.of[index]]
        honest = room._replace(mark=_mark_inside(room.mark, len(self.content.data)))
        return Choice(pick(self.content, units.spans, [*order, *units.others], honest))

    @cached_property
    def _safe(self) -> list[Span]:
        return _at_whole_units(self.content.data, [unit for passage in self.passages for unit in passage.units])

    @cached_property
    def _letters(self) -> int:
        return sum(stop - start for start, stop in self._safe)

    @cached_property
    def _units(self) -> _Units:
        firsts = list(accumulate((len(passage.units) for passage in self.passages), initial=0))
        return _Units(self._safe, [range(*ends) for ends in pairwise(firsts)], ())

    @cached_property
    def _between(self) -> _Units:
        """With what stands between the passages: for room that they do not fill."""
        return _with_rest(self.content.data, self._safe, self._units.of, [p.worth >= MAIN for p in self.passages])

    def _order(self, room: int) -> Iterator[int]:
        """The passages in the order of their worth, for about so many bytes."""
        seen: set[int] = set()
        for part, share in (
            (self._titles, 1.0),
            (self._asked, ASKED),
            (self._main, OPENING),
            (self._outline, OUTLINE),
            (self._tables, TABLES),
            (self._main, 1.0),
            (self._others, 1.0),
        ):
            left = share * room
            for index in part:
                if index in seen:
                    continue
                left -= sum(stop - start for start, stop in self.passages[index].units)
                if left < 0 and share < 1.0:
                    break
                seen.add(index)
                yield index

    @cached_property
    def _titles(self) -> list[int]:
        return [index for index, passage in enumerate(self.passages) if passage.kind == "title"][:1]

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
        scores = self._scores(question.scores(self.texts, self.ask.effort))
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


def _at_whole_units(data: bytes, spans: list[Span]) -> list[Span]:
    """The spans widened to safe cuts; one that would reach into the one before begins where that ends."""
    if data.isascii() and b"\x1b" not in data and b"\r" not in data:
        return spans
    wide: list[Span] = []
    floor = 0
    for start, stop in spans:
        begin = cut_at_or_before(data, start, floor)
        end = cut_at_or_after(data, max(stop, begin))
        floor = max(floor, end)
        wide.append(Span(begin, floor))
    return wide


def _with_rest(data: bytes, spans: list[Span], of: Sequence[Sequence[int]], main: list[bool]) -> _Units:
    """The spans with all that is between them; what is between two of the main text is the best of that."""
    everything: list[Span] = []
    owners = [owner for owner, indices in enumerate(of) for _ in indices]
    mine: list[list[int]] = [[] for _ in of]
    near: list[int] = []
    far: list[int] = []
    place = 0
    before = False
    for owner, span in [*zip(owners, spans, strict=True), (-1, Span(len(data), len(data)))]:
        after = owner >= 0 and main[owner]
        rest = parts_of(data, Span(place, span.start)) if span.start > place else []
        (near if before and after else far).extend(range(len(everything), len(everything) + len(rest)))
        everything += rest
        if owner >= 0:
            mine[owner].append(len(everything))
            everything.append(span)
        place, before = span.stop, after
    return _Units(everything, mine, [*near, *far])


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
