"""The tags of a tree on disk: one SQLite file a root, readable by its owner only.

1. It holds tags of files, and nothing of what was asked. Losing it costs time and nothing else: a damaged one, or one
   of another version, is made anew.
2. What was written is found by the next call, of any process. Of two that write at once the last one wins, which does
   no harm, as both say the same of the same content.
3. Who cannot write does not wait for long: the map has to be there in time.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from penstock.errors import StoreError
from penstock.search.sqlite_file import delete_file
from penstock.tools.map_files import swept, used
from penstock.tools.tags import VERSION, FileTags

_PATIENCE: Final = 1.0  # seconds
_APPLICATION: Final = 0x70736D70  # what tells the file from another program's

_SCHEMA: Final = (
    "CREATE TABLE meta (generation INTEGER NOT NULL)",
    "INSERT INTO meta VALUES (0)",
    "CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, "
    "digest BLOB NOT NULL, tags BLOB NOT NULL) WITHOUT ROWID",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)

_decoder: Final = msgspec.msgpack.Decoder(FileTags)
_encoder: Final = msgspec.msgpack.Encoder()


class DamagedTags(StoreError):
    """The file holds something else than it should: it is to be discarded."""


class Known(NamedTuple):
    """A file as it was when it was looked at."""

    size: int
    mtime_ns: int
    digest: bytes
    tags: FileTags


class TagFile:
    """Opened for one call and closed behind it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._open()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self._remove()  # it is damaged
                self._open()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path} cannot be used: {error}") from error

    @classmethod
    def of(cls, folder: Path, root: Path) -> Self:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", root.name)[:40]
        digest = hashlib.blake2b(os.fsencode(root), digest_size=8).hexdigest()
        path = folder / f"{name or 'root'}-{digest}.sqlite"
        try:
            if not path.exists():
                swept(folder)
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {error}") from error
        return cls(path)

    def generation(self) -> int:
        """Another one after every change."""
        return int(self._asked("SELECT generation FROM meta")[0][0])

    def load(self) -> dict[str, Known]:
        rows = self._asked("SELECT path, size, mtime_ns, digest, tags FROM files")
        try:
            return {path: Known(size, mtime, digest, _decoder.decode(tags)) for path, size, mtime, digest, tags in rows}
        except (msgspec.MsgspecError, TypeError) as error:
            raise DamagedTags(f"{self.path} is damaged: {error}") from error

    def write(self, changed: Mapping[str, Known], gone: Iterable[str] = ()) -> int:
        """All of it or nothing; the generation that it makes."""
        rows = [(path, *known[:3], _encoder.encode(known.tags)) for path, known in changed.items()]
        try:
            self._execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", rows)
            self._connection.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in gone])
            self._execute("UPDATE meta SET generation = generation + 1")
            generation = self.generation()
            self._execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
            raise self._blamed(error) from error
        return generation

    def discard(self) -> None:
        """Remove what turned out to be damaged, for the next call to make it anew."""
        self.close()
        self._remove()

    def close(self) -> None:
        self._connection.close()

    def _open(self) -> None:
        # Made before SQLite does, so that at no time others may read it.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        used(self.path)
        self._connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        # What a power loss takes is parsed again.
        self._execute("PRAGMA synchronous = NORMAL")
        if self._is_current():
            return
        self._execute("PRAGMA journal_mode = WAL")
        self._execute("BEGIN IMMEDIATE")
        if not self._is_current():  # unless another process was faster
            for (table,) in self._execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._execute(f'DROP TABLE "{table}"')
            for statement in _SCHEMA:
                self._execute(statement)
        self._execute("COMMIT")

    def _is_current(self) -> bool:
        marks = self._rows("PRAGMA application_id"), self._rows("PRAGMA user_version")
        return marks == ([(_APPLICATION,)], [(VERSION,)])

    def _asked(self, statement: str) -> list[tuple[Any, ...]]:
        try:
            return self._rows(statement)
        except sqlite3.Error as error:
            raise self._blamed(error) from error

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self._execute(statement).fetchall()

    def _blamed(self, error: sqlite3.Error) -> StoreError:
        """What is no matter of locks, rights or room is damage."""
        damaged = not isinstance(error, sqlite3.OperationalError)
        return (DamagedTags if damaged else StoreError)(f"{self.path} cannot be used: {error}")

    def _execute(self, statement: str) -> sqlite3.Cursor:
        """Some waits SQLite ends at once, whatever its timeout: for the switch to WAL."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._connection.execute(statement)
            except sqlite3.OperationalError as error:
                busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > until:
                    raise
                time.sleep(0.005)

    def _remove(self) -> None:
        delete_file(self.path)
