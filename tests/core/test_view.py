"""Gaps, marks and what a view is to those that use it. The laws are in test_flow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import HANDLE
from penstock.core.census import Census, find_signs
from penstock.core.content import Content, Hole, Span, content_of_text
from penstock.core.measure import Size, measure
from penstock.core.reduce.contract import Choice
from penstock.core.view import Gap, Truncation, View, gaps_between, parts_of, residue_of

LINES = content_of_text("one\ntwo error\nthree\nfour\nfive")


def gaps_of(content: Content, *spans: tuple[int, int]) -> list[Gap]:
    signs = find_signs(content.data, len(content.data))
    return gaps_between(content, Choice([Span(*span) for span in spans]), signs)


def marked(content: Content, *spans: tuple[int, int]) -> str:
    parts = parts_of(Choice([Span(*span) for span in spans]), gaps_of(content, *spans), "en")
    return "".join(part if isinstance(part, str) else content.text(part) for part in parts)


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ([(0, 4), (25, 29)], "one\n[... 2-4, 1 error]\nfive"),
        ([(0, 4)], "one\n[... 2-5, 1 error]"),
        ([(14, 20)], "[... 1-2, 1 error]\nthree\n[... 4-5]"),
        ([(0, 4), (14, 25)], "one\n[... 2, 1 error]\nthree\nfour\n[... 5]"),
        ([(0, 5), (7, 29)], "one\nt[... bytes 5-6] error\nthree\nfour\nfive"),
        ([(0, 5), (14, 29)], "one\nt[... bytes 5-13, 1 error]\nthree\nfour\nfive"),
        ([(0, 4), (6, 29)], "one\n[... bytes 4-5]o error\nthree\nfour\nfive"),
        ([(0, 4), (5, 29)], "one\n[... bytes 4]wo error\nthree\nfour\nfive"),
        ([(0, 29)], "one\ntwo error\nthree\nfour\nfive"),
        ([(0, 14), (14, 29)], "one\ntwo error\nthree\nfour\nfive"),
        ([], "[... 1-5, 1 error]"),
    ],
)
def test_mark_stands_where_something_is_hidden(spans: list[tuple[int, int]], text: str) -> None:
    assert marked(LINES, *spans) == text


# 3 lines held at the start, 10 lines of 80 bytes not held, 2 lines held, 5 bytes not held, the end of that line
HOLES = Content(
    b"a\nb\nc\nd\ne\nend\n",
    Size(100, 17, 99),
    holes=(Hole(6, 80, 10, ends_line=True, census=Census(3)), Hole(10, 5, 0, ends_line=False)),
)


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ([(0, 6), (6, 10), (10, 14)], "a\nb\nc\n[... 4-13, 3 errors]\nd\ne\n[... bytes 90-94]end\n"),
        ([(0, 4), (8, 10)], "a\nb\n[... 3-14, 3 errors]\ne\n[... 16]"),
        ([(0, 6)], "a\nb\nc\n[... 4-16, 3 errors]"),
        ([(10, 14)], "[... bytes 0-94, 3 errors]end\n"),
    ],
)
def test_hole_is_part_of_the_gap_around_it(spans: list[tuple[int, int]], text: str) -> None:
    assert marked(HOLES, *spans) == text


@pytest.mark.parametrize("place", [0, 1, 3])
def test_hole_at_an_end_is_a_gap(place: int) -> None:
    content = Content(b"abc", Size(8, 1, 8), holes=(Hole(place, 5, 0, ends_line=False),))
    (gap,) = gaps_of(content, *(s for s in ((0, place), (place, 3)) if s[0] < s[1]))
    assert (gap.start, gap.stop) == (place, place + 5)
    assert gap.before == (place > 0)


def test_gap_from_hole_to_hole_is_one() -> None:
    content = Content(b"ab", Size(12, 1, 12), holes=(Hole(0, 5, 0, ends_line=False), Hole(2, 5, 0, ends_line=False)))
    assert [(gap.start, gap.stop) for gap in gaps_of(content)] == [(0, 12)]
    assert [(gap.start, gap.stop) for gap in gaps_of(content, (0, 1))] == [(0, 5), (6, 12)]


def test_mark_in_chinese_says_the_same() -> None:
    (gap,) = gaps_of(LINES, (0, 4), (25, 29))
    assert gap.mark("zh") == "[... 2-4、1 处错误]"
    (gap,) = gaps_of(LINES, (0, 5), (7, 29))
    assert gap.mark("zh") == "[... 字节 5-6]"


@given(st.lists(st.integers(0, 29), max_size=8, unique=True))
def test_residue_of_a_view_has_the_same_gaps(places: list[int]) -> None:
    spans = [Span(*pair) for pair in zip(*[iter(sorted(places))] * 2, strict=False)]
    gaps = gaps_of(LINES, *spans)
    residue = residue_of(LINES, spans, gaps)
    assert residue.original_bytes == 29
    held = [Span(0, len(residue.data))] if residue.data else []
    again = gaps_of(residue, *(part for span in held for part in residue.split(span)))
    told = [(gap.start, gap.stop, gap.first_line, gap.last_line, gap.whole_lines, gap.census) for gap in gaps]
    assert [(g.start, g.stop, g.first_line, g.last_line, g.whole_lines, g.census) for g in again] == told


# -- what a view is to those that use it -------------------------------------------------------------------------------


def view(text: str, **more: object) -> View:
    plain = View(text, measure(text), measure(text), "fits", "text")
    return replace(plain, **more)  # type: ignore[arg-type]


def test_view_is_its_text() -> None:
    assert str(view("text")) == "text"
    assert bytes(view("é\ud800")) == b"\xc3\xa9\xed\xa0\x80"
    assert bytes(view("\ufffd", data=b"\xff")) == b"\xff"
    assert not view("text").truncated and not view("text", reason="skip").truncated
    assert view("text", reason="lines").truncated


def test_envelope_of_what_fits_says_so() -> None:
    assert view("text").envelope() == {
        "status": "success",
        "data": {"truncated": False},
        "text": "text",
        "stats": {},
        "context": {},
        "error": None,
    }
    assert view('{"a":1}', form="json").envelope()["data"] == {"a": 1}
    assert view('{"status":"error"}', form="envelope").envelope() == {"status": "error"}
    assert view("", form="envelope").envelope() == {"status": "partial"}


def test_envelope_of_what_was_cut_is_that_of_the_framed_view() -> None:
    framed = view('{"status":"partial"}', form="envelope")
    assert view("text", reason="chars", framed=lambda: framed).envelope() == {"status": "partial"}


def test_tool_gets_back_what_it_is_likely_to_return() -> None:
    assert view("text").replacement() == "text"
    assert view('{"status":"error"}', form="envelope").replacement() == {"status": "error"}
    blocks = ({"type": "text", "text": "a"},)
    assert view("a", form="blocks", blocks=blocks).replacement() == list(blocks)


def test_truncation_tells_only_the_limits_that_are_set() -> None:
    truncation = Truncation("tail", 10, None, None, None, 1, 2, 3, 4, 5, 6, None, HANDLE)
    assert truncation.as_dict() == {
        "direction": "tail",
        "max_chars": 10,
        "original_chars": 1,
        "original_lines": 2,
        "original_bytes": 3,
        "kept_chars": 4,
        "kept_lines": 5,
        "kept_bytes": 6,
        "full_output_path": None,
        "handle": HANDLE,
    }
