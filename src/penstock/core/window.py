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
END: Final = 5 * 1024 * 1024

# What is held of the middle, only to count its errors.
SAMPLED: Final = 2 * 1024 * 1024

# Small pieces are joined to this size before they are queued: a queue of single bytes would take 34 bytes for each.
PIECE: Final = 64 * 1024

# How far from the edge of the middle a line break is looked for.
EDGE: Final = 64 * 1024

_NEWLINE: Final = ord("\n")


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
        head, rest = self._head, b"".join([*self._tail, self._small])
        if self.whole:
            return Content(b"".join([head, rest]), size, self.errors)
        # However it came, the middle is the first `sampled` bytes after the head.
        at = max(0, len(rest) - self._end - LOOK)
        middle = bytes(self._middle) + rest[: min(at, self._sampled - len(self._middle))]
        joined = len(head) + len(middle) + len(rest) - at == self.size
        stop = self._last_cut((middle + rest[at : at + LOOK])[:LOOK] if joined else middle[:LOOK])
        start = self._first_cut(rest, at)
        census = take_census(b"".join([head[stop:], middle, rest[at:start] if joined else b""]))
        hole = Hole(
            place=stop,
            bytes=self.size - stop - (len(rest) - start),
            newlines=self._meter.newlines - head.count(b"\n", 0, stop) - rest.count(b"\n", start),
            ends_line=rest[start - 1] == _NEWLINE,
            census=census if joined else census._replace(complete=False),
        )
        ends = b"".join([memoryview(head)[:stop], memoryview(rest)[start:]])
        return Content(ends, size, self.errors, (hole,))

    def _last_cut(self, after: bytes) -> int:
        """Where the head ends: after the last line that ends near its edge, or inside a line where a cut is safe."""
        head, edge = self._head, min(EDGE, self._end // 2)
        line = head.rfind(b"\n", len(head) - edge) + 1
        if line:
            return line
        near = bytes(head[-edge - LOOK :]) + after
        pos = len(near) - len(after)
        return len(head) - pos + max(cut_at_or_before(near, pos), advance(near, 0, pos - edge, chars=None, size=None))

    def _first_cut(self, rest: bytes, at: int) -> int:
        """Where the tail begins, seen from LOOK bytes before it and no more, whatever the pieces were."""
        begin, edge = len(rest) - self._end, min(EDGE, self._end // 2)
        before = rest[at:begin]
        if at == 0:
            before = bytes(self._head[-LOOK:]) + before
        before = before[-LOOK:]
        near = before + rest[begin : begin + edge + LOOK]
        pos = len(before)
        line = near.find(b"\n", pos - 1, pos + edge) + 1
        cut = line or min(cut_at_or_after(near, pos), retreat(near, pos + edge, len(near), chars=None, size=None))
        return begin - pos + cut
