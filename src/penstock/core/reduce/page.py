"""A page, of HTML or Markdown: the main text before navigation, as text with little markup.

Rules:
1. A paragraph is shown without the markup around it. Markup inside of it is shown with it as long as it takes no more
   than its mark would; links and other long elements are gaps.
2. A row of a table is shown whole, with its markup: marks for each cell would take more.
3. Markdown is nearly all text, so it is shown as it stands, by its paragraphs.
"""

from __future__ import annotations

from typing import Final

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.markup import Block, read_page
from penstock.core.reduce.paragraphs import read_paragraphs
from penstock.core.reduce.passages import Passage, Passages

# Markup between two pieces of text that is shown rather than marked as a gap.
SHORT: Final = 40

# What a unit may take more so that it begins or ends with its line.
EDGE: Final = 24

_ENDS: Final = (b"</p>", b"</a>", b"</li>", b"</td>", b"</div>", b"</span>", b"</h2>", b"</P>", b"</A>", b"</TD>")


def fit(sample: Sample) -> float:
    start = sample.data[:2048]
    if start[:5] == b"HTTP/" or _begins_document(start.lstrip()[:15].lower()):
        return 0.95 if _is_markup(start) else 0.0
    if _is_markup(start):
        if start.lstrip()[:1] != b"<":
            return 0.6  # something else stands before it
        return min(0.85, sum(map(sample.data.count, _ENDS)) / 40)
    return _fit_of_markdown(b"\n" + sample.data[:8192])


def _is_markup(start: bytes) -> bool:
    """Whether it begins with an element, or a document begins in one of its first lines."""
    if start.lstrip()[:1] == b"<":
        return True
    return any(_begins_document(line[:15]) for line in start.lower().split(b"\n"))


def _begins_document(text: bytes) -> bool:
    return text.startswith((b"<!doctype html", b"<html", b"<head>", b"<body"))


def _fit_of_markdown(text: bytes) -> float:
    """Headings alone may be comments of a program, so they count only beside what no program has."""
    if not any(mark in text[:1024] for mark in (b"\n# ", b"\n## ", b"\n===")):
        return 0.0
    headings = sum(map(text.count, (b"\n# ", b"\n## ", b"\n### ")))
    others = (
        text.count(b"](") // 2,
        text.count(b"\n```") // 2,
        sum(map(text.count, (b"\n- ", b"\n* ", b"\n1. "))) // 3,
        text.count(b"**") // 4,
    )
    kinds = sum(map(bool, others))
    return min(0.75, 0.35 + 0.15 * kinds) if headings >= 2 and kinds else 0.0


def reduce(content: Content, ask: Ask) -> Plan:
    data = content.data
    if _is_markup(data[:2048]):
        blocks, nearness = read_page(data, ask.effort)
        passages = [_passage(data, block, nearness[block.box]) for block in blocks]
    else:
        passages = read_paragraphs(content, ask.effort)
    return Plan(Passages(content, passages, data.lower(), ask).choose)


def _passage(data: bytes, block: Block, nearness: float) -> Passage:
    units: list[Span] = []
    start, stop = block.runs[0]
    start = _line_start(data, start)
    for begin, end in block.runs:
        if begin - stop > SHORT:
            units.append(Span(start, stop))
            start = begin
        stop = end
    units.append(Span(start, _line_end(data, stop)))
    kind = "head" if block.head else block.kind
    return Passage(kind, units, _worth(block, nearness), block.level)


def _worth(block: Block, nearness: float) -> float:
    if block.kind in ("title", "heading", "row", "code"):
        return nearness
    return nearness * (0.4 if block.linked > 0.6 * block.letters else 1.0)


def _line_start(data: bytes, place: int) -> int:
    """The start of the line, where that is near."""
    start = data.rfind(b"\n", max(0, place - EDGE), place) + 1
    return start if start or place <= EDGE else place


def _line_end(data: bytes, place: int) -> int:
    return data.find(b"\n", place, place + EDGE) + 1 or place


PAGE = Reducer("page", fit, reduce)
