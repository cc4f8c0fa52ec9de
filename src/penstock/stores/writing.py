"""The way of one result onto the disk: written as a part, published under its name, acknowledged by a row."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from penstock.core.handle import Handle
from penstock.errors import Damaged, StoreError
from penstock.stores import files, names
from penstock.stores.blocks import Chunk, Digester, Facts, digest_of
from penstock.stores.contract import Media, Record
from penstock.stores.files import STEP, Part
from penstock.stores.index import Index
from penstock.stores.shelf import Shelf, make_record, told

KEEPING = "keeping the result"

Stamp = tuple[int, int, int, int]  # of a file: any write to it, or a file in its place, gives another one

_TRIES = 10_000  # names that files without a row may hold


class Kept(NamedTuple):
    """What is kept, and when."""

    facts: Facts
    tool: str
    media: Media
    at: float


class DiskWriter:
    """Content below STEP bytes touches the disk at `commit` only, and not at all when it is there already."""

    def __init__(self, shelf: Shelf, kept: Callable[[Handle], None]) -> None:
        self._shelf = shelf
        self._kept = kept
        self._digester = Digester()
        self._rest = bytearray()  # less than STEP bytes, not digested or written yet
        self._size = 0
        self._part: Part | None = None
        self._ended = False
        self._process = os.getpid()

    def write(self, data: bytes) -> None:
        self._check_alive()
        self._size += len(data)
        try:
            self._shelf.retention.check_room(self._size)
            view = memoryview(data)
            if not view.readonly:
                view = memoryview(bytes(view))  # it may be changed while a second thread still digests it
            while view:
                room = STEP - len(self._rest)
                self._take(view[:room])
                view = view[room:]
        except BaseException:
            self.abort()
            raise

    def commit(self, *, tool: str, media: Media, expect: Handle | None = None) -> Record:
        self._check_alive()
        try:
            self._digester.update(self._rest)
            facts = self._digester.facts()
            if expect is not None and facts.handle != expect:
                raise Damaged(expect, f"the content that was written has the handle {facts.handle}")
            record = self._keep(facts, tool, media)
        finally:
            self.abort()
        self._kept(record.handle)
        return record

    def abort(self) -> None:
        self._ended = True
        self._rest = bytearray()
        if self._process != os.getpid():
            return  # part and thread are the parent's
        self._digester.stop()
        part, self._part = self._part, None
        if part is not None:
            with suppress(OSError):  # what remains is a part without a process: the next sweep removes it
                part.discard()

    def _check_alive(self) -> None:
        if self._ended:
            raise StoreError("this writer has ended: open another one")
        if self._process != os.getpid():
            raise StoreError("a writer cannot be used in a forked process: open it there")

    def _take(self, piece: memoryview) -> None:
        if len(piece) == STEP:
            self._pour(piece)
            return
        self._rest += piece
        if len(self._rest) == STEP:
            full, self._rest = self._rest, bytearray()
            self._pour(full)

    def _pour(self, chunk: Chunk) -> None:
        self._digester.update(chunk)
        with told(KEEPING):
            self._open_part().write(chunk)

    def _open_part(self) -> Part:
        if self._part is None:
            self._shelf.make_directory()
            self._part = Part(self._shelf.directory)
        return self._part

    # -- keeping

    def _keep(self, facts: Facts, tool: str, media: Media) -> Record:
        known = self._shelf.ask(lambda index: index.record(facts.handle), None)
        if known is not None:
            with told(KEEPING):
                verified = _verified(self._shelf, known, facts)
            renewed = self._shelf.change(KEEPING, lambda index: _renewed(self._shelf, index, facts, verified))
            if renewed is not None:
                return renewed
        with told(KEEPING):
            at = self._shelf.clock()
            part = self._open_part()
            part.write(self._rest)
            part.settle(at, durable=self._shelf.durable)  # synced before anybody has to wait for the lock

        kept = Kept(facts, tool, media, at)
        return self._shelf.change(KEEPING, lambda index: _kept(self._shelf, index, part, kept))


class Place(NamedTuple):
    """A file name, with the tool and the media that it tells of."""

    name: str
    tool: str
    media: Media


def _renewed(shelf: Shelf, index: Index, facts: Facts, verified: Stamp | None) -> Record | None:
    with index.transaction():
        return _renew(shelf, index, facts, verified)


def _kept(shelf: Shelf, index: Index, part: Part, kept: Kept) -> Record:
    try:
        with index.transaction():
            return _renew(shelf, index, kept.facts, None) or _place(shelf, index, part, kept)
    except BaseException:
        _withdraw(index, part, kept.facts.handle)
        raise


def _renew(shelf: Shelf, index: Index, facts: Facts, verified: Stamp | None) -> Record | None:
    """The record with a new date, if this content is kept already. None if it is not, or its file is not right."""
    record = index.record(facts.handle)
    if record is None:
        return None
    if record.digest != facts.digest.hex():
        raise StoreError(f"another content has the handle {facts.handle}: this one cannot be kept")
    path = shelf.path(record.name)
    try:
        descriptor = files.open_file(path)
    except (FileNotFoundError, files.NotARegularFile):
        return None
    try:
        if _stamp(descriptor) != verified and not _same(descriptor, facts):
            return None
        renewed = replace(record, kept_at=shelf.clock())
        files.set_date(descriptor, path, renewed.kept_at)
        if shelf.durable:
            # The date; and all that a less durable store left to the operating system.
            files.sync(descriptor)
            files.sync_directory(shelf.directory)
    finally:
        os.close(descriptor)
    if index.table(facts.handle) != facts.table:
        index.add(renewed, facts.table)
    else:
        index.renew(facts.handle, renewed.kept_at)
    return renewed


def _verified(shelf: Shelf, record: Record, facts: Facts) -> Stamp | None:
    """Reads the file of a record before anybody has to wait: what stamp it had, if it holds the content."""
    try:
        descriptor = files.open_file(shelf.path(record.name))
    except (FileNotFoundError, files.NotARegularFile):
        return None
    try:
        stamp = _stamp(descriptor)
        return stamp if _same(descriptor, facts) else None
    finally:
        os.close(descriptor)


def _stamp(descriptor: int) -> Stamp:
    found = os.fstat(descriptor)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _same(descriptor: int, facts: Facts) -> bool:
    """Whether a file holds the content: all of it is read, as a keep promises that it can be read again."""
    if os.fstat(descriptor).st_size != facts.size:
        return False
    try:
        return digest_of(files.chunks(descriptor)) == facts.digest
    except OSError:
        return False  # a bad sector: what cannot be read is written again


def _place(shelf: Shelf, index: Index, part: Part, kept: Kept) -> Record:
    name, tool, media = _publish(shelf, index, part, kept)
    if shelf.durable:
        files.sync_directory(shelf.directory)
    record = make_record(kept.facts, tool=tool, media=media, path=shelf.path(name), kept_at=kept.at)
    index.add(record, kept.facts.table)
    return record


def _publish(shelf: Shelf, index: Index, part: Part, kept: Kept) -> Place:
    for place in _places(shelf, index, kept):
        with suppress(FileExistsError):
            part.publish(place.name)
            return place
    raise StoreError(f"{KEEPING} failed: no file name is free in {shelf.directory}")


def _places(shelf: Shelf, index: Index, kept: Kept) -> Iterator[Place]:
    """Where to try. Content that was here before goes to its old name if that is free: a view that named it then is
    right again, and the same view made again is the same.
    """
    handle = kept.facts.handle
    earlier = index.record(handle) or index.gone(handle)
    if earlier is not None:
        if earlier.digest != kept.facts.digest.hex():
            raise StoreError(f"another content had the handle {handle}: this one cannot be kept")
        path = shelf.path(earlier.name)
        if isinstance(earlier, Record) and os.path.lexists(path):
            files.move_aside(path, at=kept.at)  # not the content, or `_renew` would have taken it
        if index.holder(earlier.name) == handle:
            yield Place(earlier.name, earlier.tool, earlier.media)
    stem = names.file_stem(kept.tool, kept.at)
    for number in _numbers(lambda: index.crowd(stem)):
        name = names.file_name(stem, kept.media, number)
        if index.holder(name) in (None, handle):
            yield Place(name, names.record_tool(kept.tool), kept.media)


def _numbers(crowd: Callable[[], int]) -> Iterator[int]:
    """The numbers to try, from 1. Where the first are taken it goes to where the crowd ends: a loop that calls a tool
    a thousand times in a second would otherwise try each name a thousand times.
    """
    yield from range(1, 5)
    start = max(5, crowd())
    yield from range(start, start + _TRIES)


def _withdraw(index: Index, part: Part, handle: Handle) -> None:
    """Takes the name back after a failure, unless a row says that the file is there, or nobody can tell: a file without
    a row is no promise, and a sweep deletes it in the end.
    """
    with suppress(sqlite3.Error, OSError):
        if part.published and index.record(handle) is None:
            part.withdraw()
