"""A ledger in the SQLite file that is the disk store's index too: own connection, own table.

- An event waits in memory until BATCH are waiting, or until one that a person would look for (a cut, a
  read-back) comes PAUSE after the last write. Every question, `flush`, `close` and the end of the process
  write what waits.
- What cannot be written goes on waiting, and is tried again after PAUSE. Past MOST_WAITING the oldest go,
  first those of results that fitted.
- What waits is lost when the process is killed, or ends by `os._exit` as forked workers do; a power loss
  may take the last writes too. It is a record: the results themselves are kept more safely.
- The file may be moved away at any moment, by the store that found it damaged or by a person who deletes the
  folder. The next write notices and begins a new one.
"""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from penstock.core.entry import Entry, ReadBack
from penstock.core.handle import Handle
from penstock.errors import StoreError
from penstock.ledger.contract import By, Event, Totals
from penstock.ledger.ranges import merged, parsed
from penstock.ledger.rows import (
    INSERT,
    PRUNE,
    RECENT,
    SCHEMA,
    SHOWN,
    Row,
    Told,
    event_of,
    row_of,
    totals_question,
)

BATCH: Final = 256
PAUSE: Final = 1.0
MOST_WAITING: Final = 10_000
_SHED: Final = 1_000  # at a time, so that a ledger that stays down does not sort its queue at each event

# How long to wait for another process that is writing. A tool's answer does not wait long for its record.
_IN_PASSING: Final = 0.2
_ON_REQUEST: Final = 5.0
_RETRY: Final = 0.01

_PRUNED_AT_ONCE: Final = 5_000  # a longer delete keeps the store's writers out for longer

_T = TypeVar("_T")

_log = logging.getLogger("penstock.ledger")


class SqliteLedger:
    """`path` is the index file of the disk store, or any other. Nothing is created for nothing."""

    def __init__(self, path: Path | str) -> None:
        self._file = _File(Path(path))
        # Always this one list: other threads append to it while it is written and shortened.
        self._waiting: list[Told] = []
        self._writing = threading.Lock()
        self._tried = -math.inf
        self._failing = False
        self._dropped = 0
        weakref.finalize(self, _write_the_rest, self._file, self._waiting)
        _alive.add(self)

    def admitted(self, entry: Entry, *, at: float, seconds: float) -> None:
        self._waiting.append((at, seconds, entry))
        if entry.truncated or len(self._waiting) >= BATCH:
            self._write_when_due(at)

    def read_back(self, read: ReadBack, *, at: float, seconds: float) -> None:
        self._waiting.append((at, seconds, read))
        self._write_when_due(at)

    def totals(self, by: By = "all", *, since: float | None = None) -> list[Totals]:
        rows = self._asked(totals_question(by), (-math.inf if since is None else since,))
        if by == "all" and not rows:
            return [Totals("", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0)]
        return [Totals(*row) for row in rows]  # type: ignore[arg-type]  # the question names the types

    def recent(self, count: int = 20) -> list[Event]:
        """Newest first."""
        return [event_of(row) for row in self._asked(RECENT, (max(0, count),))]

    def shown(self, handle: Handle) -> list[tuple[int, int]]:
        return merged(span for (text,) in self._asked(SHOWN, (handle,)) for span in parsed(str(text)))

    def prune(self, before: float) -> int:
        """Delete what is older than `before` (Unix time); the number of rows that went."""
        self.flush()
        with self._writing:
            try:
                return self._file.delete(PRUNE, before, _PRUNED_AT_ONCE)
            except (sqlite3.Error, OSError) as error:
                raise StoreError(f"the ledger {self._file.path} cannot be pruned: {error}") from error

    def flush(self) -> None:
        with self._writing:
            self._write(_ON_REQUEST)

    def close(self) -> None:
        with self._writing:
            try:
                self._write(_ON_REQUEST)
            except StoreError:
                self._waiting.clear()  # the caller is told now: the end of the process need not tell it again
                raise
            finally:
                self._file.close()

    def _asked(self, question: str, values: Row) -> list[Row]:
        with self._writing:
            self._write(_ON_REQUEST)
            try:
                return self._file.ask(question, values)
            except (sqlite3.Error, OSError) as error:
                raise StoreError(f"the ledger {self._file.path} cannot be read: {error}") from error

    def _write_when_due(self, at: float) -> None:
        rested = abs(at - self._tried) > PAUSE  # abs: a clock that was set back must not stop the writing
        if not rested and (self._failing or len(self._waiting) < BATCH):
            if len(self._waiting) > MOST_WAITING:
                self._shed_unless_busy()
            return
        if not self._writing.acquire(blocking=False):
            return  # another thread is at it, and this event is next
        try:
            self._tried = at
            self._write(_IN_PASSING)
        finally:
            self._writing.release()

    def _write(self, patience: float) -> None:
        events = self._waiting[:]
        if not events:
            return
        try:
            self._file.write([row_of(event) for event in events], patience)
        except (sqlite3.Error, OSError) as error:
            self._failing = True
            self._shed()
            dropped = f", {self._dropped:,} were dropped" if self._dropped else ""
            state = f"{len(self._waiting):,} entries wait{dropped}"
            raise StoreError(f"the ledger {self._file.path} cannot be written ({state}): {error}") from error
        del self._waiting[: len(events)]
        self._failing = False

    def _shed_unless_busy(self) -> None:
        if self._writing.acquire(blocking=False):
            try:
                self._shed()
            finally:
                self._writing.release()

    def _shed(self) -> None:
        """Down to MOST_WAITING, and some more: the oldest that fitted, and only then the oldest of all."""
        events = self._waiting[:]
        if len(events) <= MOST_WAITING:
            return
        excess = len(events) - MOST_WAITING + _SHED
        kept = []
        for event in events:
            what = event[2]
            if excess and isinstance(what, Entry) and not what.truncated:
                excess -= 1
            else:
                kept.append(event)
        del kept[:excess]
        self._waiting[: len(events)] = kept
        self._dropped += len(events) - len(kept)

    def _begin_again_after_fork(self) -> None:
        """What waits is the parent's to write, and SQLite forbids the child the parent's connection.

        The lock may have been held by a thread that does not exist here.
        """
        self._waiting.clear()
        self._file.leave_behind()
        self._writing = threading.Lock()


class _File:
    """The connection: opened when needed, and again when another file stands where the opened one stood."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None  # device and inode
        self._has_table = False

    def write(self, rows: Sequence[Row], patience: float) -> None:
        self._patiently(patience, lambda: self._write(rows, patience))

    def ask(self, question: str, values: Row) -> list[Row]:
        """[] where nothing was ever written."""
        return self._patiently(_ON_REQUEST, lambda: self._ask(question, values))

    def delete(self, statement: str, before: float, at_once: int) -> int:
        gone = 0
        while True:
            count = self._patiently(_ON_REQUEST, lambda: self._delete(statement, (before, at_once)))
            gone += count
            if count < at_once:
                return gone

    def _write(self, rows: Sequence[Row], patience: float) -> None:
        connection = self._open(patience)
        connection.execute("BEGIN IMMEDIATE")
        if not self._has_table:
            for statement in SCHEMA:
                connection.execute(statement)
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")
        self._has_table = True

    def _ask(self, question: str, values: Row) -> list[Row]:
        try:
            return self._open(_ON_REQUEST).execute(question, values).fetchall() if self._readable() else []
        except sqlite3.OperationalError as error:
            # To share the file SQLite makes another one beside it, for which a full disk has no room.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_IOERR or self._log_is_used():
                raise
            return self._ask_alone(question, values)

    def _ask_alone(self, question: str, values: Row) -> list[Row]:
        """As nobody writes now: SQLite is told to look at nothing but the file."""
        self.close()
        uri = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            self._opened = _identity(self.path)
            return self._connection.execute(question, values).fetchall() if self._readable() else []
        finally:
            self.close()

    def _log_is_used(self) -> bool:
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.exists() and log.stat().st_size > 0

    def _delete(self, statement: str, values: Row) -> int:
        return self._open(_ON_REQUEST).execute(statement, values).rowcount if self._readable() else 0

    def _patiently(self, patience: float, action: Callable[[], _T]) -> _T:
        """Some waits SQLite ends at once, whatever its timeout: for the switch to WAL, for a last close.

        A connection that failed is not used again: closing it rolls back, the next one starts clean.
        """
        until = time.monotonic() + patience
        while True:
            try:
                return action()
            except BaseException as error:
                self.close()
                # The low byte: which of the ways to be busy it is does not matter.
                busy = isinstance(error, sqlite3.OperationalError) and (
                    getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                )
                if not busy or time.monotonic() > until:
                    raise
            time.sleep(_RETRY)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        self._has_table = False
        if connection is not None:
            connection.close()

    def leave_behind(self) -> None:
        """Forget the connection without closing it, which would take back locks that the parent holds."""
        if self._connection is not None:
            _left_behind.append(self._connection)
            self._connection = None
        self._has_table = False

    def _readable(self) -> bool:
        if _identity(self.path) is None:
            self.close()
            return False
        connection = self._open(_ON_REQUEST)
        if not self._has_table:
            found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger_events'").fetchone()
            self._has_table = found is not None
        return self._has_table

    def _open(self, patience: float) -> sqlite3.Connection:
        connection, identity = self._connection, _identity(self.path)
        if connection is None or identity != self._opened:
            self.close()
            connection = self._connection = self._connect(patience, new=identity is None)
            self._opened = identity or _identity(self.path)
        connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        return connection

    def _connect(self, patience: float, new: bool) -> sqlite3.Connection:
        if new:
            _make_folder(self.path.parent)
        # Threads take turns by the ledger's lock.
        connection = sqlite3.connect(self.path, timeout=patience, isolation_level=None, check_same_thread=False)
        try:
            if new:
                # By name: to open and close it once more would drop all locks that this process has on it.
                self.path.chmod(0o600)
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _make_folder(folder: Path) -> None:
    """Like the store makes it: for its owner alone, and kept out of version control."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        return
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _write_the_rest(file: _File, waiting: list[Told]) -> None:
    """When a ledger is dropped without `close`, and when the process ends."""
    try:
        if waiting:
            file.write([row_of(event) for event in waiting], _ON_REQUEST)
    except (sqlite3.Error, OSError) as error:
        _log.warning("%d entries were not written to the ledger %s: %s", len(waiting), file.path, error)
    finally:
        file.close()


_alive: weakref.WeakSet[SqliteLedger] = weakref.WeakSet()
_left_behind: list[sqlite3.Connection] = []


def _after_fork() -> None:
    for ledger in _alive:
        ledger._begin_again_after_fork()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_after_fork)
