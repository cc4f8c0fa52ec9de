"""Results as plain files in one directory, which any program can open, with an index that knows what they must hold.

Read `writing` for how a result gets in, `upkeep` for how it gets out, `checking` for what is done about damage.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from penstock.core.handle import Handle
from penstock.errors import Damaged, ExpiredHandle, LimitError, StoreError, UnknownHandle
from penstock.stores import checking, files, upkeep
from penstock.stores.blocks import BlockTable
from penstock.stores.contract import BLOCK, Finding, Record, Swept, Writer
from penstock.stores.database import Durability
from penstock.stores.index import NEWEST, Doomed, Index
from penstock.stores.retention import Retention
from penstock.stores.shelf import Shelf, log, told
from penstock.stores.writing import DiskWriter

_READING = "reading a kept result"

Looked = tuple[Record | None, BlockTable | None, bool]  # the row, its table, and whether a deletion is remembered


class DiskStore:
    """What is kept when `commit` returns, by `durability`:

    - "full": the result is on the disk (file, directory and index are synced). It survives the end of the process, a
      crash of the system and a power loss, as far as the disk does what it says.
    - "normal": the result is with the operating system. It survives the end of the process, also by `kill -9`. A crash
      of the system or a power loss can take the last results, and an answer is then UnknownHandle or Damaged; it never
      makes wrong bytes out of one.
    - "none": as "normal", but a crash of the system or a power loss can also take the index, with what it remembers
      of deleted results. It is made anew from the files.

    A result is deleted `retention_days` after it was last kept, and earlier, oldest first, if all results together have
    more than `quota_bytes`. One store may be used by several threads, and its directory by several processes.
    """

    name = "disk"

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        retention_days: float = 7,
        quota_bytes: int | None = None,
        durability: Durability = "full",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._shelf = Shelf(
            Path(directory).absolute(),
            durability=durability,
            retention=Retention.of(retention_days, quota_bytes),
            clock=clock,
        )
        self._tidied: float | None = None

    @property
    def directory(self) -> Path:
        return self._shelf.directory

    def open(self) -> Writer:
        return DiskWriter(self._shelf, self._tidy)

    def stat(self, handle: Handle) -> Record:
        self._tidy_first()
        record, _, descriptor = self._open(handle)
        os.close(descriptor)
        return record

    def read(self, handle: Handle, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0:
            raise LimitError("offset" if offset < 0 else "size", min(offset, size), "a whole number from 0 on")
        self._tidy_first()
        record, table, descriptor = self._open(handle)
        try:
            end = min(offset + size, record.size)
            if offset >= end:
                return b""
            first = offset // BLOCK
            start = first * BLOCK
            with told(_READING):
                data = files.read_at(descriptor, start, min(-(-end // BLOCK) * BLOCK, record.size) - start)
        finally:
            os.close(descriptor)
        wrong = table.wrong_block(first, data)
        if wrong is not None or start + len(data) < end:
            where = (first if wrong is None else wrong) * BLOCK
            raise Damaged(handle, f"what is at byte {where:,} and after is not what was kept")
        return data[offset - start : end - start]

    def seek_line(self, handle: Handle, line: int) -> tuple[int, int]:
        if line < 1:
            raise LimitError("line", line, "a whole number from 1 on")
        self._tidy_first()
        return self._look(handle)[1].seek(line)

    def records(self) -> Iterator[Record]:
        self._tidy_first()
        before = NEWEST
        while rows := self._shelf.page(before):
            for before, _, record in rows:  # noqa: B007  # the last one is where the next page starts
                if record is not None and self._readable(record):
                    yield record

    def _readable(self, record: Record) -> bool:
        with told(_READING):
            return not self._shelf.expired(record.kept_at) and self._shelf.fault(record) is None

    def delete(self, handle: Handle) -> None:
        def choose(index: Index) -> list[Doomed]:
            record = index.record(handle)
            return [] if record is None else [Doomed(handle, record.name, record.size)]

        record, _, gone = self._row(handle)
        if record is not None:
            self._shelf.change("deleting a result", lambda index: upkeep.delete_now(self._shelf, index, choose))
        elif not gone:
            raise UnknownHandle(handle)

    def sweep(self) -> Swept:
        return upkeep.sweep(self._shelf)

    def check(self, *, read_data: bool = False, repair: bool = False) -> list[Finding]:
        with told("checking the store"):
            return checking.check(self._shelf, read_data=read_data, repair=repair)

    def close(self) -> None:
        """Lets go of the index. Using the store again opens it again."""
        self._shelf.close()

    # -- finding

    def _row(self, handle: Handle) -> Looked:
        def look(index: Index) -> Looked:
            record = index.record(handle)
            if record is None:
                return None, None, index.gone(handle) is not None
            return record, index.table(handle), False

        nothing: Looked = (None, None, False)
        return self._shelf.ask(look, nothing)

    def _look(self, handle: Handle) -> tuple[Record, BlockTable]:
        record, table, gone = self._row(handle)
        if gone or (record is not None and self._shelf.expired(record.kept_at)):
            raise ExpiredHandle(handle)
        if record is None or table is None:
            raise UnknownHandle(handle)
        if not table.fits(record.size):
            raise Damaged(handle, "the table of its blocks is not complete")
        return record, table

    def _open(self, handle: Handle) -> tuple[Record, BlockTable, int]:
        """Looks twice if need be: between a look and the opening, the result can expire and be kept again."""
        for _ in range(2):
            record, table = self._look(handle)
            with told(_READING):
                try:
                    descriptor = files.open_file(self._shelf.path(record.name))
                except FileNotFoundError:
                    continue
                except files.NotARegularFile as error:
                    raise Damaged(handle, error.why) from error
                size = os.fstat(descriptor).st_size
            if size != record.size:
                os.close(descriptor)
                raise Damaged(handle, f"its file has {size:,} bytes, {record.size:,} were kept")
            return record, table, descriptor
        raise Damaged(handle, "its file is missing")

    # -- tidying in passing

    def _tidy_first(self) -> None:
        if self._tidied is None:
            self._tidy(None)

    def _tidy(self, kept: Handle | None) -> None:
        """At first use in a process, then at most every ten minutes; the quota each time.

        What was asked for has been done or does not depend on it, so a failure here is told to the log only.
        """
        now = self._shelf.clock()
        try:
            if self._tidied is None or abs(now - self._tidied) >= upkeep.EVERY:
                self._tidied = now
                upkeep.sweep(self._shelf, spare=kept, thorough=False)
            else:
                upkeep.shrink(self._shelf, kept)
        except StoreError as error:
            log.warning("tidying up in %s: %s", self.directory, error)
