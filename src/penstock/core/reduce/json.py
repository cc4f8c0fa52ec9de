"""JSON: one value, one a line, or several; on one line or laid out; also broken off, or behind a few lines of log.

Records are shown whole, the most telling first:
1. The shape: what stands before the first record, and that record.
2. What speaks of the question, where there is one.
3. Records that tell of an error, then those with rare values and extreme numbers.
4. The last record, and then as many as fit from the first on.

A record that is too large for its share is shown by the fields that speak of the question; a long string by both ends.
Where records are alike their keys may be shown once, so that more of them fit: see `keyrows`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

import msgspec

from penstock.core.content import Content, Span
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.patterns import re_pattern
from penstock.core.reduce.brackets import VALUE, Unit, blanked, is_by_line, json_start, units_by_line, units_of
from penstock.core.reduce.contract import Ask, Choice, Effort, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.cover import FULL, Cover
from penstock.core.reduce.keylayout import KeyLayout
from penstock.core.reduce.lines import window
from penstock.core.reduce.oddities import FEW, oddities
from penstock.core.reduce.question import Question
from penstock.core.reduce.ranking import worth_of

# Strings over this are shown by so much of each end.
LONG: Final = 600
END_OF_LONG: Final = 200

SHAPE_SHARE: Final = 0.12
FIRST_SHARE: Final = 0.3
LAST_SHARE: Final = 0.95

# So much of one unit is searched for fields that speak of the question.
READ: Final = 64 * 1024

# After so many units in a row that do not fit, the room counts as full.
MISSES: Final = 25

# Where records are this part of the content at least, all of it can be laid out by them.
MOSTLY: Final = 0.6

_RUN: Final = re_pattern(rb"_{%d,}" % LONG)
_PAIR: Final = re_pattern(rb'"[ \t\r\n]*:')
_VALUE: Final = re_pattern(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*" + VALUE)


def fit(sample: Sample) -> float:
    if sample.media == "json":
        return 0.97
    data = sample.data
    if _VALUE.match(data):
        return 0.92 if _is_dense(data) and (not sample.middle or _is_dense(sample.middle)) else 0.5
    start = json_start(data)
    if len(data) - start > start > 0 and _is_dense(data[start:]) and _is_dense(sample.middle or data[start:]):
        return 0.8
    return 0.0


def _is_dense(data: bytes) -> bool:
    """Whether keys with values, or lists of values, are most of this."""
    return len(_PAIR.findall(data)) * 250 >= len(data) > 0 or data.count(b",") * 40 >= len(data) > 0


def reduce(content: Content, ask: Ask) -> Plan:
    data = content.data
    units = (units_by_line if is_by_line(data) else units_of)(data, ask.effort)
    return _Records(content, units, ask).plan()


class _Records:
    def __init__(self, content: Content, units: list[Unit], ask: Ask) -> None:
        self.content = content
        self.units = units
        self.spans = [unit.span for unit in units]
        self.question = Question(ask.query)
        self.records = [index for index, unit in enumerate(units) if unit.value.stop]
        self._cut: dict[int, list[Span]] = {}
        self._fields: dict[int, list[tuple[Span, Span]]] = {}
        ask.effort.spend(len(units))
        self.edges = [*(span.start for span in self.spans), len(content.data)]
        self.worth = worth_of(content.data, self.edges[:-1], self.question, self._odd(ask), ask.effort)
        self._starts = [units[index].value.start for index in self.records]
        self._stops = [units[index].value.stop for index in self.records]
        self.layout = self._layout() if ask.compact else None
        # How many bytes the smallest records take, up to each; where these are not characters it tells nothing.
        sizes = sorted(stop - start for start, stop in zip(self._starts, self._stops, strict=True))
        self._sizes = list(accumulate(sizes)) if self.layout is not None and content.data.isascii() else []

    def plan(self) -> Plan:
        totals = (Tally("records", len(self.records)),) if self.records else ()
        return Plan(self._choose, totals, "verbatim" if self.layout is None else "keys")

    # -- what matters --------------------------------------------------------------------------------------------------

    def _groups(self) -> list[list[int]]:
        groups: dict[int, list[int]] = {}
        for index in self.records:
            groups.setdefault(self.units[index].group, []).append(index)
        groups.pop(-1, None)
        return list(groups.values())

    def _odd(self, ask: Ask) -> dict[int, float]:
        """How odd units are, each among the records of its list."""
        odd: dict[int, float] = {}
        decode = msgspec.json.Decoder().decode
        for group in self._groups():
            if len(group) < FEW:
                continue
            rows = [_fields_of(decode, self.content.data, self.units[index].value) for index in group]
            ask.effort.spend(len(rows))
            odd.update((group[number], worth) for number, worth in oddities(rows, ask.effort).items())
        return odd

    def _layout(self) -> KeyLayout | None:
        """The layout by keys, for the largest list where that is most of the content."""
        groups = [group for group in self._groups() if len(group) >= FEW // 2]
        largest = max(groups, key=self._size_of, default=[])
        if not largest or self._size_of(largest) < MOSTLY * len(self.content.data):
            return None
        return KeyLayout(self.content, [self.units[index] for index in largest], largest, self._pieces)

    def _size_of(self, group: Sequence[int]) -> int:
        return sum(self.units[index].value.stop - self.units[index].value.start for index in group)

    # -- choosing ------------------------------------------------------------------------------------------------------

    def _choose(self, room: Room) -> Choice:
        laid_out = None if self.layout is None else self.layout.choose(room, self.worth)
        if laid_out is not None and laid_out.shown[0] > self._most_verbatim(room):
            return laid_out  # without trying, which would cost as much again
        choice = self._verbatim(room)
        return laid_out if laid_out is not None and laid_out.shown[0] > choice.shown[0] else choice

    def _most_verbatim(self, room: Room) -> int:
        """More records than this can never be shown whole as they are."""
        return bisect_right(self._sizes, room.least) if self._sizes else len(self.records)

    def _verbatim(self, room: Room) -> Choice:
        cover = Cover(self.content, room)
        first = self.records[0] if self.records else 0
        self._show_shape(cover, first)
        for sort in self.worth.sorts:
            misses = 0
            for index in sort.indices:
                most = min(sort.share, cover.filled + self.worth.each) if sort.answers else sort.share
                if self._show(cover, index, most):
                    misses = 0
                elif index in self.worth.best:
                    self._show_fields(cover, index, most)
                else:
                    misses += 1
                if misses > MISSES:
                    break
        if self.units:
            for last in (len(self.units) - 1, self.records[-1] if self.records else first):
                self._show(cover, last, LAST_SHARE)
            cover.add_on(self.edges, show=lambda index: self._show(cover, index, 1.0))
        if cover.filled < FULL:
            cover.fill()
        return self._counted(cover.spans)

    def _show_shape(self, cover: Cover, first: int) -> None:
        if first:
            before = Span(0, self.units[first].span.start)
            if not cover.add([before], SHAPE_SHARE):
                cover.fill(SHAPE_SHARE)
        if self.units:
            self._show(cover, first, FIRST_SHARE)
        if self.records:
            cover.add([Span(self.units[self.records[-1]].span.stop, len(self.content.data))], FIRST_SHARE)

    def _show(self, cover: Cover, index: int, share: float) -> bool:
        return cover.add(self._pieces(index), share)

    def _show_fields(self, cover: Cover, index: int, share: float) -> None:
        for around, field in self._telling_fields(index):
            if not cover.add([around], share) and not cover.add([field], share):
                return

    def _telling_fields(self, index: int) -> list[tuple[Span, Span]]:
        """The fields of a large unit that speak of the question, the best first, each also with those beside it."""
        if index not in self._fields:
            fields = self._fields_of(self.spans[index])
            starts = [start - fields[0].start for start, _ in fields]
            text = self.content.data[fields[0].start : fields[-1].stop]
            sorts = worth_of(text, starts, self.question, {}, Effort()).sorts
            last = len(fields) - 1
            self._fields[index] = [
                (Span(fields[max(0, number - 1)].start, fields[min(last, number + 1)].stop), fields[number])
                for sort in sorts
                for number in sort.indices
            ]
        return self._fields[index]

    def _pieces(self, index: int) -> list[Span]:
        """A unit as it is shown: long strings in it by their ends, and by what in them speaks of the question."""
        if index not in self._cut:
            self._cut[index] = list(self._cut_strings(self.spans[index]))
        return self._cut[index]

    def _cut_strings(self, span: Span) -> Iterator[Span]:
        data = self.content.data
        start, stop = span
        if stop - start > LONG:
            text = data[start:stop]
            for run in _RUN.finditer(blanked(text)):
                first = cut_at_or_before(data, span.start + run.start() + END_OF_LONG, start)
                last = cut_at_or_after(data, span.start + run.end() - END_OF_LONG, stop)
                yield Span(start, first)
                place = span.start + run.start() + self._mentioned(text[run.start() : run.end()].lower())
                if first < place < last:
                    yield window(data, Span(first, last), place, 2 * END_OF_LONG)
                start = last
        yield Span(start, stop)

    def _mentioned(self, text: bytes) -> int:
        """Where a long string speaks of the question: at the word that says the most; -1 where it does not."""
        terms = sorted(self.question.terms, key=lambda term: -term.weight * len(term.text))
        return next((place for place in (text.find(term.text) for term in terms) if place >= 0), -1)

    def _fields_of(self, span: Span) -> list[Span]:
        """The parts of a unit, by lines where it has some, else by the commas in it."""
        start, stop = span
        text = self.content.data[start:stop]
        bare = blanked(text)
        if len(text) > READ:
            skipped = max(0, self._mentioned(text.lower()) - READ // 2)
            start, bare = start + skipped, bare[skipped : skipped + READ]
        mark = b"\n" if bare.count(b"\n") > 3 else b","
        places = [found.end() for found in re.finditer(mark, bare)]
        edges = [0, *places, len(bare)]
        return [Span(start + a, start + b) for a, b in pairwise(edges) if a < b]

    def _counted(self, spans: list[Span]) -> Choice:
        """With how many records each gap hides."""
        hidden: dict[int, Tally] = {}
        place = 0
        total = 0
        for number, span in enumerate([*spans, Span(len(self.content.data), 0)]):
            many = bisect_right(self._stops, span.start) - bisect_left(self._starts, place)
            if many > 0 and span.start > place:
                hidden[number] = Tally("records", many)
                total += many
            place = span.stop
        return Choice(spans, hidden=hidden, shown=(len(self.records) - total,) if self.records else ())


def _fields_of(decode: Any, data: bytes, value: Span) -> dict[Any, Any]:
    try:
        found = decode(data[value.start : value.stop])
    except (msgspec.DecodeError, RecursionError):
        return {}
    if type(found) is list:
        return dict(enumerate(found))
    return found if type(found) is dict else {}


JSON = Reducer("json", fit, reduce)
