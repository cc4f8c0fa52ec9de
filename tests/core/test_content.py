"""Places in what is held, offsets in the original."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import collected
from penstock.core import content as module
from penstock.core.content import Content, Hole, Span, content_of_bytes, content_of_text
from penstock.core.measure import Size, measure
from strategies import byte_strings, line_count, texts, utf8_size

# "abc" of 3, 10 bytes not held, "de" of 2, 5 bytes not held, "\n" of 1, 7 bytes not held
HOLES = Content(
    b"abcde\n",
    Size(28, 4, 28),
    holes=(
        Hole(3, 10, 2, ends_line=True),
        Hole(5, 5, 0, ends_line=False),
        Hole(6, 7, 1, ends_line=False),
    ),
)


@given(texts())
def test_content_of_a_text_has_its_text_and_size(text: str) -> None:
    content = content_of_text(text)
    assert content.size == measure(text)
    assert content.text(Span(0, len(content.data))) == text
    assert content.original_bytes == len(content.data) == utf8_size(text)


@given(byte_strings())
def test_content_of_bytes_is_measured_as_its_text(data: bytes) -> None:
    content = content_of_bytes(data)
    text = data.decode("utf-8", "replace")
    assert content.size == Size(len(text), line_count(text), utf8_size(text))
    assert content.data == data


def test_bytes_are_measured_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "METERED", 7)
    assert content_of_bytes("é中\n😀".encode() * 9).size == measure("é中\n😀" * 9)


@given(byte_strings(), st.data())
def test_size_of_a_span_is_that_of_its_text(data: bytes, draw: st.DataObject) -> None:
    start = draw.draw(st.integers(0, len(data)))
    span = Span(start, draw.draw(st.integers(start, len(data))))
    content = content_of_bytes(data)
    assert content.size_of(span) == measure(content.text(span))


def test_offsets_are_behind_or_in_front_of_the_hole_at_a_place() -> None:
    assert [HOLES.offset_of_start(place) for place in range(7)] == [0, 1, 2, 13, 14, 20, 28]
    assert [HOLES.offset_of_end(place) for place in range(7)] == [0, 1, 2, 3, 14, 15, 21]
    assert HOLES.original_bytes == 28


def test_span_is_split_at_the_holes_inside_it() -> None:
    assert HOLES.split(Span(0, 6)) == [Span(0, 3), Span(3, 5), Span(5, 6)]
    assert HOLES.split(Span(3, 5)) == [Span(3, 5)]
    assert HOLES.split(Span(1, 4)) == [Span(1, 3), Span(3, 4)]
    assert HOLES.split(Span(2, 2)) == []


def test_holes_at_both_ends_of_a_stretch_belong_to_it() -> None:
    assert [hole.bytes for hole in HOLES.holes_within(3, 5)] == [10, 5]
    assert [hole.bytes for hole in HOLES.holes_within(4, 4)] == []
    assert [hole.bytes for hole in HOLES.holes_within(6, 6)] == [7]
    assert HOLES.newlines(0, 6) == 4
    assert HOLES.newlines(4, 5) == 0
    assert HOLES.newlines(5, 6) == 2


@given(collected())
def test_offsets_of_what_is_held_grow_by_its_holes(content: Content) -> None:
    edges = [0, *(hole.place for hole in content.holes), len(content.data)]
    for start, stop in pairwise(edges):
        if start < stop:
            assert content.offset_of_end(stop) - content.offset_of_start(start) == stop - start
    assert content.offset_of_start(len(content.data)) == content.original_bytes
