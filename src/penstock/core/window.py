"""Content taken in pieces, in constant memory: all of it while it is small, else its first and last megabytes.

The same bytes give the same content however they were cut into pieces, and `Gate.admit` takes large results through
here as well: so what streamed in is shown exactly as if it had come at once.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.core.census import take_census
from penstock.core.content import LOOK, Content, Errors, Hole
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat
from penstock.core.measure import Meter

# What is held of each end. Several times any sensible limit, so a reducer has much to choose from.
END: Final = 8 * 1024 * 1024

# What is held of the middle, only to count its errors.
SAMPLED: Final = 4 * 1024 * 1024

# Small pieces are joined to this size before they are queued: a queue of single bytes would take 34 bytes for each.
PIECE: Final = 64 * 1024

# How far from the edge of the middle a line break is looked for.
EDGE: Final = 64 * 1024


class Collector:
    def __init__(self, errors: Errors = "replace", *, end: int = END, sampled: int = SAMPLED) -> None:
        self.errors = errors
        self._end = end
        self._sampled = max(sampled, LOOK)  # the cut after the head looks at what follows it
        self._meter = Meter(errors)
        self._head = bytearray()
        self._middle = bytearray()  # what followed the head, as far as it is looked at
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._small = bytearray()

    @property
    def size(self) -> int:
        return self._meter.raw

    @property
    def whole(self) -> bool:
        """Whether all that was fed is still held."""
        return self.size <= 2 * self._end

    def feed(self, data: bytes) -> None:
        self._meter.feed(data)
        room = self._end - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) >= PIECE and not self._small:
            self._queue(data)
            return
        self._small += data
        if len(self._small) >= PIECE:
            self._queue(bytes(self._small))
            self._small.clear()

    def _queue(self, piece: bytes) -> None:
        self._tail.append(piece)
        self._tail_size += len(piece)
        # The cut before the tail looks at what stands before it.
        while self._tail_size - len(self._tail[0]) >= self._end + LOOK:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._middle += gone[: self._sampled - len(self._middle)]

    def finish(self) -> Content:
        size = self._meter.finish()
        head, rest = bytes(self._head), b"".join([*self._tail, self._small])
        if self.whole:
            return Content(head + rest, size, self.errors)
        # However it came: the middle is the first `sampled` bytes after the head, and the tail is LOOK more than an end.
        at = max(0, len(rest) - self._end - LOOK)
        middle, tail = bytes(self._middle) + rest[: min(at, self._sampled - len(self._middle))], rest[at:]
        joined = len(head) + len(middle) + len(tail) == self.size
        after = middle + tail if joined else middle
        stop, start = self._last_cut(head, after[:LOOK]), self._first_cut(tail)
        kept = len(tail) - start
        census = take_census(head[stop:] + (after[: len(after) - kept] if joined else middle))
        hole = Hole(
            place=stop,
            bytes=self.size - stop - kept,
            newlines=self._meter.newlines - head.count(b"\n", 0, stop) - tail.count(b"\n", start),
            ends_line=tail[start - 1 : start] == b"\n",
            census=census if joined else census._replace(complete=False),
        )
        return Content(head[:stop] + tail[start:], size, self.errors, (hole,))

    def _last_cut(self, head: bytes, after: bytes) -> int:
        """Where the head ends: after the last line that ends near its edge, or inside a line where a cut is safe."""
        low = advance(head, 0, len(head) - self._edge, chars=None, size=None)
        line = head.rfind(b"\n", low) + 1
        return line or low + cut_at_or_before(head[low:] + after, len(head) - low)

    def _first_cut(self, tail: bytes) -> int:
        """Where the tail begins, seen from LOOK bytes before it."""
        at = len(tail) - self._end
        high = retreat(tail, at + self._edge, len(tail), chars=None, size=None)
        line = tail.find(b"\n", at - 1, high) + 1
        return line or cut_at_or_after(tail, at, high)

    @property
    def _edge(self) -> int:
        return min(EDGE, self._end // 2)
