"""Looking at all that the disk store holds, and putting right what can be.

Repair never deletes data that might be wanted: a damaged file is renamed to `.damaged-...`, which nothing serves, and
stays for the time of the retention. Its handle, and that of a missing file, then answers ExpiredHandle: the model runs
the tool again. A file without a row is given one, whatever tool is named in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from penstock.core.handle import Handle
from penstock.stores import files, locks, names, upkeep
from penstock.stores.blocks import BlockTable, Facts, facts_of
from penstock.stores.contract import Finding, Record
from penstock.stores.index import BATCH, NEWEST, Index
from penstock.stores.shelf import Shelf

_REPAIRING = "repairing the store"

_PRIVATE = 0o600
_PRIVATE_FOLDER = 0o700


def check(shelf: Shelf, *, read_data: bool, repair: bool) -> list[Finding]:
    if not shelf.directory.is_dir():
        return []
    check = _Check(shelf, read_data, repair)
    found = [*check.index(), *check.results(), *check.directory()]
    return sorted(found, key=lambda finding: (finding.name, finding.problem))


@dataclass(frozen=True, slots=True)
class _Check:
    shelf: Shelf
    read_data: bool
    repair: bool

    # -- the index

    def index(self) -> Iterator[Finding]:
        wrong = self.shelf.ask(lambda index: index.integrity(quick=not self.read_data), None)
        for why in self.shelf.mended:
            yield Finding("index", files.INDEX, None, f"it was made anew from the files: {why}", repaired=True)
        self.shelf.mended.clear()
        if wrong is not None:
            if self.repair:
                self.shelf.change(_REPAIRING, self.shelf.remake)
                self.shelf.mended.clear()
            yield Finding("index", files.INDEX, None, wrong, self.repair)

    # -- results with a row

    def results(self) -> Iterator[Finding]:
        before = NEWEST
        while rows := self.shelf.page(before):
            for before, handle, record in rows:  # noqa: B007  # the last one is where the next page starts
                if record is None:
                    yield self._drop(handle)
                elif not self.shelf.expired(record.kept_at):
                    yield from self._result(record)

    def _drop(self, handle: Handle) -> Finding:
        if self.repair:
            self.shelf.change(_REPAIRING, lambda index: index.drop(handle))
        return Finding("index", files.INDEX, handle, "a row that Penstock cannot have written", self.repair)

    def _result(self, record: Record) -> Iterator[Finding]:
        # First, because a file that its owner may not read seems to be damaged.
        yield from self._permission(self.shelf.path(record.name), record.handle)
        fault, facts = self._fault(record)
        if fault is not None:
            yield from self._bury(record)
        elif facts is not None:
            yield from self._row(record, facts)

    def _fault(self, record: Record) -> tuple[str | None, Facts | None]:
        """What is wrong with its file; and what the file holds, if it was read."""
        fault = self.shelf.fault(record)
        if fault is not None or not self.read_data:
            return fault, None
        try:
            descriptor = files.open_file(self.shelf.path(record.name))
            try:
                facts = facts_of(files.chunks(descriptor))
            finally:
                os.close(descriptor)
        except OSError as error:
            return f"its file cannot be read: {error.strerror}", None
        if facts.digest.hex() == record.digest or self._digest_is_wrong(record, facts):
            return None, facts
        return "its file holds something else than was kept", None

    def _digest_is_wrong(self, record: Record, facts: Facts) -> bool:
        """Whether it is the digest in the row that was damaged: handle and blocks say that the file is right."""
        return record.handle == facts.handle and self._table(record) == facts.table

    def _table(self, record: Record) -> BlockTable | None:
        return self.shelf.ask(lambda index: index.table(record.handle), None)

    def _bury(self, record: Record) -> Iterator[Finding]:
        def look(index: Index) -> Finding | None:
            row = index.record(record.handle)
            fault = None if row is None else self._fault(row)[0]
            if row is None or fault is None:
                return None  # deleted, or kept again, since we looked
            missing = not os.path.lexists(self.shelf.path(row.name))
            return Finding("missing" if missing else "damaged", row.name, row.handle, fault, self.repair)

        def bury(index: Index) -> Finding | None:
            with index.transaction():
                finding = look(index)
                if finding is not None:
                    now = self.shelf.clock()
                    if finding.problem == "damaged":
                        files.move_aside(self.shelf.path(finding.name), at=now)
                    index.bury(record.handle, now)
            return finding

        finding = self.shelf.settle(_REPAIRING, bury if self.repair else look)
        if finding is not None:
            yield finding

    def _row(self, record: Record, facts: Facts) -> Iterator[Finding]:
        right = replace(record, digest=facts.digest.hex(), newlines=facts.newlines)
        table = self._table(record)

        def rewrite(index: Index) -> None:
            row = index.record(record.handle)
            if row is not None:
                with index.transaction():
                    index.add(replace(row, digest=right.digest, newlines=right.newlines), facts.table)

        if table is not None and (record, table) != (right, facts.table):
            if self.repair:
                self.shelf.change(_REPAIRING, rewrite)
            yield Finding("index", files.INDEX, record.handle, "what it knows of the content is wrong", self.repair)

    # -- what is in the directory

    def directory(self) -> Iterator[Finding]:
        if files.is_ours_alone(self.shelf.directory):
            yield from self._permission(self.shelf.directory, None)
        for name in self._strangers():
            path = self.shelf.path(name)
            if names.is_result(name):
                yield from self._unindexed(name)
            elif not files.is_part(name):
                yield from self._permission(path, None)
            elif files.abandoned(path, self.shelf.clock()):
                yield self._leftover(name, "the process that wrote it has ended")

    def _strangers(self) -> list[str]:
        """The names of all files of ours without a row, collected first: repairs change the directory."""
        others: list[str] = []
        results: list[str] = []
        with os.scandir(self.shelf.directory) as entries:
            for entry in entries:
                if names.is_result(entry.name):
                    results.append(entry.name)
                elif files.is_part(entry.name) or entry.name.startswith((locks.FILE, files.INDEX)):
                    others.append(entry.name)
                if len(results) >= BATCH:
                    others += self.shelf.unindexed(results)
                    results = []
        return others + self.shelf.unindexed(results)

    def _unindexed(self, name: str) -> Iterator[Finding]:
        def adopt(index: Index) -> Finding | None:
            if not index.unindexed([name]):
                return None  # it was just being kept
            if upkeep.is_leftover(self.shelf, index, name):
                return self._leftover(name, "its result has been deleted")
            repaired = self.repair and self.shelf.adopt(index, name)
            if repaired and os.name != "nt":
                self.shelf.path(name).chmod(_PRIVATE)  # it may have come with the mode that its owner's files have
            return Finding("unindexed", name, None, "no row tells what it must hold", repaired)

        finding = self.shelf.settle(_REPAIRING, adopt)
        if finding is not None:
            yield finding

    def _leftover(self, name: str, why: str) -> Finding:
        if self.repair:
            self.shelf.path(name).unlink(missing_ok=True)
        return Finding("leftover", name, None, why, self.repair)

    def _permission(self, path: Path, handle: Handle | None) -> Iterator[Finding]:
        is_directory = path == self.shelf.directory
        private = _PRIVATE_FOLDER if is_directory else _PRIVATE
        try:
            found = path.lstat()
        except FileNotFoundError:
            return
        mode = stat.S_IMODE(found.st_mode)
        as_it_should = stat.S_ISDIR if is_directory else stat.S_ISREG
        if os.name == "nt" or mode == private or not as_it_should(found.st_mode):
            return
        if self.repair:
            path.chmod(private)
        yield Finding("permission", path.name, handle, f"its mode is {mode:04o}, not {private:04o}", self.repair)
