"""The first part and the last part; `ratio` is the first part's share. What one of them leaves, the other may use."""

from __future__ import annotations

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample
from penstock.core.reduce.fill import from_end, from_start, left


def fit(sample: Sample) -> float:
    return 0.01  # content of any kind has two ends; whatever knows more about it goes first


def reduce(content: Content, ask: Ask) -> Plan:
    return Plan(lambda room: Choice(_ends(content, room)))


def _ends(content: Content, room: Room) -> list[Span]:
    end = len(content.data)
    room = room.less_marks(1 + len(content.holes_within(0, 0)) + len(content.holes_within(end, end)))
    # Each leaves what is less than a line of it, and at last the first one may take up what both have left.
    first = from_start(content, Span(0, end), room.share(room.ratio), unspent=1.0)
    last = from_end(content, Span(first.stop, end), left(content, first, room), unspent=1.0)
    if room.ratio > 0:
        first = from_start(content, Span(0, last.start), left(content, last, room))
    if first.stop == last.start:
        return [Span(0, end)] if end else []
    return [span for span in (first, last) if span.start < span.stop]


HEAD_TAIL = Reducer("head_tail", fit, reduce, exact=True)
