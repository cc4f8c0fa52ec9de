"""The last part."""

from __future__ import annotations

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample
from penstock.core.reduce.fill import from_end


def fit(sample: Sample) -> float:
    return 0.0  # only when asked for


def reduce(content: Content, ask: Ask) -> Plan:
    def choose(room: Room) -> Choice:
        end = len(content.data)
        marks = 1 + len(content.holes_within(end, end))
        last = from_end(content, Span(0, end), room.less_marks(marks))
        return Choice([last] if last.start < end else [])

    return Plan(choose)


TAIL = Reducer("tail", fit, reduce, exact=True)
