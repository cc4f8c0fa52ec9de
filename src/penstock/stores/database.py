"""The SQLite file of the disk store's index: opened, checked to be ours, moved aside, made anew.

- A result is there when its row is committed. A file without a row is not acknowledged.
- The index can be lost: everything in it can be told from the files, except what it remembers of deleted results.
- Somebody may delete or replace the file at any time, so each use looks at what is at the path now.

Other parts of Penstock have tables of their own in the same file. The file is never opened except by SQLite: to close
any other descriptor of it would drop the locks of every connection of this process.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from penstock.errors import StoreError, StoreFull
from penstock.stores.files import INDEX
from penstock.stores.locks import PATIENCE

Durability = Literal["full", "normal", "none"]

_VERSION = "1"
_PATIENCE_ALONE = 1.0  # seconds for all others to close theirs, which they may not do at all
_ASIDE = ".damaged-"
_DAMAGED_COPIES = 2
_SUFFIXES = ("", "-wal", "-shm")

_TABLES = """
CREATE TABLE IF NOT EXISTS store_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    id INTEGER PRIMARY KEY,
    handle TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    size INTEGER NOT NULL,
    newlines INTEGER NOT NULL,
    media TEXT NOT NULL,
    tool TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    kept_at REAL NOT NULL,
    prefixes BLOB NOT NULL,
    counts BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS results_by_age ON results (kept_at, id, size);
CREATE TABLE IF NOT EXISTS gone (
    handle TEXT PRIMARY KEY,
    digest BLOB NOT NULL,
    media TEXT NOT NULL,
    tool TEXT NOT NULL,
    name TEXT NOT NULL,
    gone_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS gone_by_age ON gone (gone_at);
CREATE INDEX IF NOT EXISTS gone_by_name ON gone (name);
"""

# Asked at each opening: it fails when the tables are not ours, without reading a row.
_PROBE = (
    "SELECT id, handle, digest, size, newlines, media, tool, name, kept_at, prefixes, counts FROM results LIMIT 0",
    "SELECT handle, digest, media, tool, name, gone_at FROM gone LIMIT 0",
)

_SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL", "none": "OFF"}

Identity = tuple[int, int]


class Unusable(Exception):
    """The index is missing, not finished, or not an index: it has to be made from the files."""

    def __init__(self, why: str, *, rubbish: bool) -> None:
        super().__init__(why)
        self.rubbish = rubbish  # what is there has to be moved out of the way first


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary code; 0 for what Python's own part of the module raised."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_rubbish(error: sqlite3.Error) -> bool:
    """Whether a question says that the file is no database, or not a whole one."""
    return code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_unfit(error: sqlite3.Error) -> bool:
    """Whether our tables cannot be made in this file, although there is room and nobody is in the way."""
    return is_rubbish(error) or code_of(error) in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY)


def store_error(doing: str, error: sqlite3.Error) -> StoreError:
    if code_of(error) == sqlite3.SQLITE_FULL:
        return StoreFull("the disk")
    return StoreError(f"{doing} failed: the index says {str(error)!r}")


class Database:
    """Not safe for threads: the store has the lock."""

    def __init__(self, directory: Path, durability: Durability) -> None:
        self.path = directory / INDEX
        self.writable = False
        self.lasting = True  # whether the connection may stay open until the next use
        self.identity: Identity | None = None  # of the file that the connection has open
        self._directory = directory
        self._durability = durability
        self._connection: sqlite3.Connection | None = None
        self._closing: weakref.finalize[[], Database] | None = None
        self._patience = PATIENCE

    # -- the connection

    def refresh(self) -> None:
        """Connects to the file that is at the path now. Raises FileNotFoundError where there is none, and Unusable."""
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            self.close()
            raise
        identity = found.st_dev, found.st_ino
        if identity == self.identity:
            return
        self.close()
        if not stat.S_ISREG(found.st_mode):
            raise Unusable("it is not a regular file", rubbish=True)
        try:
            self._connect_and_probe()
        except sqlite3.DatabaseError as error:
            self.close()
            if is_unfit(error):
                raise Unusable(str(error), rubbish=True) from error
            raise
        except (Unusable, StoreError):
            self.close()
            raise
        self.identity = identity

    def _connect_and_probe(self) -> None:
        """Twice, if need be: one failed read can make an index look like rubbish, and it would be thrown away."""
        try:
            self._connect()
            self._probe()
        except (sqlite3.DatabaseError, Unusable) as error:
            self._connect(alone=isinstance(error, sqlite3.Error) and code_of(error) == sqlite3.SQLITE_IOERR)
            self._probe()

    def wrong(self) -> str | None:
        """What makes this index unusable, after a thorough look. Under the lock between processes."""
        try:
            with self.transaction():
                self._execute("UPDATE store_meta SET value = value")  # a transaction begins on a read-only file as well
                verdict = self._value("PRAGMA integrity_check(1)")
        except sqlite3.DatabaseError as error:
            if not is_unfit(error):
                raise
            return str(error)
        return None if verdict == "ok" else str(verdict)

    def _connect(self, *, alone: bool = False) -> None:
        """With `alone`, other processes are kept out, and so SQLite needs no file to share its state with them: that
        file takes 32 KB, and on a full disk a store must be read and swept without.
        """
        self.close()
        self._patience = _PATIENCE_ALONE if alone else PATIENCE
        self._connection = self._open("mode=rw")  # SQLite must not create it: it would be readable by others
        self.writable = os.access(self._directory, os.W_OK) and os.access(self.path, os.W_OK)
        self.lasting = self.writable and not alone
        if not self.writable:
            self._connect_read_only()
            return
        if alone:
            self._execute("PRAGMA locking_mode = EXCLUSIVE")
        level = _SYNCHRONOUS[self._durability]
        if self._durability == "full" and self._setting("journal_mode") != "wal":
            # Where SQLite cannot have a write-ahead log. Without EXTRA it does not sync the directory after it removed
            # its journal, and a power loss takes the last commit back.
            level = "EXTRA"
        self._execute(f"PRAGMA synchronous = {level}")

    def _connect_read_only(self) -> None:
        """In a directory that we may only read. With nothing in the log, SQLite is told not to look for one; such a
        connection sees no later change, and must not last.
        """
        log = self._sibling(f"{INDEX}-wal")
        unused = not log.exists() or log.stat().st_size == 0
        self.close()
        self._connection = self._open("mode=ro&immutable=1" if unused else "mode=ro")

    def _open(self, how: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?{how}",
            uri=True,
            timeout=self._patience,
            isolation_level=None,
            check_same_thread=False,  # one thread at a time, but not always the same
        )
        # A store that nobody closed is closed when it goes, or Python warns of what its user cannot see.
        self._closing = weakref.finalize(self, connection.close)
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")  # one bad row must not hide the rest
        return connection

    def _probe(self) -> None:
        try:
            version = self._value("SELECT value FROM store_meta WHERE key = 'version'")
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            version = None  # another part of Penstock made the file
        if version is None:
            raise Unusable("it has not been finished", rubbish=False)
        if version != _VERSION:
            raise StoreError(
                f"the index {self.path} has version {version}: another version of Penstock wrote it;"
                " use that one, or delete the index, and it is made anew from the files"
            )
        self._probe_tables()

    def _probe_tables(self) -> None:
        try:
            for question in _PROBE:
                self._execute(question)
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            raise Unusable(str(error), rubbish=True) from error

    def close(self) -> None:
        connection, self._connection, self.identity = self._connection, None, None
        if connection is not None:
            connection.close()
        if self._closing is not None:
            self._closing.detach()

    # -- making one anew, under the lock between processes

    def move_aside(self) -> None:
        """What is there is kept for a look, the last two of them.

        SQLite's log goes with it: it would be played into the new file.
        """
        self.close()
        aside = f"{INDEX}{_ASIDE}{time.strftime('%Y%m%d_%H%M%S')}-{os.urandom(4).hex()}"
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                self._sibling(f"{INDEX}{suffix}").rename(self._sibling(f"{aside}{suffix}"))
        copies = sorted(self._directory.glob(f"{INDEX}{_ASIDE}*"), key=lambda path: path.lstat().st_mtime)
        named = [path.name for path in copies if not path.name.endswith(_SUFFIXES[1:])]
        for name in named[:-_DAMAGED_COPIES]:
            for suffix in _SUFFIXES:
                with suppress(OSError):  # a directory, or in use on Windows: it is out of the way in any case
                    self._sibling(f"{name}{suffix}").unlink()

    def create(self) -> None:
        """Our tables, in the file that is there or in a new one. Others do not use it before `finish`."""
        self.close()
        if not self.path.exists():
            for suffix in _SUFFIXES[1:]:
                # What a deleted file left. With it, the new one would share the state of those who have the old open.
                self._sibling(f"{INDEX}{suffix}").unlink(missing_ok=True)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self.path.chmod(0o600)  # another part of Penstock may have made it
        self._connect()
        if self._setting("journal_mode") != "wal":
            self._execute("PRAGMA journal_mode = WAL")
            self.close()
            self._connect()
        with self.transaction():
            for statement in _TABLES.split(";"):
                self._execute(statement)
        self._probe_tables()
        found = self.path.lstat()
        self.identity = found.st_dev, found.st_ino

    def finish(self) -> None:
        with self.transaction():
            self._execute("INSERT OR REPLACE INTO store_meta VALUES ('version', ?)", _VERSION)

    def _sibling(self, name: str) -> Path:
        return self._directory / name

    # -- statements

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Questions inside are answered from one state: a result that moves between two tables is in one of them."""
        if self._connection is None or self._connection.in_transaction:
            yield
            return
        self._execute("BEGIN")
        try:
            yield
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            with suppress(sqlite3.Error):  # the first error is the one to tell; closing rolls back as well
                self._execute("ROLLBACK")

    def _execute(self, statement: str, *values: object) -> sqlite3.Cursor:
        """One statement. Some waits SQLite ends at once, whatever its timeout: during recovery, or a last close."""
        if self._connection is None:
            raise StoreError("the index is closed")
        until = time.monotonic() + self._patience
        while True:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.OperationalError as error:
                if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
            time.sleep(0.005)

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self._execute(statement, *values).fetchall()

    def _value(self, statement: str, *values: object) -> Any:
        row = self._execute(statement, *values).fetchone()
        return None if row is None else row[0]

    def _setting(self, name: str) -> Any:
        return self._value(f"PRAGMA {name}")
