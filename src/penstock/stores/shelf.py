"""The disk store's directory and index taken together: who may look, who may change, and what happens to a bad index.

Looking takes no lock between processes; changing takes one for all of it. An index that is missing or damaged is made
from the files by whoever meets it first, under that lock: the others wait and find it made.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from penstock.core.handle import Handle
from penstock.stores import database, files, names
from penstock.stores.blocks import Facts, facts_of
from penstock.stores.contract import Media, Record
from penstock.stores.database import Durability, Identity, Unusable
from penstock.stores.index import Index, Key
from penstock.stores.locks import locked
from penstock.stores.retention import Retention

T = TypeVar("T")

log = logging.getLogger("penstock.stores.disk")


_shelves: weakref.WeakSet[Shelf] = weakref.WeakSet()
_forking: list[Shelf] = []


def _before_fork() -> None:
    for shelf in list(_shelves):
        shelf.before_fork()
        _forking.append(shelf)


def _after_fork() -> None:
    while _forking:
        _forking.pop().after_fork()


if sys.platform != "win32":
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


@contextmanager
def told(doing: str) -> Iterator[None]:
    """Failures of the file system and of SQLite inside are raised as store errors."""
    try:
        yield
    except OSError as error:
        raise files.store_error(doing, error) from error
    except sqlite3.Error as error:
        raise database.store_error(doing, error) from error


class Shelf:
    def __init__(
        self, directory: Path, *, durability: Durability, retention: Retention, clock: Callable[[], float]
    ) -> None:
        self.directory = directory
        self.durable = durability == "full"
        self.retention = retention
        self.clock = clock
        self.index = Index(directory, durability)
        self.mended: list[str] = []  # why the index had to be made anew, since somebody last asked
        self._lock = threading.RLock()
        self._placed = False  # whether the directory itself has been synced
        self._users = 0  # one, or one that looks while it changes
        _shelves.add(self)

    def path(self, name: str) -> Path:
        return self.directory / name

    def expired(self, kept_at: float) -> bool:
        return self.retention.expired(kept_at, self.clock())

    def horizon(self) -> float:
        """Results kept before then have expired."""
        return self.retention.horizon(self.clock())

    # -- looking and changing

    def ask(self, question: Callable[[Index], T], nothing: T) -> T:
        """The answer of the index; `nothing` where nothing has been kept. Creates no directory and no index."""
        with self._using("reading the index"):
            broken = None
            try:
                self.index.refresh()
                return self._answer(question)
            except FileNotFoundError:
                if not self._any_result():
                    return nothing
            except Unusable as error:
                if not error.rubbish and not self._any_result():
                    return nothing
            except sqlite3.DatabaseError as error:
                if not database.is_rubbish(error):
                    raise
                broken = self.index.identity
            with locked(self.directory):
                self._mend(broken)
                return self._answer(question)

    def change(self, doing: str, work: Callable[[Index], T]) -> T:
        """Does the work while nobody else changes anything; once more where the index turns out to be damaged."""
        with self._using(doing):
            self.make_directory()
            with locked(self.directory):
                self._mend(None)
                if not self.index.writable:
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self.directory))
                try:
                    return work(self.index)
                except sqlite3.DatabaseError as error:
                    if not database.is_unfit(error):  # also for what SQLite takes for the file of a newer version
                        raise
                    self._mend(self.index.identity)
                    return work(self.index)

    def make_directory(self) -> None:
        files.make_directory(self.directory)
        if self.durable and not self._placed:
            files.sync_way_to(self.directory)
            self._placed = True

    def settle(self, doing: str, question: Callable[[Index], T]) -> T | None:
        """Asks while nobody changes anything, where this process may take the lock."""
        if self.ask(lambda index: index.writable, False):
            return self.change(doing, question)
        return self.ask(question, None)

    def page(self, before: Key) -> list[tuple[Key, Handle, Record | None]]:
        return self.ask(lambda index: index.page(before), [])

    def unindexed(self, found: list[str]) -> list[str]:
        return self.ask(lambda index: index.unindexed(found), [])

    def close(self) -> None:
        with self._lock:
            self.index.close()

    def before_fork(self) -> None:
        """Waits for who uses the index, and closes it: a child that has SQLite's locks only by hearsay can destroy it.

        With it ends every use of the lock between processes, which a child would share and hold on to.
        """
        self._lock.acquire()
        self.index.close()

    def after_fork(self) -> None:
        self._lock.release()

    @contextmanager
    def _using(self, doing: str) -> Iterator[None]:
        with self._lock, told(doing):
            self._users += 1
            try:
                yield
            finally:
                self._users -= 1
                if not self._users and not self.index.lasting:
                    self.index.close()

    def _answer(self, question: Callable[[Index], T]) -> T:
        with self.index.snapshot():
            return question(self.index)

    def _any_result(self) -> bool:
        try:
            with os.scandir(self.directory) as entries:
                return any(names.is_result(entry.name) for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return False

    # -- files and their rows

    def fault(self, record: Record) -> str | None:
        """What is wrong with the file of a record, as far as it shows without reading it."""
        try:
            found = self.path(record.name).lstat()
        except FileNotFoundError:
            return "its file is missing"
        if not stat.S_ISREG(found.st_mode):
            return "it is not a regular file"
        if found.st_size != record.size:
            return f"its file has {found.st_size:,} bytes, {record.size:,} were kept"
        return None

    def adopt(self, index: Index, name: str) -> bool:
        """Gives a file that is in place a row, unless it is none of ours or its content has a good file already."""
        try:
            descriptor = files.open_file(self.path(name))
        except (FileNotFoundError, files.NotARegularFile):
            return False
        try:
            kept_at = os.fstat(descriptor).st_mtime
            facts = facts_of(files.chunks(descriptor))
        finally:
            os.close(descriptor)
        known = index.record(facts.handle)
        if known is not None and self.fault(known) is None:
            return False
        tool, media = names.told_by(name)
        record = make_record(facts, tool=tool, media=media, path=self.path(name), kept_at=kept_at)
        with index.transaction():
            index.add(record, facts.table)
        return True

    # -- the index made anew, under the lock

    def remake(self, index: Index) -> None:
        """Makes a new index if the present one is damaged."""
        self._mend(index.identity)

    def _mend(self, broken: Identity | None) -> None:
        """Sees to a usable index. One that is said to be broken is looked at again through a new connection."""
        if broken is not None:
            self.index.close()
        try:
            self.index.refresh()
        except FileNotFoundError:
            self._make("it was missing", rubbish=False)
        except Unusable as error:
            self._make(str(error), rubbish=error.rubbish)
        else:
            wrong = self.index.wrong() if broken is not None and broken == self.index.identity else None
            if wrong is not None:
                self._make(wrong, rubbish=True)

    def _make(self, why: str, *, rubbish: bool) -> None:
        new = not self.index.path.exists()
        if rubbish:
            self.index.move_aside()
        self._create()
        adopted = self._adopt_all()
        self.index.finish()
        if new and files.is_ours_alone(self.directory):
            files.make_private(self.directory, self.clock(), durable=self.durable)
        if rubbish or adopted:
            self.mended.append(why)
            log.warning("made a new index of %d kept results in %s: %s", adopted, self.directory, why)

    def _create(self) -> None:
        """Twice in what is there, if need be: a file is not given up for one failed read."""
        for _ in range(2):
            try:
                self.index.create()
            except (Unusable, sqlite3.DatabaseError) as error:
                if isinstance(error, sqlite3.DatabaseError) and not database.is_unfit(error):
                    raise
            else:
                return
        self.index.move_aside()
        self.index.create()

    def _adopt_all(self) -> int:
        adopted = 0
        with os.scandir(self.directory) as entries:
            for entry in entries:
                if names.is_result(entry.name):
                    # One file that cannot be read must not keep the others from being found.
                    try:
                        adopted += self.adopt(self.index, entry.name)
                    except OSError as error:
                        log.warning("%s is left out of the new index: %s", entry.path, error)
        return adopted


def make_record(facts: Facts, *, tool: str, media: Media, path: Path, kept_at: float) -> Record:
    return Record(
        handle=facts.handle,
        digest=facts.digest.hex(),
        size=facts.size,
        newlines=facts.newlines,
        media=media,
        tool=tool,
        name=path.name,
        path=str(path),
        kept_at=kept_at,
    )
