"""The disk store's index: what its rows say, and how they change. A row is what acknowledges a result.

What was deleted leaves a row in `gone`: expired and unknown are different answers, and the same content, kept again,
has the same name again.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, get_args

from penstock.core.handle import Handle, handle_of
from penstock.errors import StoreError
from penstock.stores import names
from penstock.stores.blocks import BlockTable
from penstock.stores.contract import Media, Record
from penstock.stores.database import Database

BATCH = 256  # rows at once: memory stays constant, and nobody waits for long
_REMEMBERED = 100_000  # deleted results, about 20 MB
_MEDIA = get_args(Media)

Key = tuple[float | bytes, int]  # of a result in the order of keeping

NEWEST: Key = (b"\xff" * 16, 0)  # SQLite sorts bytes behind numbers and text, so a row with a planted date is found too


class Doomed(NamedTuple):
    """A result to be deleted, as its row has it: it may be a row that we did not write."""

    handle: Handle
    name: str
    size: int


class Gone(NamedTuple):
    """What is remembered of a deleted result."""

    digest: str  # hex
    media: Media
    tool: str
    name: str
    gone_at: float


class Index(Database):
    def record(self, handle: Handle) -> Record | None:
        rows = self._rows(
            "SELECT handle, digest, size, newlines, media, tool, name, kept_at FROM results WHERE handle = ?", handle
        )
        if not rows:
            return None
        record = self._record(*rows[0])
        if record is None:
            raise StoreError(f"the index holds under {handle} what cannot be its content")
        return record

    def _record(self, *row: Any) -> Record | None:
        """The row as a record; None for a row that we cannot have written, in a database that any program can write."""
        handle, digest, size, newlines, media, tool, name, kept_at = row
        kinds = (str, bytes, int, int, str, str, str, float)
        if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
            return None
        if len(digest) != 32 or handle_of(digest) != handle or media not in _MEDIA or not names.is_result(name):
            return None
        path = str(self._directory / name)
        return Record(Handle(handle), digest.hex(), size, newlines, media, tool, name, path, kept_at)

    def table(self, handle: Handle) -> BlockTable | None:
        rows = self._rows("SELECT CAST(prefixes AS BLOB), CAST(counts AS BLOB) FROM results WHERE handle = ?", handle)
        return BlockTable(*rows[0]) if rows else None

    def page(self, before: Key) -> list[tuple[Key, Handle, Record | None]]:
        """The results kept before that one, newest first, some at once: no cursor stays open between two calls."""
        rows = self._rows(
            "SELECT id, handle, digest, size, newlines, media, tool, name, kept_at FROM results "
            "WHERE (kept_at, id) < (?, ?) ORDER BY kept_at DESC, id DESC LIMIT ?",
            *before,
            BATCH,
        )
        return [((row[-1], row[0]), Handle(row[1]), self._record(*row[1:])) for row in rows]

    def oldest(self, kept_before: float = math.inf) -> list[Doomed]:
        """The oldest results, some at once."""
        rows = self._rows(
            "SELECT handle, name, CAST(size AS INTEGER) FROM results WHERE kept_at < ? ORDER BY kept_at, id LIMIT ?",
            kept_before,
            BATCH,
        )
        return [Doomed(*row) for row in rows]

    def total(self) -> int:
        return int(self._value("SELECT coalesce(sum(size), 0) FROM results"))

    def gone(self, handle: Handle) -> Gone | None:
        rows = self._rows("SELECT hex(digest), media, tool, name, gone_at FROM gone WHERE handle = ?", handle)
        if not rows:
            return None
        digest, media, tool, name, gone_at = rows[0]
        if not names.is_result(name):
            raise StoreError(f"the index remembers under {handle} what cannot have been its content")
        return Gone(digest.lower(), media, tool, name, gone_at)

    def gone_at(self, name: str) -> float | None:
        """When the result in the file of this name was deleted."""
        return self._value("SELECT max(gone_at) FROM gone WHERE name = ?", name)  # type: ignore[no-any-return]

    def holder(self, name: str) -> Handle | None:
        """The result that has this name, or had it and would get it again."""
        question = (
            "SELECT coalesce((SELECT handle FROM results WHERE name = ?), (SELECT handle FROM gone WHERE name = ?))"
        )
        return self._value(question, name, name)  # type: ignore[no-any-return]

    def crowd(self, stem: str) -> int:
        """How many results have, or had, a name that begins so."""
        question = (
            "SELECT count(*) FROM results WHERE name > ? AND name < ? "
            "UNION ALL SELECT count(*) FROM gone WHERE name > ? AND name < ?"
        )
        ends = stem, stem + "\x7f"
        return sum(row[0] for row in self._rows(question, *ends, *ends))

    def unindexed(self, found: list[str]) -> list[str]:
        """Those of the names that no result has."""
        return [name for name in found if self._value("SELECT 1 FROM results WHERE name = ?", name) is None]

    def integrity(self, *, quick: bool) -> str | None:
        """What SQLite finds wrong with the file."""
        verdict = str(self._value(f"PRAGMA {'quick_check' if quick else 'integrity_check'}(1)"))
        return None if verdict == "ok" else verdict

    # -- changes, inside a transaction

    def add(self, record: Record, table: BlockTable) -> None:
        """Adds a result, or puts it in the place of the row that it had."""
        self._execute("DELETE FROM gone WHERE handle = ?", record.handle)
        self._execute(
            "INSERT OR REPLACE INTO results "
            "(handle, digest, size, newlines, media, tool, name, kept_at, prefixes, counts) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            record.handle,
            bytes.fromhex(record.digest),
            record.size,
            record.newlines,
            record.media,
            record.tool,
            record.name,
            record.kept_at,
            table.prefixes,
            table.counts,
        )

    def renew(self, handle: Handle, at: float) -> None:
        # The number grows too: it puts those in order that were kept within one tick of the clock.
        self._execute(
            "UPDATE results SET kept_at = ?, id = (SELECT max(id) + 1 FROM results) WHERE handle = ?", at, handle
        )

    def bury(self, handle: Handle, at: float) -> None:
        """The result is gone, and that it was there is remembered."""
        self._execute(
            "INSERT OR REPLACE INTO gone (handle, digest, media, tool, name, gone_at) "
            "SELECT handle, digest, media, tool, name, ? FROM results WHERE handle = ?",
            at,
            handle,
        )
        self._execute("DELETE FROM results WHERE handle = ?", handle)

    def drop(self, handle: Handle) -> None:
        with self.transaction():
            self._execute("DELETE FROM results WHERE handle = ?", handle)

    def forget(self) -> None:
        """Lets go of the oldest memories, so that the index does not grow for ever."""
        self._execute(
            "DELETE FROM gone WHERE rowid IN (SELECT rowid FROM gone ORDER BY gone_at DESC LIMIT -1 OFFSET ?)",
            _REMEMBERED,
        )

    # -- when something was last done, by any process

    def done_at(self, what: str) -> float:
        value = self._value("SELECT value FROM store_meta WHERE key = ?", what)
        return -math.inf if value is None else float(value)

    def done(self, what: str, at: float) -> None:
        self._execute("INSERT OR REPLACE INTO store_meta VALUES (?, ?)", what, repr(at))
