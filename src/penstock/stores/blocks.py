"""What is known about content once it was written: its digest, and a table of its blocks.

The table holds, for each block of BLOCK bytes, the first 16 bytes of its SHA-256 and the number of newlines before
it. With it a reader verifies only what it touches, and finds a line of a huge result without reading the result.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Queue

from penstock.core.handle import Handle, handle_of
from penstock.errors import StoreError
from penstock.stores.contract import BLOCK

Chunk = bytes | bytearray | memoryview

PREFIX = 16  # bytes of a block's SHA-256 that are kept: 128 bits, against damage and not against an attacker
COUNT = 8  # bytes of a newline count, little-endian, so that a store may be read on another machine

# Starting a thread costs about as much as digesting 200 KB; above this size it is worth it.
_ALONE = 4 * 1024 * 1024


def blocks_of(size: int) -> int:
    return -(-size // BLOCK)


@dataclass(frozen=True, slots=True)
class BlockTable:
    prefixes: bytes
    counts: bytes

    def fits(self, size: int) -> bool:
        """Whether this can be the table of content with `size` bytes."""
        blocks = blocks_of(size)
        return len(self.prefixes) == blocks * PREFIX and len(self.counts) == blocks * COUNT

    def wrong_block(self, first: int, data: Chunk) -> int | None:
        """The first block in `data`, which starts with block `first`, that is not what was written."""
        view = memoryview(data)
        for number, start in enumerate(range(0, len(data), BLOCK), first):
            found = hashlib.sha256(view[start : start + BLOCK]).digest()[:PREFIX]
            if found != self.prefixes[number * PREFIX : (number + 1) * PREFIX]:
                return number
        return None

    def newlines_before(self, block: int) -> int:
        return int.from_bytes(self.counts[block * COUNT : (block + 1) * COUNT], "little")

    def seek(self, line: int) -> tuple[int, int]:
        """A block start at or before the start of 1-based `line`, and the number of newlines before it.

        A block with exactly `line - 1` newlines before it may start in the middle of that line: it takes fewer.
        """
        low, high = 0, max(len(self.counts) // COUNT - 1, 0)
        while low < high:
            middle = (low + high + 1) // 2
            if self.newlines_before(middle) < line - 1:
                low = middle
            else:
                high = middle - 1
        return low * BLOCK, self.newlines_before(low)


@dataclass(frozen=True, slots=True)
class Facts:
    """What content is, without the content."""

    digest: bytes
    size: int
    newlines: int
    table: BlockTable

    @property
    def handle(self) -> Handle:
        return handle_of(self.digest)


class _Blocks:
    """Builds the table from pieces of any size."""

    def __init__(self) -> None:
        self.newlines = 0
        self._room = BLOCK  # left in the block that is being digested
        self._block = hashlib.sha256()
        self._prefixes = bytearray()
        self._counts = bytearray()

    def update(self, data: Chunk) -> None:
        view = memoryview(data)
        while view:
            if self._room == BLOCK:
                self._counts += self.newlines.to_bytes(COUNT, "little")
            piece, view = view[: self._room], view[self._room :]
            self._block.update(piece)
            self.newlines += bytes(piece).count(b"\n")
            self._room -= len(piece)
            if not self._room:
                self._close_block()

    def _close_block(self) -> None:
        self._prefixes += self._block.digest()[:PREFIX]
        self._block = hashlib.sha256()
        self._room = BLOCK

    def table(self) -> BlockTable:
        if self._room != BLOCK:
            self._close_block()
        return BlockTable(bytes(self._prefixes), bytes(self._counts))


class Digester:
    """Digests content in one pass; once there is much of it in two threads, as hashing releases the interpreter.

    What is handed to `update` must not be changed afterwards: the second thread may still be reading it.
    """

    def __init__(self) -> None:
        self.size = 0
        self._whole = hashlib.sha256()
        self._blocks = _Blocks()
        self._second: _Second | None = None

    def update(self, data: Chunk) -> None:
        self.size += len(data)
        if self._second is None and self.size >= _ALONE:
            self._second = _Second(self._blocks)
        if self._second is None:
            self._blocks.update(data)
        else:
            self._second.put(data)
        self._whole.update(data)

    def facts(self) -> Facts:
        """Ends the digesting."""
        self.stop()
        table = self._blocks.table()
        return Facts(self._whole.digest(), self.size, self._blocks.newlines, table)

    def stop(self) -> None:
        second, self._second = self._second, None
        if second is not None:
            second.finish()


class _Second:
    """The second thread. Its queue is short: memory stays constant when writing is faster than digesting."""

    def __init__(self, blocks: _Blocks) -> None:
        self._blocks = blocks
        self._queue: Queue[Chunk | None] = Queue(4)
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="penstock-digest", daemon=True)
        self._thread.start()

    def put(self, data: Chunk) -> None:
        self._queue.put(data)

    def finish(self) -> None:
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise StoreError(f"digesting the content failed: {self._failure}") from self._failure

    def _work(self) -> None:
        while (data := self._queue.get()) is not None:
            if self._failure is None:
                try:
                    self._blocks.update(data)
                except BaseException as failure:  # noqa: BLE001  # handed to the thread that waits; else it waits forever
                    self._failure = failure


def digest_of(chunks: Iterator[bytes]) -> bytes:
    whole = hashlib.sha256()
    for chunk in chunks:
        whole.update(chunk)
    return whole.digest()


def facts_of(chunks: Iterator[bytes]) -> Facts:
    digester = Digester()
    try:
        for chunk in chunks:
            digester.update(chunk)
        return digester.facts()
    finally:
        digester.stop()
