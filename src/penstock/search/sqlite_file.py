"""The SQLite file of an embedded index: opened, brought to the present schema, asked.

FTS5 keeps terms only, in a contentless table. It has to be told them again to forget them, so what makes terms has a
version, and an index of another version is made anew.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from penstock.errors import StoreError, StoreFull
from penstock.search import words

VERSION: Final = f"2/{words.VERSION}"

PATIENCE: Final = 60.0  # of a writer that waits for another one's batch
_CACHE_KB: Final = 32_000

_SCHEMA: Final = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE repositories (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL, "
    "indexed_at REAL)",
    "CREATE TABLE files (id INTEGER PRIMARY KEY, repository INTEGER NOT NULL, path TEXT NOT NULL, "
    "language TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, digest BLOB NOT NULL, "
    "UNIQUE (repository, path))",
    # Numbers are never given twice: a search that runs meanwhile must not take one chunk for another.
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, start_line INTEGER NOT NULL, "
    "end_line INTEGER NOT NULL, symbols TEXT NOT NULL, scope TEXT NOT NULL, content TEXT NOT NULL)",
    "CREATE INDEX chunks_of_file ON chunks (file, start_line)",
    "CREATE TABLE definitions (name TEXT NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (name, chunk)) WITHOUT ROWID",
    "CREATE INDEX definitions_of_chunk ON definitions (chunk)",
    "CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL)",
    "CREATE VIRTUAL TABLE terms USING fts5(path, symbols, place, text, content='', "
    "tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* Co M*'\")",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(terms, 'row')",
    # A term in the path or in the symbols counts more than one in the text; `place` only narrows.
    "INSERT INTO terms (terms, rank) VALUES ('rank', 'bm25(4.0, 3.0, 0.0, 1.0)')",
)
_TABLES: Final = ("vocabulary", "terms", "vectors", "definitions", "chunks", "files", "repositories", "meta")


class SqliteFile:
    """One connection, for all threads in turn. `create` makes what is not there, and anew what another version left."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self._lock = threading.RLock()
        try:
            new = not path.exists()
            if new and create:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the index {path} cannot be opened: {error.strerror}") from error
        if new and not create:
            raise StoreError(f"there is no index {path}")
        try:
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise StoreError(f"the index {path} cannot be opened: {error}") from error
        try:
            if new:
                path.chmod(0o600)
            self._identity = _identity(path)
            self._prepare(create)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def state(self) -> object:
        """Another one after every change, by whichever process."""
        with self._lock:
            return self.rows("PRAGMA data_version"), self._connection.total_changes

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return [row for some in self.batches(statement, *values) for row in some]

    def batches(self, statement: str, *values: object, most: int = 4_096) -> Iterator[list[tuple[Any, ...]]]:
        """The rows, some at a time, as they were when the first were asked for. Other threads wait for the last."""
        with self._lock:
            cursor = self.execute(statement, *values)
            while some := self._fetched(cursor, most):
                yield some

    def _fetched(self, cursor: sqlite3.Cursor, most: int) -> list[tuple[Any, ...]]:
        try:
            return cursor.fetchmany(most)
        except sqlite3.Error as error:  # as where a page in the middle is damaged
            raise self._blamed(error) from error

    def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Some waits SQLite ends at once, whatever its timeout: for the switch to WAL, for a last close."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.Error as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise self._blamed(error) from error
                time.sleep(0.005)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                self._check_there()
                yield
                self.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _blamed(self, error: sqlite3.Error) -> StoreError:
        self._check_there()
        if _code(error) == sqlite3.SQLITE_FULL:
            return StoreFull("the disk")
        if _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return StoreError(f"the index {self.path} is damaged: delete it and index the project again")
        return StoreError(f"the index {self.path} cannot be used: {error}")

    def _check_there(self) -> None:
        """A file that was deleted takes what is written to it, and nobody ever finds it."""
        if _identity(self.path) != self._identity:
            raise StoreError(f"the index {self.path} was removed meanwhile")

    def _prepare(self, create: bool) -> None:
        if self.rows("PRAGMA journal_mode") != [("wal",)]:
            self.execute("PRAGMA journal_mode = WAL")
        # A power loss may take the last batches, which the next run indexes again.
        self.execute("PRAGMA synchronous = NORMAL")
        self.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        if self._version() == VERSION:
            return
        if not create:
            there = "was made by another version of Penstock: index the project again"
            raise StoreError(f"the index {self.path} {there if self._version() else 'is not ready yet'}")
        with self.transaction():
            if self._version() != VERSION:  # unless another process was faster
                for table in _TABLES:
                    self.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _SCHEMA:
                    self.execute(statement)
                self.execute("INSERT INTO meta VALUES ('version', ?)", VERSION)

    def _version(self) -> str | None:
        if not self.rows("SELECT 1 FROM sqlite_master WHERE name = 'meta'"):
            return None
        rows = self.rows("SELECT value FROM meta WHERE key = 'version'")
        return rows[0][0] if rows else None


def delete_file(path: Path) -> None:
    """Delete it after what SQLite keeps beside it: once it is gone these names may be another index's."""
    for ending in ("-wal", "-shm", ""):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Of the file that has this name."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
