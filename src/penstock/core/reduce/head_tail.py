"""The first part and the last part; `ratio` is the first part's share. What one of them leaves, the other may use."""

from __future__ import annotations

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Reducer, Room, Sample
from penstock.core.reduce.fill import from_end, from_start


def fit(sample: Sample) -> float:
    return 0.01  # content of any kind has two ends; whatever knows more about it goes first


def reduce(content: Content, room: Room, query: str) -> list[Span]:
    whole = Span(0, len(content.data))
    room = room.less(room.mark)
    first = from_start(content, whole, room.share(room.ratio))
    last = from_end(content, Span(first.stop, whole.stop), room.less(content.size_of(first)))
    # Lines are indivisible, so the last part may leave room for some more lines of the first.
    left = room.less(content.size_of(first)).less(content.size_of(last))
    more = Span(first.stop, first.stop)
    if content.data[first.stop - 1 : first.stop] == b"\n":
        more = from_start(content, Span(first.stop, last.start), left, whole_lines=True)
    return [span for span in (Span(first.start, more.stop), last) if span.start < span.stop]


HEAD_TAIL = Reducer("head_tail", fit, reduce)
