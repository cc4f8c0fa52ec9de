"""Rows of an index in PostgreSQL as candidates, and what narrows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from penstock.search.contract import Candidate, Filters

COLUMNS: Final[LiteralString] = "c.id, r.name, f.path, f.language, c.start_line, c.end_line, c.symbols, c.scope"
TABLES: Final[LiteralString] = "chunks c JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository"


def condition_of(filters: Filters) -> tuple[LiteralString, list[str]]:
    condition: LiteralString = ""
    values: list[str] = []
    if filters.repository is not None:
        condition += " AND r.name = %s"
        values.append(filters.repository)
    if filters.extension:
        condition += " AND lower(right(f.path, char_length(%s))) = lower(%s)"
        values += ["." + filters.extension] * 2
    if filters.language:
        condition += " AND f.language = %s"
        values.append(filters.language)
    if filters.directory:
        condition += " AND starts_with(f.path, %s)"
        values.append(filters.directory.strip("/") + "/")
    return condition, values


def candidate_of(row: Sequence[Any], score: float) -> Candidate:
    *before, symbols, scope = row
    return Candidate._make((*before, tuple(symbols), tuple(scope), score))
