"""Content taken in pieces, in constant memory: all of it while it is small, else its first and last megabytes.

The same bytes give the same content however they were cut into pieces, and `Gate.admit` takes large results through
here as well: so what streamed in is shown exactly as if it had come at once.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.core.census import take_census
from penstock.core.content import Content, Errors, Hole
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.measure import Meter, Size

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
        self._sampled = sampled
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
        if not data:
            return
        if len(data) < PIECE:
            self._small += data
            if len(self._small) < PIECE:
                return
            data = bytes(self._small)
            self._small.clear()
        elif self._small:
            self._queue(bytes(self._small))
            self._small.clear()
        self._queue(data)

    def _queue(self, piece: bytes) -> None:
        self._tail.append(piece)
        self._tail_size += len(piece)
        while self._tail_size - len(self._tail[0]) >= self._end:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._middle += gone[: self._sampled - len(self._middle)]

    def finish(self) -> Content:
        size = self._meter.finish()
        tail = b"".join([*self._tail, bytes(self._small)])
        if self.whole:
            return Content(bytes(self._head) + tail, size, self.errors)
        gone, tail = tail[: -self._end], tail[-self._end :]
        self._middle += gone[: self._sampled - len(self._middle)]
        return self._with_hole(bytes(self._head), bytes(self._middle), tail, size)

    def _with_hole(self, head: bytes, middle: bytes, tail: bytes, size: Size) -> Content:
        """Both ends cut at whole lines where there are any near the edge; what is cut off belongs to the middle."""
        seam = head + middle[:EDGE]
        line = head.rfind(b"\n", len(head) - EDGE) + 1
        stop = line or cut_at_or_before(seam, len(head), max(0, len(head) - EDGE))
        line = tail.find(b"\n", 0, EDGE) + 1
        start = line or cut_at_or_after(tail, 0, min(EDGE, len(tail)))
        kept_head, kept_tail = head[:stop], tail[start:]
        hidden = self.size - len(kept_head) - len(kept_tail)
        looked_at = head[stop:] + middle
        census = take_census(looked_at)
        if len(looked_at) + start < hidden:
            census = census._replace(complete=False)
        hole = Hole(
            place=len(kept_head),
            bytes=hidden,
            newlines=self._meter.newlines - kept_head.count(b"\n") - kept_tail.count(b"\n"),
            ends_line=bool(line),
            census=census,
        )
        return Content(kept_head + kept_tail, size, self.errors, (hole,))
