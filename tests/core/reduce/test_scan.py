"""The lines that a pattern is in."""

from __future__ import annotations

import re2
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce.contract import Sample
from penstock.core.reduce.scan import lines_with, marks_in

WORD = re2.compile(rb"(?m)(?:^|[^a-z])(?:ab|b+)(?:\s|$)")


def test_line_is_told_once_with_what_was_found_first() -> None:
    texts = [b"no", b"a ab b", b"", b"b", b"bb ab"]
    assert list(lines_with(WORD, b"\n".join(texts))) == [(1, b"ab"), (3, b"b"), (4, b"bb")]


@given(st.lists(st.text("ab ", max_size=6).map(str.encode), max_size=20))
def test_lines_are_those_that_have_it(texts: list[bytes]) -> None:
    pattern = re2.compile(rb"ab")
    found = [line for line, _ in lines_with(pattern, b"\n".join(texts))]
    assert found == [line for line, text in enumerate(texts) if b"ab" in text]


def test_marks_are_counted_in_all_parts_of_a_sample_up_to_the_most() -> None:
    sample = Sample(b"ab\nab\n", "text", b"ab\n", b"b ab\n")
    assert marks_in(sample, re2.compile(rb"(?m)^ab"), 9) == 3
    assert marks_in(sample, re2.compile(rb"ab"), 3) == 3
