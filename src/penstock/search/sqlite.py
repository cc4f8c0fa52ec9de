"""The embedded engine: one SQLite file a project, with FTS5 for the terms and a write-ahead log for many processes.

- The text stands once, in `chunks`. FTS5 keeps terms only (a contentless table), and has to be told them again to forget
  them; they are made again from the chunk. So what makes terms has a version, and another version is another index.
- `rank` counts a term in the path and in the symbols more than one in the text.
- Readers never wait for a writer. Writers wait for one another, a batch at a time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from penstock.errors import StoreError, StoreFull
from penstock.search import words
from penstock.search.chunks import Chunk
from penstock.search.contract import Batch, Candidate, FileState, Filters, IndexedFile, Repository, Sought

VERSION: Final = f"1/{words.VERSION}"

PATH_WEIGHT: Final = 4.0
SYMBOLS_WEIGHT: Final = 3.0

_PATIENCE: Final = 60.0  # a writer that waits for another one's batch
_CACHE_KB: Final = 32_000
_SEPARATOR: Final = "\n"

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS repositories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL, "
    "indexed_at REAL)",
    "CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, repository INTEGER NOT NULL, path TEXT NOT NULL, "
    "language TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, digest BLOB NOT NULL, "
    "UNIQUE (repository, path))",
    # Numbers are never given twice: a search that runs meanwhile must not take one chunk for another.
    "CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, "
    "start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, symbols TEXT NOT NULL, scope TEXT NOT NULL, "
    "content TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks (file, start_line)",
    "CREATE TABLE IF NOT EXISTS definitions (name TEXT NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (name, chunk)) "
    "WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS definitions_of_chunk ON definitions (chunk)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5(path, symbols, text, content='', "
    "tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co M*'\")",
    "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(terms, 'row')",
    f"INSERT INTO terms (terms, rank) VALUES ('rank', 'bm25({PATH_WEIGHT}, {SYMBOLS_WEIGHT}, 1.0)')",
)
_DROP: Final = ("vocabulary", "terms", "definitions", "chunks", "files", "repositories", "meta")

_COLUMNS: Final = (
    "c.id, r.name, f.path, f.language, c.start_line, c.end_line, c.content, c.symbols, c.scope "
    "FROM chunks c JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository"
)


class SqliteIndex:
    """Opens what is there; with `create`, makes what is not, and makes anew what another version left."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection = self._connect(create)
        self._counted: tuple[object, int, dict[str, int]] = (None, 0, {})

    @property
    def name(self) -> str:
        return self.path.name

    # -- questions -----------------------------------------------------------------------------------------------------

    def repositories(self) -> list[Repository]:
        rows = self._rows(
            "SELECT r.name, r.root, (SELECT count(*) FROM files f WHERE f.repository = r.id), "
            "(SELECT count(*) FROM chunks c JOIN files f ON f.id = c.file WHERE f.repository = r.id), r.indexed_at "
            "FROM repositories r ORDER BY r.name"
        )
        return [Repository(*row) for row in rows]

    def states(self, repository: str) -> dict[str, FileState]:
        rows = self._rows(
            "SELECT f.path, f.size, f.mtime_ns, f.digest FROM files f JOIN repositories r ON r.id = f.repository "
            "WHERE r.name = ?",
            repository,
        )
        return {path: FileState(size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        total, counts = self._counts(terms)
        return {term: counts[term] / max(1, total) for term in terms}

    def candidates(self, sought: Sought, filters: Filters, most: int) -> list[Candidate]:
        found: dict[int, Candidate] = {}
        condition, values = _condition(filters)
        if sought.terms:
            expression = self._expression(sought.terms)
            for *row, rank in self._rows(_BY_TERMS.format(condition=condition), expression, *values, most):
                found[row[0]] = _candidate(row, -rank)
        for name in sought.names:
            for row in self._rows(_BY_NAME.format(condition=condition), name, *values, most):
                found.setdefault(row[0], _candidate(row, 0.0))
        return list(found.values())

    def lines(self, repository: str, path: str, first: int, last: int) -> str:
        rows = self._rows(
            "SELECT c.start_line, c.content FROM chunks c JOIN files f ON f.id = c.file JOIN repositories r "
            "ON r.id = f.repository WHERE r.name = ? AND f.path = ? AND c.start_line <= ? AND c.end_line >= ? "
            "ORDER BY c.start_line",
            repository,
            path,
            last,
            first,
        )
        kept = []
        for start, content in rows:
            within = content.split("\n")
            ends = [*(line + "\n" for line in within[:-1]), within[-1]]
            kept += [line for number, line in enumerate(ends, start) if first <= number <= last]
        return "".join(kept)

    # -- changes -------------------------------------------------------------------------------------------------------

    def begin(self, repository: str, root: str) -> None:
        with self._transaction():
            self._execute(
                "INSERT INTO repositories (name, root) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET root = excluded.root",
                repository,
                root,
            )

    def write(self, repository: str, batch: Batch) -> None:
        with self._transaction():
            number = self._number(repository)
            for path in batch.removed:
                self._remove(number, path)
            for path, state in batch.touched.items():
                self._execute(
                    "UPDATE files SET size = ?, mtime_ns = ? WHERE repository = ? AND path = ? AND digest = ?",
                    state.size,
                    state.mtime_ns,
                    number,
                    path,
                    state.digest,
                )
            for file in batch.files:
                self._remove(number, file.path)
                self._insert(number, file)

    def finish(self, repository: str, at: float) -> None:
        with self._transaction():
            self._execute("UPDATE repositories SET indexed_at = ? WHERE name = ?", at, repository)

    def forget(self, repository: str) -> bool:
        with self._transaction():
            found = self._rows("SELECT id FROM repositories WHERE name = ?", repository)
            for (number,) in found:
                for (path,) in self._rows("SELECT path FROM files WHERE repository = ?", number):
                    self._remove(number, path)
                self._execute("DELETE FROM repositories WHERE id = ?", number)
        return bool(found)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _number(self, repository: str) -> int:
        rows = self._rows("SELECT id FROM repositories WHERE name = ?", repository)
        if not rows:
            raise StoreError(f"the repository {repository!r} was removed from {self.path} meanwhile")
        return int(rows[0][0])

    def _insert(self, repository: int, file: IndexedFile) -> None:
        state = file.state
        cursor = self._execute(
            "INSERT INTO files (repository, path, language, size, mtime_ns, digest) VALUES (?, ?, ?, ?, ?, ?)",
            *(repository, file.path, file.language, state.size, state.mtime_ns, state.digest),
        )
        number = cursor.lastrowid
        for chunk in file.chunks:
            cursor = self._execute(
                "INSERT INTO chunks (file, start_line, end_line, symbols, scope, content) VALUES (?, ?, ?, ?, ?, ?)",
                *(number, chunk.start_line, chunk.end_line),
                *(_SEPARATOR.join(chunk.symbols), _SEPARATOR.join(chunk.scope), chunk.content),
            )
            at = cursor.lastrowid
            self._execute("INSERT INTO terms (rowid, path, symbols, text) VALUES (?, ?, ?, ?)", at, *_terms(file.path, chunk))
            self._connection.executemany(
                "INSERT OR IGNORE INTO definitions (name, chunk) VALUES (?, ?)",
                [(name.lower(), at) for name in chunk.symbols],
            )

    def _remove(self, repository: int, path: str) -> None:
        rows = self._rows("SELECT id FROM files WHERE repository = ? AND path = ?", repository, path)
        for (file,) in rows:
            chunks = self._rows("SELECT id, start_line, end_line, content, symbols, scope FROM chunks WHERE file = ?", file)
            for at, start, end, content, symbols, scope in chunks:
                chunk = Chunk(start, end, content, _names(symbols), _names(scope))
                self._execute(
                    "INSERT INTO terms (terms, rowid, path, symbols, text) VALUES ('delete', ?, ?, ?, ?)",
                    at,
                    *_terms(path, chunk),
                )
                self._execute("DELETE FROM definitions WHERE chunk = ?", at)
            self._execute("DELETE FROM chunks WHERE file = ?", file)
            self._execute("DELETE FROM files WHERE id = ?", file)

    def _expression(self, terms: Sequence[str]) -> str:
        """Any of the terms, the rarest first, until so many chunks would be looked at that it takes too long."""
        _, counts = self._counts(terms)
        taken: list[str] = []
        looked_at = 0
        for term in terms:
            if taken and looked_at + counts[term] > MOST_LOOKED_AT:
                break
            taken.append(f'"{term}"')
            looked_at += counts[term]
        if looked_at > MOST_LOOKED_AT and len(terms) > 1:
            return f'"{terms[0]}" AND "{terms[1]}"'
        return " OR ".join(taken)

    def _counts(self, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """All chunks, and those with each term; remembered until something is written."""
        with self._lock:
            state = (self._rows("PRAGMA data_version"), self._connection.total_changes)
            if self._counted[0] != state:
                self._counted = (state, self._rows("SELECT count(*) FROM terms_docsize")[0][0], {})
            _, total, known = self._counted
            for term in terms:
                if term not in known:
                    rows = self._rows("SELECT doc FROM vocabulary WHERE term = ?", term)
                    known[term] = rows[0][0] if rows else 0
            return total, known

    def _connect(self, create: bool) -> sqlite3.Connection:
        new = not self.path.exists()
        if new and not create:
            raise StoreError(f"there is no index {self.path}")
        if new:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            if new:
                self.path.chmod(0o600)
            self._connection = connection
            self._prepare(create)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, create: bool) -> None:
        if self._rows("PRAGMA journal_mode") != [("wal",)]:
            self._execute("PRAGMA journal_mode = WAL")
        self._execute("PRAGMA synchronous = NORMAL")
        self._execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        found = self._version()
        if found == VERSION:
            return
        if not create:
            raise StoreError(f"the index {self.path} was made by another version of Penstock: index the project again")
        with self._transaction():
            if self._version() != VERSION:  # another process was faster
                for table in _DROP:
                    self._execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _SCHEMA:
                    self._execute(statement)
                self._execute("INSERT INTO meta VALUES ('version', ?)", VERSION)

    def _version(self) -> str | None:
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'meta'"):
            return None
        rows = self._rows("SELECT value FROM meta WHERE key = 'version'")
        return rows[0][0] if rows else None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self._execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._execute(statement, *values).fetchall()

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Some waits SQLite ends at once, whatever its timeout: for the switch to WAL, for a last close."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if code == sqlite3.SQLITE_BUSY and time.monotonic() < until:
                    time.sleep(0.005)
                    continue
                if code == sqlite3.SQLITE_FULL:
                    raise StoreFull("the disk") from error
                raise StoreError(f"the index {self.path} cannot be used: {error}") from error


# A query of common words alone would look at every chunk there is.
MOST_LOOKED_AT: Final = 20_000

_BY_TERMS: Final = (
    f"SELECT {_COLUMNS.replace(' FROM', ', t.rank FROM', 1)} JOIN terms t ON t.rowid = c.id "
    "WHERE t.terms MATCH ?{condition} ORDER BY t.rank LIMIT ?"
)
_BY_NAME: Final = f"SELECT {_COLUMNS} JOIN definitions d ON d.chunk = c.id WHERE d.name = ?{{condition}} LIMIT ?"


def _condition(filters: Filters) -> tuple[str, list[str]]:
    condition, values = "", []
    if filters.repository is not None:
        condition += " AND r.name = ?"
        values.append(filters.repository)
    if filters.extension:
        condition += " AND f.path LIKE ? ESCAPE '\\'"
        values.append("%." + _escaped(filters.extension.removeprefix(".")))
    directory = (filters.directory or "").strip("/")
    if directory and directory != ".":
        condition += " AND f.path LIKE ? ESCAPE '\\'"
        values.append(_escaped(directory.removeprefix("./")) + "/%")
    return condition, values


def _escaped(text: str) -> str:
    return "".join("\\" + c if c in "\\%_" else c for c in text)


def _candidate(row: Sequence[Any], bm25: float) -> Candidate:
    *before, symbols, scope = row
    return Candidate(*before, _names(symbols), _names(scope), bm25)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(_SEPARATOR)) if text else ()


def _terms(path: str, chunk: Chunk) -> tuple[str, str, str]:
    return _joined((path,)), _joined((*chunk.symbols, *chunk.scope)), _joined((chunk.content,))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(term for text in texts for term in words.terms(text))
