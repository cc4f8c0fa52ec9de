"""The shared engine: one schema a project in a PostgreSQL database, for many machines that index and search at once.

- A chunk's terms are a `tsvector` under a GIN index: those of the path carry the weight A, those of symbols B, those of
  the text D. PostgreSQL has no BM25. `ts_rank` of one term grows with how often it stands there and flattens out as
  BM25's does, so the sum of them, each times the term's rarity, over the length, takes its place.
- How many chunks have a term, which PostgreSQL does not tell, is counted in `vocabulary`.
- Batches of one project wait for one another. Searches wait for nobody.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, LiteralString

from penstock.errors import MissingExtra, StoreError
from penstock.search import words
from penstock.search.contract import Batch, Candidate, Chunk, FileState, Filters, IndexedFile, Repository, Sought
from penstock.search.expression import matching

try:
    import psycopg
    from psycopg import sql
except ImportError as missing:
    raise MissingExtra("an index in PostgreSQL", "postgres") from missing

VERSION: Final = f"1/{words.VERSION}"
PREFIX: Final = "penstock_"
_LONGEST_NAME: Final = 63  # of an identifier

# Of a term so many places are kept in each field: more of them say little more.
_PLACES: Final = (("A", 2), ("B", 3), ("D", 8))
_TEXT_WEIGHTS: Final = "{0.25, 0, 0.75, 1}"  # of D, C, B and A
_LENGTH_SHARE: Final = 0.75  # how much longer chunks are held against their terms, as BM25's b
_FORGOTTEN: Final = "\N{REPLACEMENT CHARACTER}"  # in the place of NUL, which PostgreSQL's text cannot hold

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

_COLUMNS: Final[LiteralString] = "c.id, r.name, f.path, f.language, c.start_line, c.end_line, c.symbols, c.scope"
_TABLES: Final[LiteralString] = "chunks c JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository"


_FOUND: Final[LiteralString] = " FROM " + _TABLES + " WHERE "
_BY_TERMS: Final[LiteralString] = (
    "SELECT "
    + _COLUMNS
    + ", (({ranks}) / (%s + %s * c.length))::float8 AS score"
    + _FOUND
    + "c.terms @@ %s::tsquery{condition} ORDER BY score DESC, c.id LIMIT %s"
)
_BY_NAME: Final[LiteralString] = (
    "SELECT " + _COLUMNS + _FOUND + "c.names @> ARRAY[%s]{condition} ORDER BY c.id LIMIT %s"
)
_OF_FILES: Final[LiteralString] = (
    "FROM chunks c JOIN files f ON f.id = c.file WHERE f.repository = %s AND f.path = ANY(%s)"
)
_FORGET_TERMS: Final[LiteralString] = (
    "UPDATE vocabulary v SET chunks = v.chunks - gone.chunks "  # noqa: S608  # only constants of this module
    "FROM (SELECT term, count(*) AS chunks "
    "FROM (SELECT unnest(tsvector_to_array(c.terms)) AS term " + _OF_FILES + ") t GROUP BY term) gone "
    "WHERE v.term = gone.term"
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
        condition, values = _condition(filters)
        found: dict[int, Candidate] = {}
        if sought.terms:
            statement, given = self._by_terms(sought.terms, condition, values, most)
            for *row, score in self._rows(statement, *given):
                found[row[0]] = _candidate(row, score)
        for name in sought.names:
            for found_row in self._rows(_BY_NAME.format(condition=condition), name, *values, most):
                found.setdefault(found_row[0], _candidate(found_row, 0.0))
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
            _remove(connection, number, [*batch.removed, *(file.path for file in batch.files)])
            for path, state in batch.touched.items():
                connection.execute(
                    "UPDATE files SET size = %s, mtime_ns = %s WHERE repository = %s AND path = %s AND digest = %s",
                    (state.size, state.mtime_ns, number, path, state.digest),
                )
            _insert(connection, number, batch.files)

    def finish(self, repository: str, at: float) -> None:
        with self._writing() as connection:
            connection.execute("UPDATE repositories SET indexed_at = %s WHERE name = %s", (at, repository))

    def forget(self, repository: str) -> bool:
        with self._writing() as connection:
            found = connection.execute("SELECT id FROM repositories WHERE name = %s", (repository,)).fetchone()
            if found is not None:
                paths = connection.execute("SELECT path FROM files WHERE repository = %s", found).fetchall()
                _remove(connection, found[0], [path for (path,) in paths])
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
        given: list[Any] = []
        for term in terms:
            rarity = math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5))
            given += [rarity, _TEXT_WEIGHTS, f"'{term}'"]
        given += [1 - _LENGTH_SHARE, _LENGTH_SHARE * total / max(1, of_all), wanted, *values, most]
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

    def _rows(self, statement: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        with self._asking():
            return self._connection().execute(statement, values).fetchall()

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
                told = str(error).partition("\n")[0]
                raise StoreError(f"the index in PostgreSQL cannot be used: {told}") from error

    def _connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection, a new one where the last was lost."""
        if self._open is None or self._open.closed or self._open.broken:
            self._open = psycopg.connect(self._url, autocommit=True, connect_timeout=10, application_name="penstock")
            self._open.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(self._schema)))
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
        raise StoreError(f"the database cannot be used: {str(error).partition(chr(10))[0]}") from error
    return [str(name).removeprefix(PREFIX) for (name,) in rows]


def forgotten(url: str, project: str) -> bool:
    """Remove the schema of a project, of whichever version; whether there was one."""
    schema = schema_of(project)
    try:
        with psycopg.connect(url, connect_timeout=10, application_name="penstock") as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_of(schema),))
            found = connection.execute("SELECT to_regclass(%s)", (f'"{schema}".meta',)).fetchone()
            if found == (None,):
                return False
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
    except psycopg.Error as error:
        told = str(error).partition("\n")[0]
        raise StoreError(f"the project {project} cannot be removed from the database: {told}") from error
    return True


def _lock_of(schema: str) -> int:
    return int.from_bytes(hashlib.blake2b(schema.encode(), digest_size=8).digest(), "big", signed=True)


def _condition(filters: Filters) -> tuple[LiteralString, list[str]]:
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


def _candidate(row: Sequence[Any], score: float) -> Candidate:
    *before, symbols, scope = row
    return Candidate._make((*before, tuple(symbols), tuple(scope), score))


def _remove(connection: psycopg.Connection[tuple[Any, ...]], repository: int, paths: list[str]) -> None:
    which = (repository, paths)
    counted = connection.execute("SELECT count(*), coalesce(sum(c.length), 0) " + _OF_FILES, which).fetchone()
    if counted and counted[0]:
        connection.execute(_FORGET_TERMS, which)
        connection.execute("UPDATE totals SET chunks = chunks - %s, terms = terms - %s", counted)
    connection.execute("DELETE FROM files WHERE repository = %s AND path = ANY(%s)", which)


def _insert(connection: psycopg.Connection[tuple[Any, ...]], repository: int, files: Sequence[IndexedFile]) -> None:
    if not files:
        return
    numbers = {}
    for file in files:
        state = file.state
        row = connection.execute(
            "INSERT INTO files (repository, path, language, size, mtime_ns, digest) VALUES (%s, %s, %s, %s, %s, %s) "
            "RETURNING id",
            (repository, _clean(file.path), file.language, state.size, state.mtime_ns, state.digest),
        ).fetchone()
        numbers[file.path] = row and row[0]
    counts: Counter[str] = Counter()
    chunks = length = 0
    with (
        connection.cursor() as cursor,
        cursor.copy(
            "COPY chunks (file, start_line, end_line, symbols, scope, names, length, content, terms) FROM STDIN"
        ) as copy,
    ):
        for file in files:
            for chunk in file.chunks:
                vector, own, size = _vector(file.path, chunk)
                counts.update(own)
                chunks += 1
                length += size
                names = sorted({name.lower() for name in chunk.symbols})
                place = (numbers[file.path], chunk.start_line, chunk.end_line)
                copy.write_row(
                    (*place, list(chunk.symbols), list(chunk.scope), names, size, _clean(chunk.content), vector)
                )
    connection.execute(
        "INSERT INTO vocabulary SELECT * FROM unnest(%s::text[], %s::bigint[]) "
        "ON CONFLICT (term) DO UPDATE SET chunks = vocabulary.chunks + excluded.chunks",
        (list(counts), list(counts.values())),
    )
    connection.execute("UPDATE totals SET chunks = chunks + %s, terms = terms + %s", (chunks, length))


def _vector(path: str, chunk: Chunk) -> tuple[str, set[str], int]:
    """The text form of a chunk's tsvector, its terms, and how many there are of them, one by one."""
    fields = (words.terms(path), _all_terms((*chunk.symbols, *chunk.scope)), words.terms(chunk.content))
    places: dict[str, list[str]] = {}
    at = 0
    for terms, (weight, most) in zip(fields, _PLACES, strict=True):
        for term, times in Counter(terms).items():
            for _ in range(min(times, most)):
                at = min(at + 1, 16_383)  # further on there are no places
                places.setdefault(term, []).append(f"{at}{weight}")
    vector = " ".join(f"'{term}':{','.join(given)}" for term, given in places.items())
    return vector, set(places), len(fields[2])


def _all_terms(texts: Iterable[str]) -> list[str]:
    return [term for text in texts for term in words.terms(text)]


def _clean(text: str) -> str:
    return text.replace("\0", _FORGOTTEN)
