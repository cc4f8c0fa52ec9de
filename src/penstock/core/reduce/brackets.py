"""The structure of JSON, found by its brackets: where its records are, without a value being decoded.

What stands inside of strings is blanked, in C; what brackets are left then say how values are nested. So it costs the
same for JSON that is broken off, that follows a few lines of log, or that is many values one after another.

The whole is parted into units that touch: the records of lists, the smaller parts of records that are very large, and
what stands around them. A list is also an object whose values are all objects: records by their id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from penstock.core.content import Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Effort

# A record over this many bytes is shown by its parts.
LARGE: Final = 16 * 1024

# Parts of what is no record are this large at most.
PART: Final = 1_000

# What is nested deeper is not looked into.
DEEPEST: Final = 48

# So many values of the same sort in a row are a list of records.
SEVERAL: Final = 3

# A value for so many bytes, at most, may become a Python object.
MOST_VALUES: Final = 8

_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_VALUES: Final = msgspec.json.Decoder(list[msgspec.Raw])
_CHUNK: Final = 256 * 1024
_BLANK: Final = b"_"
_NONE: Final = Span(0, 0)
_BRACKET: Final = re_pattern(rb"[][{}]")
_SPACE: Final = re_pattern(rb"[ \t\r\n]*")
_PARTED: Final = re_pattern(rb"[ \t\r\n,]*")
# How JSON begins: an object with its first key, or a list of anything. A log's "[12:00]" is neither.
VALUE: Final = rb'(?:\{[ \t\r\n]*["}]|\[[ \t\r\n]*(?:[\[{"]|(?:-?[0-9][0-9.eE+-]*|true|false|null)[ \t\r\n]*,))'
_START: Final = re_pattern(rb"(?m)^[ \t]*" + VALUE)


class Unit(NamedTuple):
    """A part of the content, up to where the next one starts."""

    span: Span
    value: Span  # the record in it, without its key and what parts it from the next; empty where it is none
    group: int = -1  # which list the record belongs to


def json_start(data: bytes) -> int:
    """Where JSON begins: at the first line that looks like it."""
    found = _START.search(data)
    return found.start() if found else 0


def blanked(data: bytes) -> bytes:
    """The data with everything inside of strings replaced, byte for byte."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    pieces = []
    inside = False
    for start in range(0, len(data), _CHUNK):
        parts = data[start : start + _CHUNK].split(b'"')
        first = 0 if inside else 1
        parts[first::2] = map(_BLANK.__mul__, map(len, parts[first::2]))
        inside ^= len(parts) % 2 == 0
        pieces.append(b'"'.join(parts))
    return b"".join(pieces)


class _Child(NamedTuple):
    """A container in another, and the number of its bracket."""

    span: Span
    number: int = -1


class _List(NamedTuple):
    """The list that is most of the content, with every record in it."""

    span: Span
    records: list[Span]


class _Brackets:
    """Which bracket closes which, by their number."""

    def __init__(self, bare: bytes, effort: Effort) -> None:
        self.places = [found.start() for found in _BRACKET.finditer(bare)]
        effort.spend(len(self.places) // 4)
        self.size = len(bare)
        self.partners = [len(self.places)] * len(self.places)
        open_ones: list[int] = []
        for number, place in enumerate(self.places):
            if bare[place] in b"[{":
                open_ones.append(number)
            elif open_ones:
                self.partners[open_ones.pop()] = number
            else:
                self.partners[number] = -1  # it closes nothing

    def span(self, number: int) -> Span:
        partner = self.partners[number]
        return Span(self.places[number], self.places[partner] + 1 if partner < len(self.places) else self.size)

    def between(self, number: int, stop: int) -> list[_Child]:
        """The containers from bracket `number` on up to bracket `stop`, without those inside of them."""
        found = []
        while number < stop:
            partner = self.partners[number]
            if partner >= 0:
                found.append(_Child(self.span(number), number))
            number = max(partner, number) + 1
        return found


class _Parting:
    def __init__(self, data: bytes, start: int, effort: Effort) -> None:
        self.data = data
        self.start = start
        self.effort = effort
        self.main = _main_list(data, start)
        self.bare = hollow = b" " * start + self._blanked(start)
        if self.main is not None:
            first, last = self.main.span
            hollow = b"".join((self.bare[: first + 1], _BLANK * (last - first - 2), self.bare[last - 1 :]))
        self.brackets = _Brackets(hollow, effort)
        self.groups = 0
        self.marks: list[tuple[int, Span, int]] = []

    def _blanked(self, start: int) -> bytes:
        if self.main is None:
            return blanked(self.data[start:] if start else self.data)
        # Between the records of the list stands nothing but commas and white space.
        first, last = self.main.span
        return b"".join((blanked(self.data[start:first]), self.data[first:last], blanked(self.data[last:])))

    def run(self) -> list[Unit]:
        self._mark(0)
        self._lines(0, self.start)
        self._mark(self.start)
        roots = self.brackets.between(0, len(self.brackets.places))
        if len(roots) == 1:
            self._into(roots[0], 0)
        else:
            self._part(self.start, len(self.data), roots, 0, self._group_of(roots, least=2))
        end = roots[-1].span.stop if roots else len(self.data)
        behind = _SPACE.match(self.data, end).end()  # type: ignore[union-attr]  # it matches anywhere
        self._mark(behind)
        self._lines(behind, len(self.data))
        stops = [*(mark[0] for mark in self.marks[1:]), len(self.data)]
        return [Unit(Span(m[0], stop), m[1], m[2]) for m, stop in zip(self.marks, stops, strict=True) if m[0] < stop]

    def _mark(self, place: int, value: Span = _NONE, group: int = -1) -> None:
        """A unit starts here."""
        if not self.marks or place > self.marks[-1][0]:
            self.marks.append((place, value, group))
        elif place == self.marks[-1][0]:
            self.marks[-1] = (place, value, group)

    def _lines(self, place: int, stop: int) -> None:
        """Mark parts of what is no JSON, parted by lines."""
        while stop - place > PART:
            place = self.data.rfind(b"\n", place, place + PART) + 1 or self.data.find(b"\n", place, stop) + 1 or stop
            self.effort.spend(1)
            self._mark(place)

    def _into(self, container: _Child, depth: int) -> None:
        """Part what is inside of a container."""
        start, stop = container.span
        if self.main is not None and start == self.main.span.start:
            children = [_Child(span) for span in self.main.records]
        else:
            children = self.brackets.between(container.number + 1, self.brackets.partners[container.number])
        is_list = self.bare[start : start + 1] == b"["
        group = -1
        if is_list or self._by_id(start, children):
            group = self._group_of(children, least=1 if is_list else SEVERAL)
        self._part(start + 1, stop - 1, children, depth, group)
        self._mark(self.data.rfind(b"\n", self.marks[-1][0] + 1, stop - 1) + 1 or stop - 1)

    def _group_of(self, children: Sequence[_Child], least: int) -> int:
        if len(children) < least:
            return -1
        self.groups += 1
        return self.groups - 1

    def _by_id(self, start: int, children: Sequence[_Child]) -> bool:
        """Whether nothing but containers stands in an object, as far as a few of them tell."""
        place = start
        for count, (span, _) in enumerate(children[:8]):
            if self.bare.count(b",", place, span.start) != (count > 0) or self.bare[span.start] != ord("{"):
                return False
            place = span.stop
        return True

    def _part(self, place: int, stop: int, children: Iterable[_Child], depth: int, group: int) -> None:
        bare = self.bare
        most = PART if group < 0 else LARGE
        first = True
        for child in children:
            self.effort.spend(1)
            value = child.span
            lead = place if first else bare.find(b",", place, value.start) + 1 or place
            own = bare.rfind(b",", lead, value.start) + 1 or lead
            if own > lead:
                self._stretch(lead, own)
            if value.stop - value.start > most and depth < DEEPEST:
                self._mark(self._line_of(own))
                self._into(child, depth + 1)
            else:
                self._mark(self._line_of(own), value, group)
            place, first = value.stop, False
        rest = place if first else bare.find(b",", place, stop) + 1
        if rest:
            self._stretch(rest, stop)

    def _line_of(self, place: int) -> int:
        """Where what follows starts: its line, where it is the first in it."""
        start = _SPACE.match(self.data, place).end()  # type: ignore[union-attr]  # it matches anywhere
        return self.data.rfind(b"\n", place, start) + 1 or start

    def _stretch(self, place: int, stop: int) -> None:
        """Mark parts of what holds no containers, parted by commas."""
        self._mark(self._line_of(place))
        while stop - place > PART:
            cut = self.bare.rfind(b",", place + 1, place + PART) + 1
            cut = cut or self.bare.find(b",", place + PART, stop) + 1
            if not cut:
                break
            self.effort.spend(1)
            self._mark(self._line_of(cut))
            place = cut


def _main_list(data: bytes, start: int) -> _List | None:
    """The list of records that is most of the content, found by a decoder that skips over values.

    Five times faster than brackets, for JSON that is whole. None where there is no such list, or where it may hold so
    many values that as many Python objects would be too much.
    """
    if data.count(b",") * MOST_VALUES > len(data):
        return None
    try:
        text: bytes | memoryview = memoryview(data)[start:]
        first = start
        if data[start : start + 200].lstrip()[:1] == b"{":
            text = max([memoryview(value) for value in _MEMBERS.decode(text).values()], key=len, default=text)
            first = data.find(text, start)
        if len(text) * 2 < len(data) or bytes(text[:100]).lstrip()[:1] != b"[":
            return None
        values = [len(memoryview(value)) for value in _VALUES.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        return None
    place = data.index(b"[", first)
    list_start = place
    place += 1
    records = []
    for size in values:
        begin = _PARTED.match(data, place).end()  # type: ignore[union-attr]  # it matches anywhere
        place = begin + size
        if data[begin] not in b"[{" or size > LARGE:
            return None
        records.append(Span(begin, place))
    return _List(Span(list_start, data.index(b"]", place) + 1), records)


def units_of(data: bytes, effort: Effort) -> list[Unit]:
    return _Parting(data, json_start(data), effort).run()


def units_by_line(data: bytes, effort: Effort) -> list[Unit]:
    """One record a line. Lines that are none are units too."""
    units = []
    place = 0
    while place < len(data):
        effort.spend(1)
        stop = data.find(b"\n", place) + 1 or len(data)
        text = data[place : place + 1]
        end = stop - (data[stop - 1 : stop] == b"\n")
        is_record = text in (b"{", b"[")
        units.append(Unit(Span(place, stop), Span(place, end) if is_record else _NONE, 0 if is_record else -1))
        place = stop
    return units


def is_by_line(data: bytes) -> bool:
    """Whether every line is a value of its own, or nearly every one."""
    parted = data.count(b"}\n{") + data.count(b"]\n[") + data.count(b"}\r\n{")
    return parted > 0 and 2 * parted >= data.count(b"\n") - 1
