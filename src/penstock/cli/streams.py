"""Streams read by threads, whose pieces come out in one place: one mechanism for pipes, stdin, and every platform.

Each stream is read only a few pieces ahead, so that memory stays constant however fast it is.
"""

from __future__ import annotations

import os
import queue
import threading
from typing import Final, NamedTuple, Protocol

from penstock.capture import widen

READ: Final = 256 * 1024
AHEAD: Final = 8


class Piece(NamedTuple):
    stream: str
    data: bytes


class Ended(NamedTuple):
    stream: str
    error: OSError | None


class Signalled(NamedTuple):
    number: int


class Exited(NamedTuple):
    code: int


Event = Piece | Ended | Signalled | Exited


class Source(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class Streams:
    def __init__(self) -> None:
        # The only queue that a signal handler may put something in while the same thread is taking something out.
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._room = threading.Semaphore(AHEAD)

    def read(self, name: str, source: Source) -> None:
        widen(source)
        # A daemon, because a process that keeps a pipe open must not keep us from ending.
        threading.Thread(target=self._pump, args=(name, source), name=f"penstock {name}", daemon=True).start()

    def tell(self, event: Event) -> None:
        self._events.put(event)

    def next(self, seconds: float) -> Event | None:
        try:
            event = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(event, Piece):
            self._room.release()
        return event

    def _pump(self, name: str, source: Source) -> None:
        error = None
        try:
            while self._room.acquire() and (data := source.read(READ)):
                self.tell(Piece(name, data))
        except OSError as failed:
            error = failed
        # Here, since no other thread may close what this one could be waiting for.
        source.close()
        self.tell(Ended(name, error))


class Descriptor:
    """Reads past Python's buffers: their locks end a program badly in which a thread still waits for input."""

    def __init__(self, number: int) -> None:
        self._number = number

    def read(self, size: int) -> bytes:
        return os.read(self._number, size)

    def fileno(self) -> int:
        return self._number

    def close(self) -> None:
        """It is not ours to close."""
