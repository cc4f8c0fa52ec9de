"""Results in the memory of one process: for tests, and where nothing may be written to a disk."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from penstock.core.handle import Handle
from penstock.errors import Damaged, ExpiredHandle, LimitError, StoreError, UnknownHandle
from penstock.stores import names
from penstock.stores.blocks import BlockTable, Digester, Facts
from penstock.stores.contract import Finding, Media, Record, Swept, Writer
from penstock.stores.retention import Retention

_SWEEP_EVERY = 600.0
_REMEMBERED = 100_000  # deleted results


@dataclass(frozen=True, slots=True)
class _Kept:
    record: Record
    table: BlockTable
    data: bytes


class MemoryStore:
    name = "memory"

    def __init__(
        self,
        retention_days: float = 7,
        quota_bytes: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._retention = Retention.of(retention_days, quota_bytes)
        self._clock = clock
        self._lock = threading.RLock()
        self._kept: dict[Handle, _Kept] = {}
        self._gone: dict[Handle, Record] = {}
        self._names: set[str] = set()
        self._size = 0
        self._swept_at = clock()

    def open(self) -> Writer:
        return _MemoryWriter(self._retention, self._keep)

    def stat(self, handle: Handle) -> Record:
        return self._find(handle).record

    def read(self, handle: Handle, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0:
            raise LimitError("offset" if offset < 0 else "size", min(offset, size), "a whole number from 0 on")
        return self._find(handle).data[offset : offset + size]

    def seek_line(self, handle: Handle, line: int) -> tuple[int, int]:
        if line < 1:
            raise LimitError("line", line, "a whole number from 1 on")
        return self._find(handle).table.seek(line)

    def records(self) -> Iterator[Record]:
        with self._lock:
            now = self._clock()
            found = [kept.record for kept in self._oldest() if not self._retention.expired(kept.record.kept_at, now)]
        return reversed(found)

    def delete(self, handle: Handle) -> None:
        with self._lock:
            if handle in self._kept:
                self._bury(self._kept[handle])
            elif handle not in self._gone:
                raise UnknownHandle(handle)

    def sweep(self) -> Swept:
        with self._lock:
            return self._sweep(spare=None)

    def check(self, *, read_data: bool = False, repair: bool = False) -> list[Finding]:  # noqa: ARG002  # the contract's
        return []

    def close(self) -> None:
        """Nothing to let go of: what is kept lives as long as the store."""

    def _keep(self, facts: Facts, data: bytes, tool: str, media: Media) -> Record:
        with self._lock:
            now = self._clock()
            known = self._kept.get(facts.handle)
            earlier = known.record if known else self._gone.get(facts.handle)
            if earlier is None:
                record = self._new_record(facts, tool, media, now)
            elif earlier.digest != facts.digest.hex():
                raise StoreError(f"another content has the handle {facts.handle}: this one cannot be kept")
            else:
                record = replace(earlier, kept_at=now)
            if known is None:
                self._gone.pop(facts.handle, None)
                self._size += facts.size
            self._kept.pop(facts.handle, None)  # its place in the order is the end
            self._kept[facts.handle] = _Kept(record, facts.table, data)
            if self._over() or abs(now - self._swept_at) >= _SWEEP_EVERY:
                self._sweep(spare=facts.handle)
        return record

    def _new_record(self, facts: Facts, tool: str, media: Media, now: float) -> Record:
        stem = names.file_stem(tool, now)
        tried = (names.file_name(stem, media, number) for number in itertools.count(1))
        name = next(name for name in tried if name not in self._names)
        self._names.add(name)
        return Record(
            handle=facts.handle,
            digest=facts.digest.hex(),
            size=facts.size,
            newlines=facts.newlines,
            media=media,
            tool=names.record_tool(tool),
            name=name,
            path=None,
            kept_at=now,
        )

    def _find(self, handle: Handle) -> _Kept:
        with self._lock:
            kept = self._kept.get(handle)
            if handle in self._gone or (kept and self._retention.expired(kept.record.kept_at, self._clock())):
                raise ExpiredHandle(handle)
            if kept is None:
                raise UnknownHandle(handle)
            return kept

    def _oldest(self) -> list[_Kept]:
        return sorted(self._kept.values(), key=lambda kept: kept.record.kept_at)

    def _over(self) -> bool:
        return self._retention.quota is not None and self._size > self._retention.quota

    def _sweep(self, spare: Handle | None) -> Swept:
        results, before = 0, self._size
        now = self._swept_at = self._clock()
        for kept in self._oldest():
            expired = self._retention.expired(kept.record.kept_at, now)
            if not expired and not self._over():
                break
            if kept.record.handle != spare:
                self._bury(kept)
                results += 1
        return Swept(results, before - self._size)

    def _bury(self, kept: _Kept) -> None:
        del self._kept[kept.record.handle]
        self._size -= kept.record.size
        self._gone[kept.record.handle] = kept.record
        if len(self._gone) > _REMEMBERED:
            forgotten = self._gone.pop(next(iter(self._gone)))
            self._names.discard(forgotten.name)


class _MemoryWriter:
    def __init__(
        self,
        retention: Retention,
        keep: Callable[[Facts, bytes, str, Media], Record],
    ) -> None:
        self._retention = retention
        self._keep = keep
        self._digester = Digester()
        self._data = bytearray()
        self._ended = False

    def write(self, data: bytes) -> None:
        self._check_alive()
        self._data += data
        self._digester.update(bytes(data))
        try:
            self._retention.check_room(len(self._data))
        except StoreError:
            self.abort()
            raise

    def commit(self, *, tool: str, media: Media, expect: Handle | None = None) -> Record:
        self._check_alive()
        try:
            facts = self._digester.facts()
            if expect is not None and facts.handle != expect:
                raise Damaged(expect, f"the content that was written has the handle {facts.handle}")
            return self._keep(facts, bytes(self._data), tool, media)
        finally:
            self.abort()

    def abort(self) -> None:
        self._ended = True
        self._digester.stop()
        self._data = bytearray()

    def _check_alive(self) -> None:
        if self._ended:
            raise StoreError("this writer has ended: open another one")
