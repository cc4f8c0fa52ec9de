from __future__ import annotations

import sqlite3
from itertools import combinations

import pytest

from penstock.search.expression import ALONE, facets_of_file, matching


@pytest.fixture
def table() -> sqlite3.Connection:
    """A row for each set of the words a to d."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
    for count in range(1, 5):
        for words in combinations("abcd", count):
            connection.execute("INSERT INTO t VALUES (?)", (" ".join(words),))
    return connection


def matched(table: sqlite3.Connection, expression: str) -> set[str]:
    return {row[0].replace(" ", "") for row in table.execute("SELECT text FROM t WHERE t MATCH ?", (expression,))}


def test_rare_terms_match_by_themselves(table: sqlite3.Connection) -> None:
    found = matched(table, matching(["a", "b"], {"a": 1, "b": 2}))
    assert {"a", "b", "ab", "abcd"} <= found and "cd" not in found


def test_common_terms_match_in_pairs_or_with_a_rare_one(table: sqlite3.Connection) -> None:
    counts = {"a": 1, "b": ALONE, "c": ALONE + 1, "d": ALONE + 2}
    found = matched(table, matching(["a", "b", "c", "d"], counts))
    assert {"a", "bc", "bd", "cd", "ab", "ad"} <= found
    assert found.isdisjoint({"b", "c", "d"})


def test_terms_that_are_all_common_match_in_pairs(table: sqlite3.Connection) -> None:
    counts = dict.fromkeys("abcd", ALONE + 1)
    found = matched(table, matching(["a", "b", "c"], counts))
    assert {"ab", "ac", "bc", "abc"} <= found and found.isdisjoint({"a", "b", "c", "ad"})


def test_term_that_is_alone_matches_however_common_it_is(table: sqlite3.Connection) -> None:
    assert "a" in matched(table, matching(["a"], {"a": 10 * ALONE}))


def test_facet_narrows_and_few_chunks_need_no_pairs(table: sqlite3.Connection) -> None:
    counts = {"a": 9 * ALONE, "b": 9 * ALONE, "d": 1}
    assert matched(table, matching(["a", "b"], counts, ["d"])) == {"ad", "bd", "abd", "acd", "bcd", "abcd"}
    assert "ad" not in matched(table, matching(["a", "b"], {**counts, "d": 9 * ALONE}, ["d"]))


def test_file_has_a_facet_for_each_folder_above_it() -> None:
    one, other = facets_of_file(1, "a/b/c.py", "python"), facets_of_file(1, "a/x.py", "python")
    assert len(one) == 5 and len(set(one) & set(other)) == 4
    assert len(facets_of_file(1, "Makefile", "make")) == 2
    assert all(facet.isalnum() for facet in one)
