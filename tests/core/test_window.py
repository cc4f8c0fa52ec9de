"""Law 9: however it is cut into pieces, the same bytes give the same content."""

from __future__ import annotations

import re
import tracemalloc
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from core.hurtful import safe_cuts
from penstock.core import window as module
from penstock.core.census import take_census
from penstock.core.content import LOOK, Content, content_of_bytes, content_of_text
from penstock.core.measure import Size
from penstock.core.window import Collector
from strategies import byte_strings, line_count, texts, utf8_size

long_bytes = st.tuples(byte_strings(6_000), st.integers(1, 6)).map(lambda drawn: drawn[0] * drawn[1])

LONG_RUN = re.compile(rb"(?:\xf0\x9f\x87[\xa6-\xbf]){1000}")


def collect(data: bytes, cuts: list[int], end: int, sampled: int, piece: int = 64 * 1024) -> Content:
    kept, module.PIECE = module.PIECE, piece  # type: ignore[misc]
    try:
        collector = Collector(end=end, sampled=sampled)
        places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
        for start, stop in pairwise(places):
            collector.feed(data[start:stop])
        first = collector.finish()
        assert collector.finish() == first, "to look is not to change"
        assert collector.size == len(data) and collector.whole == (len(data) <= 2 * end)
        return first
    finally:
        module.PIECE = kept  # type: ignore[misc]


@given(
    long_bytes,
    st.lists(st.integers(0, 40_000), max_size=12),
    st.integers(1, 4_000),
    st.integers(0, 20_000),
    st.integers(1, 900),
)
@settings(max_examples=300)
def test_same_bytes_give_the_same_content_however_they_are_cut(
    data: bytes, cuts: list[int], end: int, sampled: int, piece: int
) -> None:
    assert collect(data, cuts, end, sampled, piece) == collect(data, [], end, sampled)


@given(byte_strings(300), st.integers(1, 200))
def test_same_bytes_give_the_same_content_byte_by_byte(data: bytes, end: int) -> None:
    assert collect(data, list(range(len(data))), end, 100, 3) == collect(data, [], end, 100)


@given(long_bytes, st.integers(1, 4_000), st.integers(0, 20_000))
def test_what_is_not_held_is_told_as_it_is(data: bytes, end: int, sampled: int) -> None:
    content = collect(data, [], end, sampled)
    text = data.decode("utf-8", "replace")
    assert content.size == Size(len(text), line_count(text), utf8_size(text))
    if len(data) <= 2 * end:
        assert content == content_of_bytes(data)
        return
    (hole,) = content.holes
    start, stop = hole.place, hole.place + hole.bytes
    assert content.data == data[:start] + data[stop:]
    assert hole.newlines == data[start:stop].count(b"\n")
    assert hole.ends_line == data[start:stop].endswith(b"\n")
    assert start <= end and len(data) - stop <= end
    if hole.census.complete:
        assert hole.census == take_census(data[start:stop])
    else:
        assert hole.bytes > sampled or not take_census(data[start:stop]).complete
    # A cut falls inside a unit only where the unit is longer than the edge, or begins where nobody can look.
    cuts = safe_cuts(data)
    for place in {start, stop} - cuts:
        unit = min(cut for cut in cuts if cut > place) - max(cut for cut in cuts if cut < place)
        assert unit > end // 2 or LONG_RUN.search(data)


@given(texts(2_000), st.integers(1, 900), st.lists(st.integers(0, 2_000), max_size=5))
def test_text_is_collected_as_text(text: str, end: int, cuts: list[int]) -> None:
    collector = Collector("surrogatepass", end=end)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, stop in pairwise(places):
        collector.feed(text[start:stop].encode("utf-8", "surrogatepass"))
    content = collector.finish()
    assert content.size == content_of_text(text).size
    assert content.errors == "surrogatepass"


def test_ends_are_whole_lines_where_there_are_any_near() -> None:
    data = b"".join(b"line %d of the log\n" % n for n in range(100_000))
    content = collect(data, [], 200_000, 1_000)
    (hole,) = content.holes
    assert content.data[: hole.place].endswith(b"log\n") and hole.ends_line
    assert content.data[hole.place :].startswith(b"line ")
    assert 199_900 < hole.place <= 200_000


@pytest.mark.parametrize("unit", ["👨‍👩‍👧‍👦", "中", "e\u0301", "🇩🇪🇫🇷 ", "\x1b[31m", "\r\r\n"])
def test_long_line_is_cut_between_units(unit: str) -> None:
    data = unit.encode() * 20_000
    for end in range(9_990, 10_020):
        content = collect(data, [], end, 0)
        (hole,) = content.holes
        whole = unit.startswith("\x1b")
        inner = {0} if whole else {len(part.encode()) for part in ["", *accumulate(iter_graphemes(unit))]}
        wide = len(unit.encode())
        assert hole.place % wide in inner and (hole.place + hole.bytes) % wide in inner
        assert hole.place > end - 64


def test_content_just_over_the_ends_is_cut_as_well_as_any() -> None:
    for extra in range(1, 60):
        data = ("é" * 30_000).encode()[: 2 * 20_000 + extra]
        (hole,) = collect(data, [], 20_000, 0).holes
        assert hole.place % 2 == 0 and (hole.place + hole.bytes) % 2 == 0


def test_errors_of_what_is_not_held_are_counted() -> None:
    data = b"fine\n" * 10_000 + b"error: bad\n" * 7 + b"fine\n" * 10_000
    (hole,) = collect(data, [], 2_000, 80_000).holes
    assert (hole.census.errors, hole.census.complete) == (7, False)
    (hole,) = collect(data, [], 2_000, 200_000).holes
    assert (hole.census.errors, hole.census.complete) == (7, True)


def test_memory_does_not_grow_with_what_is_fed() -> None:
    piece = b"a line of a log that goes on\n" * 2_000
    collector = Collector(end=500_000, sampled=LOOK)
    tracemalloc.start()
    try:
        for size in (len(piece), 100):
            for start in range(0, 20_000_000, size * 10):
                collector.feed(piece[:size] if start % 3 else piece[: size - 1])
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert collector.finish().original_bytes == collector.size


def test_nothing_is_content_too() -> None:
    assert Collector().finish() == content_of_bytes(b"")
