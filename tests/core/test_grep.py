"""Search in kept output. The oracle goes line by line over the whole, with Python's own expressions."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import Shelf
from penstock.core import grep as module
from penstock.core.grep import PATTERN_LONGEST, Found, Hit, matcher, search
from penstock.errors import PatternError

PATTERNS = [
    "ab", "^ab", "b$", "^$", r"\bab\b", "x*", "$", "^", "a.c", "[^b]c", r"\s+ab", "(a|b)+$", "^a*$", r"\Bb", "é",
    r"b\b", r"^\s*b",
]  # fmt: skip

pieces = st.sampled_from(
    [b"a", b"b", b"c", b"ab", b" ", b"\n", b"\n", "é".encode(), b"aab b\n", b"bb", b"\n\n", b"\r\n"]
)
contents = st.lists(pieces, max_size=120).map(b"".join)


@pytest.fixture
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of up to OVERLAP bytes fall on every place of a buffer's edge."""
    monkeypatch.setattr(module, "BUFFER", 64)
    monkeypatch.setattr(module, "OVERLAP", 32)


def expected(data: bytes, pattern: str, start_line: int = 1) -> list[Hit]:
    hits = []
    place = 0
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8", "surrogateescape")
        found = re.search(pattern, text, re.ASCII)
        if found and number >= start_line:
            start, stop = (len(text[:at].encode("utf-8", "surrogateescape")) for at in found.span())
            hits.append(Hit(number, place, place + start, place + stop))
        place += len(line) + 1
    return hits


@given(contents, st.sampled_from(PATTERNS), st.integers(1, 12), st.integers(1, 90))
def test_first_match_of_every_line_is_found(data: bytes, pattern: str, start: int, block: int) -> None:
    found = search(Shelf(data, block), matcher(pattern), start_line=start, most=10**6)
    assert found.hits == expected(data, pattern, start)
    assert (found.ended, found.searched, found.first) == ("", len(data), start)


@pytest.mark.usefixtures("small_buffers")
@given(st.lists(pieces, max_size=300).map(b"".join), st.sampled_from(PATTERNS), st.integers(1, 9))
def test_edges_of_buffers_are_not_noticed(data: bytes, pattern: str, start: int) -> None:
    lines = [line[:30] for line in data.split(b"\n")]  # a match that is longer than the overlap may be cut
    data = b"\n".join(lines)
    found = search(Shelf(data), matcher(pattern), start_line=start, most=10**6)
    assert found.hits == expected(data, pattern, start)


@pytest.mark.usefixtures("small_buffers")
@given(st.integers(0, 300), st.integers(0, 300), st.booleans())
def test_short_match_in_a_long_line_is_found_wherever_it_is(before: int, after: int, regular: bool) -> None:
    data = b"one\n" + b"x" * before + b"needle" + b"x" * after + b"needle\nneedle"
    found = search(Shelf(data), matcher("need[l]e" if regular else "needle"))
    place = 4 + before
    last = 4 + before + 6 + after + 7
    assert found.hits == [Hit(2, 4, place, place + 6), Hit(3, last, last, last + 6)]


@pytest.mark.usefixtures("small_buffers")
def test_line_anchors_match_only_at_the_ends_of_a_long_line() -> None:
    data = b"a" * 1_000 + b"b\n" + b"ab\n"
    assert [hit.line for hit in search(Shelf(data), matcher("^a*$")).hits] == []
    assert [hit.line for hit in search(Shelf(data), matcher("^b")).hits] == []
    assert [hit.line for hit in search(Shelf(data), matcher("b$")).hits] == [1, 2]
    assert [hit.line for hit in search(Shelf(data), matcher("^ab")).hits] == [2]
    assert [hit.start for hit in search(Shelf(data), matcher(r"\bab")).hits] == [1_002]


@pytest.mark.usefixtures("small_buffers")
@given(contents, st.integers(1, 9), st.integers(1, 4))
def test_search_goes_on_where_it_stopped_until_nothing_is_left(data: bytes, block: int, most: int) -> None:
    source, match = Shelf(data, block), matcher("a")
    hits: list[Hit] = []
    line = 1
    while True:
        found = search(source, match, start_line=line, most=most)
        hits += found.hits
        if found.ended == "":
            break
        assert found.ended == "matches" and len(found.hits) == most and found.line > line
        line = found.line
    assert hits == expected(data, "a")


def test_line_breaks_match_only_where_the_pattern_speaks_of_them() -> None:
    source = Shelf(b"one\n\n\n  at two\nthree\n")
    assert [hit.line for hit in search(source, matcher(r"^\s+at")).hits] == [4]
    assert search(source, matcher("one[^x]+two")).hits == []
    for pattern in (r"one\n+ *at", r"one[\s\S]+two", "(?s)one.+two", "one\n\n\n  at"):
        assert [hit.line for hit in search(source, matcher(pattern)).hits] == [1]
    assert search(source, matcher("two\nthree", fixed=True)).hits == [Hit(4, 6, 11, 20)]


@pytest.mark.usefixtures("small_buffers")
def test_match_over_several_lines_is_not_found_again_inside_itself() -> None:
    data = b"x" * 20 + b"\nbegin 1\nbegin 2\nbegin 3\nbegin 4 end\nbegin 5\n"
    found = search(Shelf(data), matcher(r"begin[^5]*end|begin\n"))
    assert [(hit.line, data[hit.start : hit.stop][-3:]) for hit in found.hits] == [(2, b"end")]


def test_search_past_the_end_finds_nothing() -> None:
    assert search(Shelf(b"a\nb"), matcher("$"), start_line=3) == Found([], 3, "", 3, 3)
    assert search(Shelf(b""), matcher("^")) == Found([], 0, "", 1, 1)


@pytest.mark.usefixtures("small_buffers")
def test_search_that_takes_too_long_says_how_far_it_came() -> None:
    asked = iter([False, False, True])
    data = b"a line of it\n" * 40
    found = search(Shelf(data), matcher("line"), most=100, expired=lambda: next(asked))
    assert found.ended == "time"
    assert found.searched > 0 and found.line == data[: found.searched].count(b"\n") + 1
    assert found.hits == expected(data[: found.searched], "line")[: len(found.hits)]


def test_case_is_ignored_when_asked() -> None:
    source = Shelf("ERROR Éa\nerror éa\n".encode())
    assert len(search(source, matcher("error éa", ignore_case=True)).hits) == 2
    assert len(search(source, matcher("éa")).hits) == 1
    assert len(search(source, matcher("a[0]", fixed=True)).hits) == 0
    assert len(search(source, matcher("ROR É", fixed=True, ignore_case=True)).hits) == 2


def test_half_a_surrogate_pair_is_found_as_text() -> None:
    source = Shelf("a\ud800b\n".encode("utf-8", "surrogatepass"))
    assert search(source, matcher("\ud800")).hits == [Hit(1, 0, 1, 4)]
    assert search(source, matcher("\ud800b", fixed=True)).hits == [Hit(1, 0, 1, 5)]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("", "empty"), ("a" * (PATTERN_LONGEST + 1), "longer"), ("(", "missing"), ("(a{1000}){1000}", "repetition|large"),
     (r"(a)\1", "escape"), (".\ud800", "half a surrogate")],
)  # fmt: skip
def test_pattern_that_cannot_be_used_is_refused_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(PatternError, match=why) as caught:
        matcher(pattern)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "needle", "^a*b", r"a[\s\S]*c"])
def test_time_is_linear_for_any_pattern(pattern: str) -> None:
    data = b"a" * 2_000_000 + b"b\n"
    began = time.perf_counter()
    search(Shelf(data, 256 * 1024), matcher(pattern))
    assert time.perf_counter() - began < 2


def test_group_of_a_pattern_costs_nothing() -> None:
    assert search(Shelf(b"xaby\n"), matcher("(a)(b)")).hits == [Hit(1, 0, 1, 3)]
