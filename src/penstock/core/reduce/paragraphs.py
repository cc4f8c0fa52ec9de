"""Plain text and Markdown as passages: paragraphs of sentences, headings, list items, rows, listings.

Rules:
1. A blank line ends a paragraph; so does a heading, a list item, a row, the fence of a listing.
2. A heading is marked (`##`, an underline of `=` or `-`), or is a short line alone that ends like no sentence.
3. A paragraph is shown by whole sentences, where it is long by several passages of them; text without spaces has
   sentences too, and what has none is cut between words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Effort
from penstock.core.reduce.lines import LONG, Lines
from penstock.core.reduce.passages import Passage, PassageKind, parts_of

# A passage holds sentences up to this many bytes. A sentence over it is cut.
PASSAGE: Final = 400

# A line over this is no heading.
HEADING: Final = 100

# It begins with a set of bytes, so that others are passed over fast. The second and third are full-width stops.
_SENTENCE_END: Final = re_pattern(
    rb"[.!?\xe3\xef](?:(?<=[^\s\d.][.!?])[\"')\]*]?[ \t\r\n]|(?<=\xe3)\x80\x82|(?<=\xef)\xbc[\x81\x9f])"
)
_STOPS: Final = (*(b".", b",", b";", b":", b"!", b"?", b")", b"}"), *(c.encode() for c in "。，、；：！？）"))
_ITEM: Final = re_pattern(rb"(?:[-*+]|\d{1,3}[.)]) ")


def read_paragraphs(content: Content, effort: Effort) -> list[Passage]:
    lines = Lines(content)
    effort.spend(len(lines))
    data = content.data
    return [
        passage for kind, level, first, stop in _blocks(lines) for passage in _passages(data, kind, level, first, stop)
    ]


def _blocks(lines: Lines) -> Iterator[tuple[PassageKind, int, int, int]]:
    """What the lines hold: its kind, the level of a heading, where it begins and ends in the content."""
    texts, starts = lines.texts, lines.starts
    count = len(texts)
    first = -1  # of the paragraph that is open
    fence = b""
    for index, text in enumerate(texts):
        line = text.strip()
        if fence:
            if line.startswith(fence) or index == count - 1:
                yield "code", 0, starts[first], starts[index + 1]
                fence, first = b"", -1
            continue
        mark = line[:1]
        if first >= 0 and (not line or mark in b"#|-*+`~=0123456789"):
            if line and not line.strip(b"=-") and index - first == 1:
                yield "heading", 1 if mark == b"=" else 2, starts[first], starts[index + 1]
                first = -1
                continue
            if not line or _breaks(line):
                yield "text" if line else _kind_of(texts, first, index), 3, starts[first], starts[index]
                first = -1
        if not line:
            continue
        if mark in b"`~" and line[:3] in (b"```", b"~~~"):
            fence, first = line[:3], index
        elif mark == b"#" and (level := _level(line)):
            yield "heading", level, starts[index], starts[index + 1]
        elif mark == b"|":
            below = texts[index + 1] if index + 1 < count else b""
            if below and not below.strip(b"|-: \t\r"):
                yield "head", 0, starts[index], starts[index + 2]
            elif line.strip(b"|-: "):
                yield "row", 0, starts[index], starts[index + 1]
        elif first < 0:
            first = index
    if first >= 0:
        yield "code" if fence else _kind_of(texts, first, count), 0 if fence else 3, starts[first], starts[count]


def _breaks(line: bytes) -> bool:
    """Whether a line begins something of its own inside a paragraph."""
    mark = line[:1]
    if mark == b"#":
        return _level(line) > 0
    return mark == b"|" or line[:3] in (b"```", b"~~~") or _ITEM.match(line) is not None


def _level(line: bytes) -> int:
    level = len(line) - len(line.lstrip(b"#"))
    return level if level <= 6 and line[level : level + 1] == b" " else 0


def _kind_of(texts: list[bytes], first: int, stop: int) -> PassageKind:
    """A short line that stands alone and ends like no sentence is a heading."""
    line = texts[first].strip()
    alone = stop - first == 1 and len(line) <= HEADING and texts[first][:1] not in (b" ", b"\t", b"-", b"*", b"+", b">")
    return "heading" if alone and not line.endswith(_STOPS) and not _SENTENCE_END.search(line) else "text"


def _passages(data: bytes, kind: PassageKind, level: int, start: int, stop: int) -> Iterator[Passage]:
    if kind != "text":
        for part in parts_of(data, Span(start, stop), LONG):
            yield Passage(kind, [part], 1.0, level)
        return
    units: list[Span] = []
    size = 0
    for unit in _sentences(data, start, stop):
        if units and size + unit.stop - unit.start > PASSAGE:
            yield Passage("text", units, 1.0)
            units, size = [], 0
        units.append(unit)
        size += unit.stop - unit.start
    yield Passage("text", units, 1.0)


def _sentences(data: bytes, start: int, stop: int) -> list[Span]:
    """The sentences from `start` to `stop`; each ends behind the white space that follows it."""
    edges = [start, *(match.end() for match in _SENTENCE_END.finditer(data, start, stop))]
    if edges[-1] < stop:
        edges.append(stop)
    spans = list(map(Span, edges, islice(edges, 1, None)))
    if all(end - begin <= PASSAGE for begin, end in spans):
        return spans
    return [part for span in spans for part in parts_of(data, span, PASSAGE)]
