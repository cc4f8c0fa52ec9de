"""Words of a question, and the lines that speak of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.question import READ, TERMS, Question


def best(query: str, lines: list[str]) -> str | None:
    scores = Question(query).scores([line.lower().encode() for line in lines], Effort())
    return lines[max(scores, key=lambda index: scores[index])] if scores else None


@pytest.mark.parametrize("query", ["", "   ", "why did it?", "What is the main file?", "...", "a b c"])
def test_question_without_a_telling_word_is_no_question(query: str) -> None:
    assert not Question(query)
    assert Question(query).scores([b"why", b"main"], Effort()) == {}


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("Fix the parsing of large bodies", "def parse_body(stream):"),
        ("Where is `set_options` defined?", "    def set_options(self):"),
        ("Details of order #W1304208", '"order_id": "#W1304208",'),
        ("why is HttpClient.sendRequest slow", "class http_client:"),
        ("阀门为什么卡住了", "错误：阀门 7 卡住"),
        ("Row with gameID=ALS198707140", "1987,ALS198707140,oak"),
    ],
)
def test_line_that_speaks_of_the_question_is_best(query: str, line: str) -> None:
    assert best(query, ["nothing to see", "options = None", "another order 4711", line, "the end", "bye"]) == line


def test_rare_word_is_worth_more_than_a_common_one() -> None:
    assert best("pump error", ["error"] * 20 + ["the pump"] + ["fine"] * 30) == "the pump"


def test_word_that_most_lines_have_says_nothing() -> None:
    assert Question("error").scores([b"error 1", b"error 2", b"error 3", b"fine"], Effort()) == {}


def test_question_costs_effort() -> None:
    with pytest.raises(EffortSpent):
        Question("pump pressure").scores([b"x"] * 1_000, Effort(100))


@given(st.text(max_size=300))
def test_question_has_a_bounded_number_of_words_in_lower_case(query: str) -> None:
    terms = Question(query * 40).terms
    assert len(terms) <= TERMS
    assert all(term.text and term.weight > 0 for term in terms)


def test_only_the_start_of_a_long_question_is_read() -> None:
    assert Question(" " * READ + "pressure").terms == ()
