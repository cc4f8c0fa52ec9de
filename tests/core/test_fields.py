"""The long fields of one record, cut at both ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from penstock.core.fields import DEEPEST, SHORTEST, elastic
from strategies import json_values, texts, utf8_size


def parts(cut: str) -> tuple[str, str]:
    head, _, rest = cut.partition("[... bytes ")
    return head, rest.partition("]")[2]


def test_long_text_keeps_its_two_ends_with_a_mark_that_says_what_is_hidden() -> None:
    text = "".join(f"{number:04d}" for number in range(500))
    assert elastic(text, "en").longest == 2_000
    assert elastic(text, "en").at(100) == f"{text[:50]}[... bytes 50-1949]{text[-50:]}"
    assert elastic(text, "zh").at(100) == f"{text[:50]}[... 字节 50-1949]{text[-50:]}"
    assert elastic(text, "en").at(0) == "[... bytes 0-1999]"
    assert elastic(text, "en").at(2_000) == text


def test_short_fields_and_keys_stay_as_they_are() -> None:
    record = {"path": "a.py", "line": 7, "none": None, "few": [1, 2], "x" * 900: True}
    made = elastic(record, "en")
    assert made.longest == 0 and made.at(0) == record


def test_fields_of_mappings_within_are_cut_where_they_stand() -> None:
    record = {"chunk": {"text": "x" * 900, "line": 3}, "other": "y" * 80}
    assert elastic(record, "en").at(90) == {
        "chunk": {"text": f"{'x' * 45}[... bytes 45-854]{'x' * 45}", "line": 3},
        "other": "y" * 80,
    }


def test_long_list_is_shown_as_part_of_its_json() -> None:
    made = elastic({"lines": list(range(500))}, "en")
    cut = made.at(20)["lines"]
    assert cut.startswith("[0,1,2,3,4") and cut.endswith("498,499]")
    assert made.at(made.longest) == {"lines": list(range(500))}


def test_mappings_deeper_than_the_deepest_are_cut_as_text() -> None:
    value: Any = "x" * 900
    for _ in range(DEEPEST + 2):
        value = {"in": value}
    cut = elastic(value, "en").at(40)
    for _ in range(DEEPEST):
        cut = cut["in"]
    assert cut.startswith('{"in":{"in":"xxx') and "[... bytes " in cut


@pytest.mark.parametrize("most", range(40))
def test_cut_is_never_inside_a_grapheme(most: int) -> None:
    text = "👩\u200d👩\u200d👧\u200d👦e\u0301🇩🇪" * 20
    head, tail = parts(elastic(text, "en").at(most))
    clusters = list(iter_graphemes(text))
    assert head == "".join(clusters[: len(list(iter_graphemes(head)))])
    assert tail == "".join(clusters[len(clusters) - len(list(iter_graphemes(tail))) :])
    assert utf8_size(head) + utf8_size(tail) <= most


@given(texts(4_000), st.integers(0, 4_500))
def test_what_is_shown_of_a_text_is_its_two_ends(text: str, most: int) -> None:
    made = elastic(text, "en")
    cut = made.at(most)
    if utf8_size(text) <= max(most, SHORTEST):
        assert cut == text
        return
    starts = [place for place in range(len(cut)) if cut.startswith("[... bytes ", place)]
    ends = [(cut[:start], cut[start:].partition("]")[2]) for start in starts]
    assert any(
        text.startswith(head) and text.endswith(tail) and utf8_size(head) + utf8_size(tail) <= most
        for head, tail in ends
    )


@given(json_values, st.integers(0, 300))
def test_any_value_can_be_cut(value: Any, most: int) -> None:
    made = elastic(value, "en")
    assert made.at(max(made.longest, most)) == value
    made.at(most)
