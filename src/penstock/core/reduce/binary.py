"""What is no text, or holds much that is none: bytes, base64, hex dumps, data that is embedded in text.

Rules:
1. How it begins says what it is, so a little of its start is shown, and of its end.
2. Of bytes the strings in them are shown, those that read like words before others; what is not text is not worth room.
3. Of text the stretches of data are hidden and the text around them is shown; what room is left shows how they begin.
4. Of a dump the lines whose text column has words are shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.patterns import re2_pattern, re_pattern
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Sample
from penstock.core.reduce.lines import Lines
from penstock.core.reduce.pick import pick
from penstock.core.reduce.question import Question

HEAD: Final = 96
TAIL: Final = 48

# What of a string, or of a line of text, is shown at most.
STRING: Final = 400

# How data in text is shown where room is left: from its start, in such pieces, up to so much of it.
PIECE: Final = 76
SHOWN: Final = 64 * 1024

# The effort that a line takes here.
PER_LINE: Final = 5

_MAGIC: Final = (
    *(b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"BM6", b"RIFF", b"\x1f\x8b\x08", b"PK\x03\x04", b"\x7fELF", b"%PDF-"),
    *(b"BZh9", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"MZ\x90", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe"),
    *(b"SQLite format 3\0", b"OggS", b"fLaC", b"ID3", b"\0asm", b"wOFF", b"wOF2", b"\xd0\xcf\x11\xe0", b"Rar!\x1a"),
)
_DUMP: Final = re_pattern(rb"(?:0x)?[0-9a-fA-F]{4,16}:?[ \t]{1,3}(?:[0-9a-fA-F]{2,4}[ \t]{1,2}){4}")
_BASE64: Final = re2_pattern(
    rb"(?:data:[a-z0-9.+/-]+;base64,)?(?:[A-Za-z0-9+/_-]{40,}={0,2}(?:\r?\n|\\n)?){4,}|[A-Za-z0-9+/_-]{160,}={0,2}"
)
_STRING: Final = re_pattern(rb"[\x20-\x7e\t]{8,}")
_WORDS: Final = re_pattern(rb"[A-Za-z]{3,}[ _./:-][A-Za-z]{3,}")
_BASE64_LETTERS: Final = bytes(
    [*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("0"), ord("9") + 1), *b"+/=_-\r\n"]
)
_CONTROLS: Final = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])


def fit(sample: Sample) -> float:
    data = sample.data[:4096]
    if data.startswith(_MAGIC):
        return 0.97
    if _is_bytes(data):
        return 0.95
    if _is_dump(data):
        return 0.9
    rest = data.translate(None, _BASE64_LETTERS)
    if len(data) >= 512 and len(rest) < len(data) / 64 and _is_mixed(data):
        return 0.9
    if b";base64," in data or (len(rest) < len(data) / 8 and _is_mixed(data)):
        blobs = sum(match.end() - match.start() for match in _BASE64.finditer(sample.data))
        return 0.55 if blobs > len(sample.data) / 2 else 0.0
    return 0.0


def _is_bytes(data: bytes) -> bool:
    """Whether much of it is no text: control characters, or no UTF-8."""
    controls = len(data) - len(data.translate(None, _CONTROLS))
    wrong = data.decode("utf-8", "replace").count("\ufffd")
    return controls + wrong > len(data) / 20


def _is_dump(data: bytes) -> bool:
    lines = data.split(b"\n", 6)[:6]
    return len(lines) > 3 and sum(_DUMP.match(line) is not None for line in lines) >= len(lines) - 1


def _is_mixed(data: bytes) -> bool:
    """Whether all of base64 occurs as often as in encoded data: capitals, small letters, digits."""
    small = sum(map(data.count, (b"a", b"e", b"k", b"t", b"z")))
    capitals = sum(map(data.count, (b"A", b"E", b"K", b"T", b"Z")))
    digits = sum(map(data.count, (b"0", b"2", b"4", b"6", b"8")))
    return min(small, capitals, digits) > len(data) / 60


def reduce(content: Content, ask: Ask) -> Plan:
    data = content.data
    start = data[:4096]
    fillers: list[Span] = []
    if _is_dump(start):
        lines = Lines(content)
        ask.effort.spend(PER_LINE * len(lines))
        units = lines.units(STRING)
    elif start.startswith(_MAGIC) or _is_bytes(start):
        units = _strings(data, ask)
    else:
        units, fillers = _text_and_data(data, ask)
    first = Span(0, cut_at_or_after(data, min(HEAD, len(data))))
    last = Span(cut_at_or_before(data, max(first.stop, len(data) - TAIL), first.stop), len(data))
    units = _apart(data, [first, *units, *fillers, last])
    order = _order(content, units, set(fillers), ask)
    return Plan(lambda room: Choice(pick(content, units, order, room)))


def _strings(data: bytes, ask: Ask) -> list[Span]:
    spans = [Span(*match.span()) for match in _STRING.finditer(data)]
    ask.effort.spend(PER_LINE * len(spans))
    return [part for span in spans for part in _parts(span)]


def _text_and_data(data: bytes, ask: Ask) -> tuple[list[Span], list[Span]]:
    """The lines of the text, and the parts of the data in it."""
    text: list[Span] = []
    blobs: list[Span] = []
    place = 0
    for match in _BASE64.finditer(data):
        ask.effort.spend(4)
        start, stop = match.span()
        text += _lines(data, place, start)
        blobs += _parts(Span(start, min(stop, start + SHOWN)), PIECE)
        place = stop
    ask.effort.spend(PER_LINE * data.count(b"\n"))
    text += _lines(data, place, len(data))
    return text, blobs


def _lines(data: bytes, start: int, stop: int) -> list[Span]:
    spans: list[Span] = []
    while start < stop:
        end = data.find(b"\n", start, stop) + 1 or stop
        spans += _parts(Span(start, end))
        start = end
    return spans


def _parts(span: Span, most: int = STRING) -> list[Span]:
    edges = [*range(span.start, span.stop, most), span.stop]
    return [Span(a, b) for a, b in pairwise(edges)]


def _apart(data: bytes, spans: list[Span]) -> list[Span]:
    """The spans in order, each beginning where the one before ends at the earliest, cut at whole units."""
    apart: list[Span] = []
    place = 0
    for start, stop in sorted(spans):
        begin = cut_at_or_after(data, max(start, place))
        end = cut_at_or_after(data, stop)
        if begin < end:
            apart.append(Span(begin, end))
            place = end
    return apart


def _order(content: Content, units: list[Span], fillers: set[Span], ask: Ask) -> list[int]:
    """The start, the end, what was asked for, what reads like words, the rest of the text, the data from its start."""
    data = content.data
    texts = [data[start:stop] for start, stop in units]
    asked = Question(ask.query).scores([text.lower() for text in texts], ask.effort) if ask.query else {}
    last = len(units) - 1

    def rank(index: int) -> tuple[float, float]:
        if index in (0, last):
            return 0, index
        if index in asked:
            return 1, -asked[index]
        if units[index] in fillers:
            return 4, index
        words = _WORDS.search(texts[index])
        return 3 if words is None else 2 if b" " in words[0] else 2.5, index

    return sorted(range(len(units)), key=rank)


BINARY = Reducer("binary", fit, reduce)
