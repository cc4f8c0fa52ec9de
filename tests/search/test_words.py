from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.search.words import LONGEST, is_wide, parts_of, stem, terms, terms_of


@pytest.mark.parametrize(
    "spelling", ["HTTPServerError", "http_server_error", "httpServerError", "HTTP_SERVER_ERROR", "http-server-error"]
)
def test_identifier_gives_its_parts_however_it_is_spelled(spelling: str) -> None:
    assert set(terms("http server error")) <= set(terms(spelling))


def test_identifier_is_a_term_as_a_whole_too() -> None:
    assert terms_of("TCPConnector")[-1] == stem("tcpconnector")
    assert terms_of("tcp_connector")[-1] == stem("tcpconnector")


@pytest.mark.parametrize(
    "family",
    [
        ("route", "routes", "routing", "routed", "router", "routers"),
        ("parse", "parser", "parsing", "parsed"),
        ("format", "formatting", "formatter", "formatters", "formatted"),
        ("connect", "connection", "connections", "connector", "connecting"),
        ("validate", "validation", "validator", "validating"),
        ("serialize", "serializer", "serialization", "serializing"),
        ("alias", "aliases"),
        ("query", "queries"),
        ("match", "matches", "matching", "matcher"),
        ("cache", "caches", "caching", "cached"),
    ],
)
def test_words_of_one_family_are_one_term(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(("one", "other"), [("class", "clas"), ("status", "statu"), ("string", "str"), ("bus", "bu")])
def test_endings_that_are_none_stay(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_number_at_the_end_of_a_word_may_be_left_out() -> None:
    assert "utf" in terms_of("utf8")
    assert "utf8" in terms_of("utf8")


def test_chinese_is_found_by_neighbouring_characters() -> None:
    assert terms("连接池") == ["连接", "接池"]
    assert terms("获取_user名") == ["获取", "user", "名"]


def test_data_gives_no_terms() -> None:
    assert terms("x" * (LONGEST + 1)) == []


@given(st.text(max_size=200))
def test_terms_hold_nothing_that_fts5_would_read_as_syntax(text: str) -> None:
    for term in terms(text):
        assert term
        assert '"' not in term and " " not in term


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True))
def test_parts_are_the_identifier_without_underscores(word: str) -> None:
    assert "".join(parts_of(word)) == word.replace("_", "").lower()


def test_parts_of_a_name_without_spaces_are_the_terms_that_are_indexed() -> None:
    assert parts_of("读取配置") == list(terms("读取配置")) == ["读取", "取配", "配置"]
    assert [stem(part) for part in parts_of("naïve_größe")] == terms("naïve_größe") == ["naïve", "größe"]
    assert is_wide("如何 retry") and not is_wide("größe")
