from __future__ import annotations

import pytest

from penstock.search.query import analysed, other_ways, weights
from penstock.search.words import stem


def test_question_words_are_left_out() -> None:
    assert analysed("how does the router match a path").words == tuple(map(stem, ("router", "match", "path")))


def test_what_is_to_be_done_about_the_code_is_left_out() -> None:
    assert analysed("fix the router that matches a path").words == tuple(map(stem, ("router", "match", "path")))


def test_question_of_nothing_else_keeps_its_words() -> None:
    assert analysed("how does it work").words


@pytest.mark.parametrize("text", ["RouterGroup", "router::Group", "gin.RouterGroup", "the"])
def test_one_word_is_a_name(text: str) -> None:
    query = analysed(text)
    assert query.is_name and query.names and query.words


@pytest.mark.parametrize("text", ["class RouterGroup", "how does RouterGroup work", "the function load_all"])
def test_one_name_among_empty_words_is_a_name(text: str) -> None:
    query = analysed(text)
    assert query.is_name and len(query.names) == 1


def test_qualified_name_is_looked_for_as_a_whole_and_in_parts() -> None:
    assert {"Plug.Builder", "Plug", "Builder"} == set(analysed("Plug.Builder").names)


def test_words_written_like_code_are_names_in_a_sentence() -> None:
    query = analysed("how nvm_download wraps curl for TCPConnector")
    assert query.names == ("nvm_download", "TCPConnector")
    assert not query.is_name


def test_abbreviations_are_looked_for_too() -> None:
    terms = analysed("request configuration").terms
    assert {stem("req"), stem("config"), stem("cfg")} <= set(terms)
    assert stem("request") in other_ways(stem("req"))
    assert other_ways("zebra") == frozenset()


@pytest.mark.parametrize("text", ["", "???", "::", "a" * 100_000, "word " * 50_000])
def test_any_text_is_a_query(text: str) -> None:
    query = analysed(text)
    assert len(query.words) < 100
    assert weights(query, {}).known_share in (0.0, 1.0)


def test_rare_word_weighs_more_and_unknown_one_does_not_decide() -> None:
    query = analysed("alpha beta gamma")
    alpha, beta, gamma = query.words
    told = weights(query, {alpha: 0.0001, beta: 0.5})
    assert told.of_word[alpha] > told.of_word[gamma] > told.of_word[beta]
    assert 0 < told.known_share < 1


def test_question_in_a_script_without_spaces_is_no_name_and_its_words_are_those_that_are_indexed() -> None:
    asked = analysed("如何重试")
    assert not asked.is_name
    assert asked.words == asked.terms == ("如何", "何重", "重试")
    assert weights(asked, {"重试": 0.1, "如何": 0.2}).known_share > 0.4
