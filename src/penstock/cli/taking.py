"""The loop in which `run` and `pipe` take what streams give into captures."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from penstock.capture import Capture
from penstock.cli.progress import Progress
from penstock.cli.streams import Ended, Event, Piece, Streams
from penstock.errors import ToolError

TICK: Final = 0.2

# What is waited for once a command has ended, or we were told to stop, while somebody still holds the stream open:
# a server that was left running in the background must not keep its starter waiting forever.
SILENCE: Final = 1.0
MOST: Final = 5.0


class Taking:
    def __init__(self, streams: Streams, captures: Mapping[str, Capture], progress: Progress) -> None:
        self._streams = streams
        self._captures = captures
        self._progress = progress
        self._open = set(captures)
        self._closing: float | None = None
        self._heard = time.monotonic()

    def step(self) -> Event | None:
        """Take what came, or wait a moment for it; what else happened is returned."""
        event = self._streams.next(TICK)
        if isinstance(event, Piece):
            self._captures[event.stream].write(event.data)
            self._heard = time.monotonic()
        elif isinstance(event, Ended):
            self._open.discard(event.stream)
            if event.error is not None:
                raise ToolError(f"{event.stream} cannot be read: {event.error.strerror}")
        self._progress.tick(sum(capture.size for capture in self._captures.values()))
        return event

    def wind_up(self) -> None:
        """From now on, silence is an end."""
        if self._closing is None:
            self._closing = self._heard = time.monotonic()

    @property
    def left_open(self) -> bool:
        return bool(self._open)

    @property
    def done(self) -> bool:
        if not self._open:
            return True
        now = time.monotonic()
        return self._closing is not None and (now - self._heard > SILENCE or now - self._closing > MOST)
