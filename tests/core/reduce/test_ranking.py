"""Answers come first, then errors, and something is left of the room for each sort."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce.contract import Effort
from penstock.core.reduce.oddities import ERROR
from penstock.core.reduce.question import Question
from penstock.core.reduce.ranking import EQUALS, ERRORS_SHARE, HITS_SHARE, RARE_SHARE, worth_of

TEXTS = [b"the upper valve\n", b"the lower valve\n", b"a pump\n", b"a pump in the tunnel\n", b"a weir\n", b"a dam\n"]


def starts_of(texts: list[bytes]) -> list[int]:
    return list(accumulate(map(len, texts[:-1]), initial=0)) if texts else []


def test_answers_come_before_errors_and_those_before_the_rest() -> None:
    worth = worth_of(
        b"".join(TEXTS), starts_of(TEXTS), Question("upper valve"), {2: ERROR, 3: 5.0, 4: 1.0, 5: ERROR + 1}, Effort()
    )
    assert [(sort.indices, sort.share) for sort in worth.sorts] == [
        ([0], HITS_SHARE),
        ([5, 2], ERRORS_SHARE),
        ([3], ERRORS_SHARE),
        ([1], ERRORS_SHARE),
        ([4], worth.sorts[-1].share),
    ]
    assert worth.best == {0}
    assert worth.each == HITS_SHARE


def test_without_a_question_nothing_is_an_answer() -> None:
    worth = worth_of(b"".join(TEXTS), starts_of(TEXTS), Question(""), {1: 5.0}, Effort())
    assert [(sort.indices, sort.share, sort.answers) for sort in worth.sorts] == [([1], RARE_SHARE, False)]
    assert not worth.best


def test_equal_answers_share_the_room_up_to_a_number_of_them() -> None:
    texts = [b"the valve\n"] * 40 + [b"nothing here\n"] * 60
    worth = worth_of(b"".join(texts), starts_of(texts), Question("valve"), {}, Effort())
    assert worth.best == set(range(EQUALS))
    assert worth.each == worth.share / EQUALS < HITS_SHARE / EQUALS


def test_of_two_with_the_same_words_the_shorter_is_the_better_answer() -> None:
    texts = [b"the valve " + b"and more " * 90, b"the valve", b"none", b"none", b"none"]
    worth = worth_of(b"".join(texts), starts_of(texts), Question("valve"), {}, Effort())
    assert worth.sorts[0].indices[0] == 1


@given(st.lists(st.text("abc ", max_size=9).map(str.encode), max_size=9), st.text("abc ", max_size=9))
def test_words_are_found_in_a_whole_as_in_its_units(texts: list[bytes], query: str) -> None:
    texts = [text + b"\n" for text in texts]
    question = Question(query)
    assert question.scores_in(b"".join(texts), starts_of(texts), Effort()) == question.scores(texts, Effort())


def test_word_that_reaches_over_two_units_is_in_neither() -> None:
    assert Question("valve").scores_in(b"the valve valve", [0, 7, 12], Effort()).keys() == set()
    assert Question("valve").scores_in(b"the valve valve", [0, 10], Effort()).keys() == set(), "both have it"
