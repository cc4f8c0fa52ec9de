"""Text that people wrote: how it opens and ends, its headings, what the question speaks of, then of each paragraph the
first sentence, from all over the text before from any part of it densely."""

from __future__ import annotations

from penstock.core.content import Content
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.paragraphs import read_paragraphs
from penstock.core.reduce.passages import Passages

_LETTERS = bytes(range(ord("a"), ord("z") + 1)) + bytes(range(ord("A"), ord("Z") + 1)) + bytes(range(0x80, 0xF5))
_SYMBOLS = b"{}[]<>=|\\/_;@#$%^&~+`"
_DIGITS = b"0123456789"


def fit(sample: Sample) -> float:
    """By its letters and how often its words are parted by stops: not by what the words are."""
    text = sample.data[:4096] + sample.middle[:1024]
    size = len(text)
    if size < 40 or b"\0" in text:
        return 0.0
    other = len(text.translate(None, _LETTERS))
    symbols = size - len(text.translate(None, _SYMBOLS))
    digits = size - len(text.translate(None, _DIGITS))
    words = size - len(text.translate(None, b" \n\t\r")) + text.count(b"\xe3\x80") + text.count(b"\xef\xbc")
    ends = sum(map(text.count, (b". ", b".\n", b", ", b"? ", b"! ", b"?\n", b"\xe3\x80\x82", b"\xef\xbc\x8c")))
    if symbols > 0.05 * size or digits > 0.06 * size or other > 0.3 * size:
        return 0.0
    if words < size / 40 and not ends:
        return 0.0
    return 0.55 if ends * 40 >= words else 0.2


def reduce(content: Content, ask: Ask) -> Plan:
    passages = read_paragraphs(content, ask.effort)
    return Plan(Passages(content, passages, content.data.lower(), ask, spread=True).choose)


PROSE = Reducer("prose", fit, reduce)
