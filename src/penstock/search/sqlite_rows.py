"""Rows of the embedded index as candidates, and what narrows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from penstock.search.contract import Candidate, Filters

SEPARATOR: Final = "\n"  # between names

TABLES: Final = "chunks c JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository"
COLUMNS: Final = "c.id, r.name, f.path, f.language, c.start_line, c.end_line, c.symbols, c.scope"


def candidate_of(row: Sequence[Any], bm25: float) -> Candidate:
    *before, symbols, scope = row
    return Candidate._make((*before, names_of(symbols), names_of(scope), bm25))


def names_of(text: str) -> tuple[str, ...]:
    return tuple(text.split(SEPARATOR)) if text else ()


def condition_of(filters: Filters) -> tuple[str, list[str]]:
    """What stands after WHERE, with its values."""
    parts, values = ["1"], []
    if filters.repository is not None:
        parts.append("r.name = ?")
        values.append(filters.repository)
    if filters.extension:
        parts.append("substr(f.path, -length(?)) = ? COLLATE NOCASE")
        values += ["." + filters.extension] * 2
    if filters.language:
        parts.append("f.language = ?")
        values.append(filters.language)
    if filters.directory:
        parts.append("substr(f.path, 1, length(?)) = ?")
        values += [filters.directory.rstrip("/") + "/"] * 2
    return " AND ".join(parts), values
