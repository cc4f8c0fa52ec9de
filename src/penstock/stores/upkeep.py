"""Deleting what the disk store no longer has to keep.

A deletion commits first that the result is gone, then deletes its file, under the lock that every keep takes. The
other way round, a commit that fails would leave results that are promised and have no file. What a crash leaves here is
a file without a row, and the next pass deletes it.

What has expired by its date is promised no longer, so there the files go first: a commit takes room, and on a full disk
a store that needs room to give room back would stay full for ever.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import suppress

from penstock.core.handle import Handle
from penstock.stores import files, names
from penstock.stores.contract import Swept
from penstock.stores.database import code_of
from penstock.stores.index import BATCH, Doomed, Index
from penstock.stores.shelf import Shelf, told

_SCANNED = "scanned"
EVERY = 600.0  # seconds between two passes that nobody asked for

Choice = Callable[[Index], list[Doomed]]

_DELETING = "deleting old results"


def sweep(shelf: Shelf, *, spare: Handle | None = None, thorough: bool = True) -> Swept:
    """One pass. Without `thorough`, the directory is not looked through if a process did so in the last minutes."""
    expired = _delete_batches(shelf, lambda index: index.oldest(shelf.horizon()), files_first=True)
    over = shrink(shelf, spare)
    leftovers = 0
    if thorough or abs(shelf.clock() - shelf.ask(lambda index: index.done_at(_SCANNED), 0.0)) >= EVERY:
        leftovers = _scan(shelf)
        if not thorough:
            _note_scan(shelf)
    return Swept(expired.results + over.results, expired.bytes + over.bytes, leftovers)


def shrink(shelf: Shelf, spare: Handle | None) -> Swept:
    """Down to the quota, oldest first."""
    quota = shelf.retention.quota
    if quota is None:
        return Swept()

    def over(index: Index) -> list[Doomed]:
        excess = index.total() - quota
        doomed = []
        for result in index.oldest():
            if excess <= 0:
                break
            if result.handle != spare:
                doomed.append(result)
                excess -= result.size
        return doomed

    return _delete_batches(shelf, over)


def delete(shelf: Shelf, index: Index, choose: Choice, *, files_first: bool = False) -> list[Doomed]:
    """Deletes what is chosen, inside the transaction: who has just renewed a result did so before."""
    failed: OSError | None = None
    with index.transaction():
        doomed = choose(index)
        if files_first:
            failed = _unlink(shelf, doomed)
        now = shelf.clock()
        for result in doomed:
            index.bury(result.handle, now)
        index.forget()
    if not files_first:
        failed = _unlink(shelf, doomed)
    if failed is not None:
        raise failed
    return doomed


def delete_now(shelf: Shelf, index: Index, choose: Choice) -> None:
    """Deletes what somebody asked to be deleted, also on a disk without room for the commit."""
    try:
        delete(shelf, index, choose)
    except sqlite3.OperationalError as error:
        if code_of(error) != sqlite3.SQLITE_FULL:
            raise
        delete(shelf, index, choose, files_first=True)


def _unlink(shelf: Shelf, doomed: list[Doomed]) -> OSError | None:
    """Deletes the files of all, and gives the last failure: one that cannot be deleted does not save the others."""
    failed: OSError | None = None
    for result in doomed:
        if names.is_result(result.name):  # a row that we did not write names what it likes
            try:
                shelf.path(result.name).unlink(missing_ok=True)
            except OSError as error:
                failed = error
    return failed


def _delete_batches(shelf: Shelf, choose: Choice, *, files_first: bool = False) -> Swept:
    """Some at a time: who keeps a result meanwhile has not to wait for all."""
    results = size = 0
    nothing: list[Doomed] = []
    while shelf.ask(choose, nothing):
        deleted = shelf.change(_DELETING, lambda index: delete(shelf, index, choose, files_first=files_first))
        results += len(deleted)
        size += sum(result.size for result in deleted)
    return Swept(results, size)


def _scan(shelf: Shelf) -> int:
    """Deletes parts of dead processes, old files without a row, and old files that were moved aside."""
    leftovers = 0
    found: list[str] = []
    now = shelf.clock()
    with told("looking through the store"), suppress(FileNotFoundError), os.scandir(shelf.directory) as entries:
        for entry in entries:
            if names.is_result(entry.name):
                found.append(entry.name)
            elif files.is_part(entry.name):
                leftovers += files.abandoned(shelf.path(entry.name), now) and _remove(shelf, entry.name)
            elif entry.name.startswith(files.DAMAGED + names.PREFIX):
                date = _date(shelf, entry.name)
                leftovers += date is not None and date < shelf.horizon() and _remove(shelf, entry.name)
            if len(found) >= BATCH:
                leftovers += _delete_unindexed(shelf, found)
                found = []
    leftovers += _delete_unindexed(shelf, found)
    return leftovers


def _note_scan(shelf: Shelf) -> None:
    def note(index: Index) -> None:
        with index.transaction():
            index.done(_SCANNED, shelf.clock())

    if shelf.ask(lambda index: index.writable, False):
        shelf.change("noting when the store was swept", note)


def _delete_unindexed(shelf: Shelf, found: list[str]) -> int:
    def delete_old(index: Index) -> int:
        with index.transaction():  # a file that is just being kept has its row by now
            return sum(is_leftover(shelf, index, name) and _remove(shelf, name) for name in index.unindexed(found))

    if not shelf.unindexed(found):
        return 0
    return shelf.change(_DELETING, delete_old)


def is_leftover(shelf: Shelf, index: Index, name: str) -> bool:
    """Whether a file without a row is past its time, or what a crash left of a deletion.

    A file that is newer than the deletion was put there by somebody, perhaps from a backup: it has its own time.
    """
    date = _date(shelf, name)
    gone_at = index.gone_at(name)
    return date is not None and (date < shelf.horizon() or (gone_at is not None and date <= gone_at))


def _date(shelf: Shelf, name: str) -> float | None:
    """When a file was last written; None if it is gone, or something else than a file."""
    try:
        found = shelf.path(name).lstat()
    except FileNotFoundError:
        return None
    return found.st_mtime if stat.S_ISREG(found.st_mode) else None


def _remove(shelf: Shelf, name: str) -> bool:
    try:
        shelf.path(name).unlink()
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        return False  # another process was first, or (on Windows) has it open, or somebody put a directory there
    return True
