"""The vectors of an index in PostgreSQL: pgvector's half-precision numbers under an HNSW index.

The table is made for the length of a model's vectors, when the first of them comes, and anew for another model. Types
and operators are asked for in the schema that pgvector is in, which is anybody's: no table of ours is looked for there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final, LiteralString

from penstock.errors import StoreError
from penstock.search.contract import Candidate, Filters, Unembedded
from penstock.search.embedder import Vector, check_length, made_meanwhile
from penstock.search.postgres_rows import COLUMNS, TABLES, candidate_of, condition_of

if TYPE_CHECKING:
    import psycopg

_MODEL: Final = "embedder"  # its keys among the meta data
_SIZE: Final = "dimensions"
_MOST_INDEXED: Final = 4_000  # numbers of a vector; longer ones are compared one by one

_MISSING: Final[LiteralString] = (
    "SELECT c.id, f.path, c.symbols, c.scope, c.content FROM "  # noqa: S608  # constants
    + TABLES
    + " WHERE c.id > %s {condition}"
    "ORDER BY c.id LIMIT %s"
)
_WITHOUT: Final[LiteralString] = "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id) "
_ADD: Final[LiteralString] = (
    "INSERT INTO vectors (chunk, vector) SELECT given.chunk, given.vector::{pgvector}.halfvec "
    "FROM unnest(%s::bigint[], %s::text[]) AS given (chunk, vector) JOIN chunks c ON c.id = given.chunk "
    "ON CONFLICT (chunk) DO UPDATE SET vector = excluded.vector"
)
_NEAREST: Final[LiteralString] = (
    "SELECT "  # constants
    + COLUMNS
    + ", v.vector OPERATOR({pgvector}.<=>) %s::{pgvector}.halfvec AS distance "
    "FROM vectors v JOIN chunks c ON c.id = v.chunk "
    "JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository WHERE true{condition} "
    "ORDER BY distance LIMIT %s"
)
_EXTENSION: Final[LiteralString] = (
    "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    "WHERE e.extname = 'vector'"
)
_AVAILABLE: Final[LiteralString] = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
# The column goes where somebody drops pgvector with all that depends on it.
_TOLD: Final[LiteralString] = (
    "SELECT key, value FROM meta WHERE key IN (%s, %s) AND EXISTS (SELECT 1 FROM pg_attribute "
    "WHERE attrelid = to_regclass('vectors') AND attname = 'vector' AND NOT attisdropped)"
)
_TELL: Final[LiteralString] = (
    "INSERT INTO meta (key, value) VALUES (%s, %s), (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)

Ask = Callable[..., list[tuple[Any, ...]]]
Writing = Callable[[], "AbstractContextManager[psycopg.Connection[tuple[Any, ...]]]"]


class PostgresVectors:
    def __init__(self, ask: Ask, writing: Writing, model: str) -> None:
        self.model = model
        self._ask = ask
        self._writing = writing

    def missing(self, after: int, most: int) -> list[Unembedded]:
        condition = _WITHOUT if self._size() else ""
        rows = self._ask(_MISSING.format(condition=condition), after, most)
        return [
            Unembedded(at, path, tuple(symbols), tuple(scope), content) for at, path, symbols, scope, content in rows
        ]

    def add(self, vectors: Mapping[int, Vector], *, anew: bool = True) -> None:
        if not vectors:
            return
        size = len(next(iter(vectors.values())))
        with self._writing() as connection:
            if self._size() != size:
                if not anew:
                    raise StoreError(made_meanwhile(self.model))
                self._make(connection, size)
            add = _ADD.format(pgvector=self._pgvector()).encode()
            connection.execute(add, (list(vectors), [_text(vector) for vector in vectors.values()]))

    def nearest(self, vector: Vector, filters: Filters, most: int) -> list[Candidate]:
        size = self._size()
        if not size or not any(vector):
            return []
        check_length(self.model, len(vector), size)
        condition, values = condition_of(filters)
        nearest = _NEAREST.format(condition=condition, pgvector=self._pgvector()).encode()
        rows = self._ask(nearest, _text(vector), *values, most)
        # Those that point nowhere have no distance.
        rows = [row for row in rows if not math.isnan(row[-1])]
        # Equals in the order of their numbers: the index finds them in any.
        return [candidate_of(row[:-1], 0.0) for row in sorted(rows, key=lambda row: (row[-1], row[0]))]

    def _size(self) -> int:
        """How many numbers a vector of this model has; 0 where there are none of it."""
        told: dict[str, str] = dict(self._ask(_TOLD, _MODEL, _SIZE))
        return int(told[_SIZE]) if told.get(_MODEL) == self.model else 0

    def _pgvector(self) -> str:
        """The schema that it is in, as statements with values have it."""
        found = self._ask(_EXTENSION)
        if not found:
            raise StoreError("pgvector was removed from the database meanwhile")
        return str(found[0][0]).replace("%", "%%")

    def _make(self, connection: psycopg.Connection[tuple[Any, ...]], size: int) -> None:
        if not self._ask(_EXTENSION):
            if not self._ask(_AVAILABLE):
                raise StoreError(
                    "search by meaning needs pgvector, which this PostgreSQL server does not have installed"
                )
            # Two projects may come to it at once.
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('penstock: create extension vector'))")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        pgvector = self._pgvector()
        connection.execute("DROP TABLE IF EXISTS vectors")
        table = (
            f"CREATE TABLE vectors (chunk bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, "
            f"vector {pgvector}.halfvec({size:d}) NOT NULL)"
        )
        connection.execute(table.encode(), ())
        if size <= _MOST_INDEXED:
            index = f"CREATE INDEX vectors_nearest ON vectors USING hnsw (vector {pgvector}.halfvec_cosine_ops)"
            connection.execute(index.encode(), ())
        connection.execute(_TELL, (_MODEL, self.model, _SIZE, str(size)))


def _text(vector: Vector) -> str:
    return f"[{','.join(f'{number:.6g}' for number in vector)}]"
