"""The shared engine: one schema a project in a PostgreSQL database, for many machines that index and search at once.

- A chunk's terms are a `tsvector` under a GIN index: those of the path carry the weight A, those of symbols B, those of
  the text D. PostgreSQL has no BM25. `ts_rank` of one term grows with how often it stands there and flattens out much
  as BM25's does: the sum of them, each times the term's rarity, over the length, chooses the candidates. BM25 itself
  is worked out for those alone, as it asks how often each term stands in them.
- How many chunks have a term, which PostgreSQL does not tell, is counted in `vocabulary`.
- Batches of one project wait for one another. Searches wait for nobody.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, LiteralString

from penstock.errors import MissingExtra, StoreError
from penstock.search import words
from penstock.search.contract import (
    Batch,
    Candidate,
    Chunk,
    FileState,
    Filters,
    IndexedFile,
    Repository,
    Sought,
    Vectors,
)
from penstock.search.expression import matching
from penstock.search.postgres_batch import insert, remove
from penstock.search.postgres_rows import COLUMNS, TABLES, candidate_of, condition_of
from penstock.search.postgres_vectors import PostgresVectors

try:
    import psycopg
    from psycopg import sql
except ImportError as missing:
    raise MissingExtra("an index in PostgreSQL", "postgres") from missing

VERSION: Final = f"2/{words.VERSION}"
PREFIX: Final = "penstock_"
_LONGEST_NAME: Final = 63  # of an identifier

_TEXT_WEIGHTS: Final = "{0.25, 0, 0.75, 1}"  # of D, C, B and A
_LENGTH_SHARE: Final = 0.75  # how much longer chunks are held against their terms, as BM25's b

_SCHEMA: Final[tuple[LiteralString, ...]] = (
    "CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL)",
    "CREATE TABLE totals (chunks bigint NOT NULL, terms bigint NOT NULL)",
    "INSERT INTO totals VALUES (0, 0)",
    "CREATE TABLE repositories (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, "
    "root text NOT NULL, indexed_at double precision)",
    "CREATE TABLE files (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, repository int NOT NULL "
    "REFERENCES repositories ON DELETE CASCADE, path text NOT NULL, language text NOT NULL, size bigint NOT NULL, "
    "mtime_ns bigint NOT NULL, digest bytea NOT NULL, UNIQUE (repository, path))",
    "CREATE TABLE chunks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, file bigint NOT NULL "
    "REFERENCES files ON DELETE CASCADE, start_line int NOT NULL, end_line int NOT NULL, symbols text[] NOT NULL, "
    "scope text[] NOT NULL, names text[] NOT NULL, length int NOT NULL, content text NOT NULL, "
    "terms tsvector NOT NULL)",
    "CREATE INDEX chunks_of_file ON chunks (file, start_line)",
    "CREATE INDEX chunks_by_term ON chunks USING gin (terms) WITH (fastupdate = off)",
    "CREATE INDEX chunks_by_name ON chunks USING gin (names) WITH (fastupdate = off)",
    "CREATE TABLE vocabulary (term text PRIMARY KEY, chunks bigint NOT NULL)",
)


_FOUND: Final[LiteralString] = " FROM " + TABLES + " WHERE "
_BEST: Final[LiteralString] = (
    "SELECT c.id"
    + _FOUND
    + "c.terms @@ %s::tsquery{condition} ORDER BY ({ranks}) / (%s + %s * c.length) DESC, c.id LIMIT %s"
)
# A term in the path or in the symbols counts more than one in the text: as much as in the embedded index.
_TIMES: Final[LiteralString] = (
    "SELECT asked.rarity, 4 * cardinality(array_positions(had.weights, 'A')) "
    "+ 3 * cardinality(array_positions(had.weights, 'B')) + cardinality(array_positions(had.weights, 'D')) AS times "
    "FROM unnest(c.terms) had JOIN unnest(%s::text[], %s::float8[]) asked (term, rarity) ON asked.term = had.lexeme"
)
_BY_TERMS: Final[LiteralString] = (
    "SELECT "  # noqa: S608  # constants of this module
    + COLUMNS
    + ", coalesce(b.score, 0) AS score FROM "
    + TABLES
    + " JOIN ("
    + _BEST
    + ") best ON best.id = c.id CROSS JOIN LATERAL "
    + "(SELECT sum(t.rarity * t.times * 2.2 / (t.times + 1.2 * (%s + %s * c.length)))::float8 AS score FROM ("
    + _TIMES
    + ") t) b ORDER BY score DESC, c.id"
)
_BY_NAME: Final[LiteralString] = "SELECT " + COLUMNS + _FOUND + "c.names @> ARRAY[%s]{condition} ORDER BY c.id LIMIT %s"
# Only our own schema is looked into: when it is gone, no table of this name in another one takes its place. Filters do
# not thin out what pgvector's index finds.
_SESSION: Final[LiteralString] = (
    "SELECT set_config('hnsw.iterative_scan', 'strict_order', false), set_config('hnsw.ef_search', '200', false), "
    "set_config('search_path', quote_ident(%s), false)"
)


class PostgresIndex:
    """Opens what is there; with `create`, makes what is not, and makes anew what another version left."""

    def __init__(self, url: str, project: str, *, create: bool = False) -> None:
        self._url = url
        self._schema = schema_of(project)
        self._lock = threading.RLock()
        self._open: psycopg.Connection[tuple[Any, ...]] | None = None
        with self._asking():
            try:
                self._prepare(create)
                self._database = str(self._connection().info.dbname)
            except BaseException:
                self.close()
                raise

    @property
    def name(self) -> str:
        return f"{self._database}.{self._schema}"

    # -- questions -----------------------------------------------------------------------------------------------------

    def repositories(self) -> list[Repository]:
        rows = self._rows(
            "SELECT r.name, r.root, (SELECT count(*) FROM files f WHERE f.repository = r.id), "
            "(SELECT count(*) FROM chunks c JOIN files f ON f.id = c.file WHERE f.repository = r.id), r.indexed_at "
            "FROM repositories r ORDER BY r.name"
        )
        return [Repository(*row) for row in rows]

    def names(self) -> list[str]:
        return [name for (name,) in self._rows("SELECT name FROM repositories ORDER BY name")]

    def states(self, repository: str) -> dict[str, FileState]:
        rows = self._rows(
            "SELECT f.path, f.size, f.mtime_ns, f.digest FROM files f JOIN repositories r ON r.id = f.repository "
            "WHERE r.name = %s",
            repository,
        )
        return {path: FileState(size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        total, _, counts = self._counts(terms)
        return {term: counts[term] / max(1, total) for term in terms}

    def candidates(self, sought: Sought, filters: Filters, most: int) -> list[Candidate]:
        condition, values = condition_of(filters)
        found: dict[int, Candidate] = {}
        if sought.terms:
            statement, given = self._by_terms(sought.terms, condition, values, most)
            for *row, score in self._rows(statement, *given):
                found[row[0]] = candidate_of(row, score)
        for name in sought.names:
            for found_row in self._rows(_BY_NAME.format(condition=condition), name, *values, most):
                found.setdefault(found_row[0], candidate_of(found_row, 0.0))
        return list(found.values())

    def contents(self, chunks: Sequence[int]) -> dict[int, str]:
        return dict(self._rows("SELECT id, content FROM chunks WHERE id = ANY(%s)", list(chunks)))

    def lines(self, repository: str, path: str, first: int, last: int) -> str:
        rows = self._rows(
            "SELECT c.start_line, c.content FROM chunks c JOIN files f ON f.id = c.file JOIN repositories r "
            "ON r.id = f.repository WHERE r.name = %s AND f.path = %s AND c.start_line <= %s AND c.end_line >= %s "
            "ORDER BY c.start_line",
            *(repository, path, last, first),
        )
        kept = []
        for start, content in rows:
            within = content.split("\n")
            ends = [*(line + "\n" for line in within[:-1]), within[-1]]
            kept += [line for number, line in enumerate(ends, start) if first <= number <= last]
        return "".join(kept)

    def files(self, repository: str) -> Iterator[IndexedFile]:
        """All that is indexed of a repository, file by file, in the order of their paths."""
        rows = self._rows(
            "SELECT f.id, f.path, f.language, f.size, f.mtime_ns, f.digest FROM files f JOIN repositories r "
            "ON r.id = f.repository WHERE r.name = %s ORDER BY f.path",
            repository,
        )
        for number, path, language, *state in rows:
            chunks = self._rows(
                "SELECT start_line, end_line, content, symbols, scope FROM chunks WHERE file = %s "
                "ORDER BY start_line, id",
                number,
            )
            cut = [Chunk(start, end, text, tuple(names), tuple(scope)) for start, end, text, names, scope in chunks]
            yield IndexedFile(path, language, FileState(*state), cut)

    def vectors(self, model: str) -> Vectors:
        return PostgresVectors(self._rows, self._writing, model)

    # -- changes -------------------------------------------------------------------------------------------------------

    def begin(self, repository: str, root: str) -> None:
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO repositories (name, root) VALUES (%s, %s) "
                "ON CONFLICT (name) DO UPDATE SET root = excluded.root",
                (repository, root),
            )

    def write(self, repository: str, batch: Batch) -> None:
        with self._writing() as connection:
            found = connection.execute("SELECT id FROM repositories WHERE name = %s", (repository,)).fetchone()
            if found is None:
                raise StoreError(f"the repository {repository!r} was removed from {self.name} meanwhile")
            number = found[0]
            remove(connection, number, [*batch.removed, *(file.path for file in batch.files)])
            for path, state in batch.touched.items():
                connection.execute(
                    "UPDATE files SET size = %s, mtime_ns = %s WHERE repository = %s AND path = %s AND digest = %s",
                    (state.size, state.mtime_ns, number, path, state.digest),
                )
            insert(connection, number, batch.files)

    def finish(self, repository: str, at: float) -> None:
        with self._writing() as connection:
            connection.execute("UPDATE repositories SET indexed_at = %s WHERE name = %s", (at, repository))

    def forget(self, repository: str) -> bool:
        with self._writing() as connection:
            found = connection.execute("SELECT id FROM repositories WHERE name = %s", (repository,)).fetchone()
            if found is not None:
                paths = connection.execute("SELECT path FROM files WHERE repository = %s", found).fetchall()
                remove(connection, found[0], [path for (path,) in paths])
                connection.execute("DELETE FROM repositories WHERE id = %s", found)
        return found is not None

    def is_there(self) -> bool:
        """Whether it was not removed since it was opened."""
        return self._version() is not None

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _by_terms(
        self, terms: Sequence[str], condition: LiteralString, values: list[str], most: int
    ) -> tuple[LiteralString, list[Any]]:
        total, of_all, counts = self._counts(terms)
        wanted = matching(terms, counts).replace('"', "'").replace(" OR ", " | ").replace(" AND ", " & ")
        ranks = " + ".join(["%s * ts_rank(%s, c.terms, %s::tsquery)"] * len(terms))
        statement = _BY_TERMS.format(ranks=ranks, condition=condition)
        rarity = {term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5)) for term in terms}
        length = [1 - _LENGTH_SHARE, _LENGTH_SHARE * total / max(1, of_all)]
        given: list[Any] = [wanted, *values]
        for term in terms:
            given += [rarity[term], _TEXT_WEIGHTS, f"'{term}'"]
        given += [*length, most, *length, list(rarity), list(rarity.values())]
        return statement, given

    def _counts(self, terms: Sequence[str]) -> tuple[int, int, dict[str, int]]:
        """All chunks, all their terms, and the chunks with each of these terms."""
        ((chunks, of_all),) = self._rows("SELECT chunks, terms FROM totals")
        known = dict(self._rows("SELECT term, chunks FROM vocabulary WHERE term = ANY(%s)", list(terms)))
        return chunks, of_all, {term: known.get(term, 0) for term in terms}

    def _prepare(self, create: bool) -> None:
        if self._version() == VERSION:
            return
        if not create:
            there = "was made by another version of Penstock: index the project again"
            raise StoreError(f"the index {self._schema} {there if self._version() else 'is not there'}")
        with self._writing() as connection:
            if self._version() != VERSION:  # unless another process was faster
                connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(self._schema)))
                connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))
                for statement in _SCHEMA:
                    connection.execute(statement)
                connection.execute("INSERT INTO meta VALUES ('version', %s)", (VERSION,))

    def _version(self) -> str | None:
        if self._rows("SELECT to_regclass(%s)", f'"{self._schema}".meta') == [(None,)]:
            return None
        rows = self._rows("SELECT value FROM meta WHERE key = 'version'")
        return rows[0][0] if rows else None

    def _rows(self, statement: LiteralString | bytes, *values: Any) -> list[tuple[Any, ...]]:
        with self._asking():
            connection = self._connection()
            try:
                return connection.execute(statement, values).fetchall()
            except psycopg.errors.DeadlockDetected:
                # With whoever removes a table just now, and is done when this one has given way.
                if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                    raise
                return connection.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A transaction that no other one of this project runs beside."""
        with self._asking(), (connection := self._connection()).transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_of(self._schema),))
            yield connection

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except psycopg.errors.UndefinedTable as error:
                raise StoreError(f"the index {self._schema} was removed meanwhile") from error
            except psycopg.Error as error:
                raise StoreError(f"the index in PostgreSQL cannot be used: {_told(error, self._url)}") from error

    def _connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection, a new one where the last was lost."""
        if self._open is None or self._open.closed or self._open.broken:
            self._open = psycopg.connect(self._url, autocommit=True, connect_timeout=10, application_name="penstock")
            self._open.execute(_SESSION, (self._schema,))
        return self._open


def schema_of(project: str) -> str:
    """The schema of a project. A long name has its end replaced, since PostgreSQL would cut it."""
    name = PREFIX + project
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.blake2b(project.encode(), digest_size=6).hexdigest()
    return f"{name[: _LONGEST_NAME - len(digest) - 1]}-{digest}"


def name_in_list(project: str) -> str:
    """The name by which `projects_in` tells a project."""
    return schema_of(project).removeprefix(PREFIX)


def projects_in(url: str) -> list[str]:
    """The projects that a database has indexes of, as far as their names tell."""
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            rows = connection.execute(
                "SELECT n.nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta' "
                "WHERE starts_with(n.nspname, %s) ORDER BY 1",
                (PREFIX,),
            ).fetchall()
    except psycopg.Error as error:
        raise StoreError(f"the database cannot be used: {_told(error, url)}") from error
    return [str(name).removeprefix(PREFIX) for (name,) in rows]


def forgotten(url: str, project: str) -> bool:
    """Remove the schema of a project, of whichever version; whether there was one."""
    schema = schema_of(project)
    try:
        try:
            return _dropped(url, schema)
        except psycopg.errors.DeadlockDetected:  # with a search, which has had its way by now
            return _dropped(url, schema)
    except psycopg.Error as error:
        told = _told(error, url)
        raise StoreError(f"the project {project} cannot be removed from the database: {told}") from error


def _dropped(url: str, schema: str) -> bool:
    with psycopg.connect(url, connect_timeout=10, application_name="penstock") as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_of(schema),))
        found = connection.execute("SELECT to_regclass(%s)", (f'"{schema}".meta',)).fetchone()
        if found == (None,):
            return False
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
    return True


def _told(error: psycopg.Error, url: str) -> str:
    """In one line. What says that an address cannot be understood repeats it, with the password."""
    return str(error).replace(url, "the address").partition("\n")[0]


def _lock_of(schema: str) -> int:
    return int.from_bytes(hashlib.blake2b(schema.encode(), digest_size=8).digest(), "big", signed=True)
