"""Tokens of pages: what they confirm, and what they refuse."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.paging import MOST_TIED, Ranked, shown_before, token_after
from penstock.errors import CallerError, ContinuationError


def ranked(*scores: float) -> list[Ranked]:
    return [Ranked(score, f'{{"place":{place}}}') for place, score in enumerate(scores)]


def after(count: int, results: list[Ranked], query: str = "q") -> str:
    return token_after(results[:count], results[count], query)


def test_token_tells_how_many_results_stand_before_the_next_page() -> None:
    results = ranked(0.9, 0.7, 0.5, 0.3)
    assert shown_before(after(2, results), "q", results) == {0, 1}


def test_token_is_short_and_safe_to_say() -> None:
    token = after(3, ranked(0.9, 0.7, 0.5, 0.3))
    assert len(token) == 37
    assert token.startswith("more-") and token.removeprefix("more-").isalnum() and token == token.lower()


def test_spaces_around_a_token_do_not_matter() -> None:
    results = ranked(0.9, 0.7)
    assert shown_before(f" {after(1, results)}\n", "q", results) == {0}


def test_results_after_the_page_may_change() -> None:
    results = ranked(0.9, 0.7, 0.5, 0.3)
    changed = [*results[:2], Ranked(0.6, "new"), results[3]]
    assert shown_before(after(2, results), "q", changed) == {0, 1}


@pytest.mark.parametrize(
    "changed",
    [
        lambda results: [Ranked(1.0, "better"), *results],
        lambda results: [results[0], Ranked(0.7, "another"), *results[2:]],
        lambda results: [results[0], Ranked(0.71, results[1].text), *results[2:]],
        lambda results: results[1:],
        lambda results: results[:1],
        lambda results: [],
    ],
)
def test_other_results_before_the_page_are_refused(changed: object) -> None:
    results = ranked(0.9, 0.7, 0.5, 0.3)
    with pytest.raises(ContinuationError, match="the results have changed") as caught:
        shown_before(after(2, results), "q", changed(results))  # type: ignore[operator]
    assert caught.value.why == "changed"


def test_token_of_another_query_is_refused() -> None:
    results = ranked(0.9, 0.7)
    with pytest.raises(ContinuationError, match="belongs to another query") as caught:
        shown_before(after(1, results, "\ud800 needle"), "hay", results)
    assert isinstance(caught.value, CallerError) and caught.value.why == "query"


def test_equals_may_change_places_where_the_page_ended_among_them() -> None:
    results = ranked(0.9, 0.5, 0.5, 0.5, 0.5, 0.1)
    shuffled = [results[0], results[4], results[2], results[3], results[1], results[5]]
    # Shown were the first three: places 0, 2 and 4 of the new order.
    assert shown_before(after(3, results), "q", shuffled) == {0, 2, 4}


def test_equals_may_change_places_on_the_pages_before() -> None:
    results = ranked(0.9, 0.9, 0.9, 0.1)
    shuffled = [results[2], results[0], results[1], results[3]]
    assert shown_before(after(3, results), "q", shuffled) == {0, 1, 2}


def test_equals_that_are_the_same_are_counted() -> None:
    same = [Ranked(0.5, "same")] * 4
    assert shown_before(token_after(same[:2], same[2], "q"), "q", same) == {0, 1}


def test_of_many_equals_another_order_is_refused() -> None:
    results = ranked(*[0.5] * (MOST_TIED + 5))
    token = after(MOST_TIED + 1, results)
    assert shown_before(token, "q", results) == set(range(MOST_TIED + 1))
    with pytest.raises(ContinuationError, match="the results have changed"):
        shown_before(token, "q", results[::-1])


def forged(payload: bytes) -> str:
    check = hashlib.sha256(b"continuation " + payload).digest()[:3]
    return "more-" + base64.b32encode(payload + check).decode().rstrip("=").lower()


def test_token_that_contradicts_itself_is_refused_though_its_checksum_is_right() -> None:
    query = hashlib.sha256(b"q").digest()[:4]
    for count, names in ((0, b""), (0, b"abc"), (1, b"abcdef")):
        with pytest.raises(ContinuationError, match="continues nothing"):
            shown_before(forged(b"\1" + count.to_bytes(4, "big") + query + bytes(8) + names), "q", ranked(0.5))
    with pytest.raises(ContinuationError, match="continues nothing"):
        shown_before(forged(b"\2" + (1).to_bytes(4, "big") + query + bytes(8)), "q", ranked(0.5))


@pytest.mark.parametrize(
    "nonsense", ["", "more-", "2", "more-abc", "more-0189", "más-ß", "ps-abcdefgh23456777", "x" * 999]
)
def test_nonsense_is_refused_in_one_sentence(nonsense: str) -> None:
    with pytest.raises(ContinuationError, match="continues nothing") as caught:
        shown_before(nonsense, "q", ranked(0.5))
    assert caught.value.why == "nonsense" and len(str(caught.value)) < 200 and "\n" not in str(caught.value)


@given(st.integers(5, 36), st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"))
def test_token_with_one_character_changed_is_refused(place: int, character: str) -> None:
    results = ranked(0.9, 0.7, 0.5, 0.3)
    token = after(3, results)
    changed = token[:place] + character + token[place + 1 :]
    if changed != token:
        with pytest.raises(ContinuationError):
            shown_before(changed, "q", results)


@given(st.text(max_size=60))
def test_any_text_is_a_token_or_is_refused(text: str) -> None:
    with pytest.raises(ContinuationError):
        shown_before(text, "q", ranked(0.5))
