"""Source code: its outline, and the bodies that the question is about.

1. First where the file begins and the definitions that the question names, then the outline: the line or lines with
   which each definition begins, in a part of the room, those at the top before those inside of others.
2. Then what the question speaks of, each piece with the definitions that it is in; then the rest of the outline, then
   bodies from the start on.
3. No parser: a definition is told by its line, what is in it by the indentation. Lines may have their numbers in front.
4. In settings (YAML, TOML, INI) a key or a section at the margin counts as a definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.definitions import READ, defines
from penstock.core.reduce.lines import LONG, Lines, Runs
from penstock.core.reduce.order import Order
from penstock.core.reduce.pick import joined, picked
from penstock.core.reduce.question import Question
from penstock.core.reduce.sampled import parts_of

# What of the room the outline may take before any body is shown: with a question, and without.
OUTLINE_ASKED: Final = 0.25
OUTLINE: Final = 0.7

# A definition begins with at most so many lines; a body is cut in pieces of so many, at a blank line where it can be.
HEAD: Final = 6
PIECE: Final = 14
PIECE_AT_LEAST: Final = 4

# So many definitions that the question names go before the outline, and so many pieces after it.
NAMED: Final = 20
NEARLY: Final = 0.6
ASKED: Final = 300

# A name in the question says more than a word in a body.
OF_NAME: Final = 2.0
OF_BODY: Final = 0.3

_NUMBER: Final = re_pattern(rb"[ \t]{0,8}\d{1,7}(?:\xe2\x86\x92|\t|: |:(?=\s|$)| ?\| ?|  ?)")
_BARE_NUMBER: Final = re_pattern(rb"[ \t]{0,8}(\d{1,7})(?:\xe2\x86\x92|\t|: |:| ?\||$)")
_COMMENTS: Final = (b"//", b"/*", b"*", b"#", b"--", b";")
_DECORATORS: Final = (b"@", b"#[")
_BRACKET_ENDS: Final = (b"{", b"}", b";", b"(", b")", b",", b":", b"[", b"]", b"=", b"*/", b"\\")
_STARTS: Final = re_pattern(
    rb"[ \t]*(?:import\b|from \S+ import|using |package |use |require|@\w|//|/\*|\* |\*/|#|--|\"\"\"|return\b)"
)
# What logs and runs of tests print, which show source too.
_NO_SOURCE: Final = re_pattern(
    rb"={5}|```|_{5}|E {2,}\S|[>$] |\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|Traceback |(?:PASS|FAIL|ERROR|ok)\b"
)
_KEY: Final = re_pattern(
    rb"[ \t]*(?:- )?(?:[\w.\-/\"]+:(?: |$)|[\w.\-]+[ \t]*=)|\[[^\]]+\]|[ \t]*- \S|[ \t]*#|[ \t]*[\"'\]\w].*[,\]]$"
)
_MARGIN_KEY: Final = re_pattern(rb"[\w\"'][\w.\-/\"' ]*:(?: |$)|[\w.\-]+[ \t]*=|\[[^\]]+\]")


def fit(sample: Sample) -> float:
    if sample.data.lstrip()[:1] in (b"{", b"[", b"<"):
        return 0.0
    parts = parts_of(sample)
    numbered = bool(parts) and _are_numbered(parts[0])
    parts = [[text for line in part if (text := _without_number(line, numbered).rstrip())] for part in parts]
    texts = [text for part in parts for text in part]
    if len(texts) < 5:
        return 0.0
    if any(map(defines, texts)) and not any(map(_NO_SOURCE.match, texts)):
        # One part may be a long comment.
        code = sorted(_code_in(part) for part in parts)[-2:]
        return 0.4 + 0.3 * sum(code) / len(code) + 0.15 * numbered if code[0] > 0.4 else 0.2
    if 10 * sum(_KEY.match(text) is not None for text in texts) > 9 * len(texts):
        return 0.45 + 0.2 * numbered
    return 0.45 if numbered else 0.0


def _code_in(texts: list[bytes]) -> float:
    return sum(text.endswith(_BRACKET_ENDS) or _STARTS.match(text) is not None for text in texts) / max(1, len(texts))


def reduce(content: Content, ask: Ask) -> Plan:
    lines = Lines(content)
    ask.effort.spend(3 * len(lines))
    plain = lines.plain()
    numbered = _are_numbered(plain[:60])
    texts = [_without_number(text, numbered) for text in plain] if numbered else plain
    source = _Source(lines, texts, ask)
    return Plan(source.choose, (Tally("definitions", len(source.definitions)),))


def _are_numbered(texts: Sequence[bytes]) -> bool:
    """Whether lines have their numbers in front, which go up by one."""
    told = [_BARE_NUMBER.match(text) for text in texts[:60] if text.strip()]
    numbers = [int(found[1]) for found in told if found is not None]
    steps = sum(0 < b - a <= 2 for a, b in pairwise(numbers))
    return len(numbers) > 2 and 10 * len(numbers) >= 9 * len(told) and 10 * steps >= 9 * (len(numbers) - 1)


def _without_number(text: bytes, numbered: bool) -> bytes:
    found = _NUMBER.match(text) if numbered else None
    return text[found.end() :] if found else text


@dataclass
class _Source:
    lines: Lines
    texts: list[bytes]  # without numbers
    ask: Ask

    def choose(self, room: Room) -> Choice:
        content = self.lines.content
        outline = self._outline_within(int(room.least * (OUTLINE_ASKED if self._question else OUTLINE)), room)
        order = chain(self._start, self._named, outline, self._order)
        spans = joined(content, self._units, picked(content, self._units, order, room), room.mark)
        return Choice(spans, shown=(self._shown(spans),))

    def _shown(self, spans: list[Span]) -> int:
        covered = bytearray(len(self.lines) + 1)
        for first, stop in self.lines.covered(spans):
            covered[first:stop] = b"\1" * (stop - first)
        return sum(covered[line] for line in self.definitions)

    # -- units ---------------------------------------------------------------------------------------------------------

    @cached_property
    def definitions(self) -> list[int]:
        """The lines that define."""
        found = [index for index, text in enumerate(self.texts) if defines(text)]
        return found or [index for index, text in enumerate(self.texts) if _MARGIN_KEY.match(text[:READ])]

    @cached_property
    def _cuts(self) -> tuple[list[int], list[int]]:
        """Where units begin, with one more for the end; for each unit the definition it belongs to, or -1."""
        return _cut(self.texts, [_decorated(self.texts, line) for line in self.definitions])

    @cached_property
    def _units(self) -> Runs:
        return Runs(self.lines, self._cuts[0])

    @cached_property
    def _heads(self) -> list[int]:
        """The unit with which each definition begins."""
        at = {line: unit for unit, line in enumerate(self._cuts[0])}
        return [at[_decorated(self.texts, line)] for line in self.definitions]

    @cached_property
    def _parents(self) -> list[int]:
        """For each definition the one that it stands in, or -1."""
        parents: list[int] = []
        stack: list[tuple[int, int]] = []
        for number, line in enumerate(self.definitions):
            indent = _indent(self.texts[line])
            while stack and stack[-1][0] >= indent:
                stack.pop()
            parents.append(stack[-1][1] if stack else -1)
            stack.append((indent, number))
        return parents

    # -- order ---------------------------------------------------------------------------------------------------------

    @property
    def _start(self) -> range:
        return range(min(1, len(self._units)))

    @cached_property
    def _question(self) -> Question:
        return Question(self.ask.query)

    def _outline_within(self, most: int, room: Room) -> list[int]:
        outline: list[int] = []
        for unit in self._outline:
            start, stop = self._units[unit]
            most -= stop - start + room.mark.bytes
            if most < 0:
                break
            outline.append(unit)
        return outline

    @cached_property
    def _outline(self) -> list[int]:
        """The beginnings of definitions, those at the top first."""
        depths: list[int] = []
        for parent in self._parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return [self._heads[number] for number in sorted(range(len(depths)), key=lambda number: depths[number])]

    def _with_parents(self, number: int) -> Iterator[int]:
        """The beginnings of the definitions that one stands in, and its own."""
        chain_of: list[int] = []
        while number >= 0:
            chain_of.append(self._heads[number])
            number = self._parents[number]
        yield from reversed(chain_of)

    @cached_property
    def _name_scores(self) -> dict[int, float]:
        texts = [self.texts[line][:READ].lower() for line in self.definitions]
        return self._question.scores(texts, self.ask.effort)

    @cached_property
    def _named(self) -> list[int]:
        """What begins the definitions that the question names, best first."""
        scores = self._name_scores
        enough = NEARLY * max(scores.values(), default=0.0)
        best = sorted((n for n in scores if scores[n] >= enough), key=lambda n: (-scores[n], n))[:NAMED]
        return [unit for number in best for unit in self._with_parents(number)]

    @cached_property
    def _order(self) -> Order:
        return Order(chain(self._asked(), self._outline, range(len(self._units))))

    def _asked(self) -> Iterator[int]:
        """The pieces that speak of the question or are in a definition that it names, best first."""
        if not self._question:
            return
        data, units, owners = self.lines.content.data, self._units, self._cuts[1]
        own = self._question.scores([data[a:b].lower() for a, b in units], self.ask.effort)
        bodies: dict[int, float] = {}
        for unit, score in own.items():
            bodies[owners[unit]] = max(score, bodies.get(owners[unit], 0.0))
        names = self._name_scores
        scores: dict[int, float] = {}
        for unit, owner in enumerate(owners):
            of_owner = OF_NAME * names.get(owner, 0.0) + OF_BODY * bodies.get(owner, 0.0) if owner >= 0 else 0.0
            if score := own.get(unit, 0.0) + of_owner:
                scores[unit] = score
        for unit in sorted(scores, key=lambda unit: (-scores[unit], unit))[:ASKED]:
            yield from self._with_parents(owners[unit])
            yield unit


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip())


def _decorated(texts: Sequence[bytes], line: int) -> int:
    """The line with which a definition begins: that of its first decorator."""
    while line > 0 and texts[line - 1].lstrip().startswith(_DECORATORS) and not defines(texts[line - 1]):
        line -= 1
    return line


def _cut(texts: Sequence[bytes], definitions: list[int]) -> tuple[list[int], list[int]]:
    starts: list[int] = []
    owners: list[int] = []
    edges = [0, *definitions, len(texts)]
    for number, (first, stop) in enumerate(pairwise(edges)):
        owner = number - 1
        if owner >= 0:
            starts.append(first)
            owners.append(owner)
            first = _head_end(texts, first, stop)
        # Comments above the next definition are read with it.
        above = stop
        while above > first and stop < len(texts) and texts[above - 1].lstrip().startswith(_COMMENTS):
            above -= 1
        for begin in _piece_starts(texts, first, above):
            starts.append(begin)
            owners.append(owner)
        if above < stop:
            starts.append(above)
            owners.append(number)
    return [*starts, len(texts)], owners


def _head_end(texts: Sequence[bytes], first: int, stop: int) -> int:
    """After the lines with which a definition begins: up to where its brackets close, with the first line of what says
    what it does."""
    depth = 0
    for index in range(first, min(stop, first + HEAD)):
        text = texts[index][:READ]
        depth += text.count(b"(") - text.count(b")")
        if depth <= 0 and not text.lstrip().startswith(_DECORATORS):
            after = texts[index + 1].lstrip() if index + 1 < stop else b""
            return index + 2 if after.startswith((b'"""', b"'''", b'r"""')) else index + 1
    return first + 1


def _piece_starts(texts: Sequence[bytes], first: int, stop: int) -> Iterator[int]:
    begun = -PIECE
    for index in range(first, stop):
        size = index - begun
        if (
            size >= PIECE
            or (size >= PIECE_AT_LEAST and not texts[index - 1].strip())
            or len(texts[index]) > LONG
            or (size == 1 and len(texts[begun]) > LONG)
        ):
            yield index
            begun = index


SOURCE = Reducer("source", fit, reduce)
