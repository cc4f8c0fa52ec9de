"""One line on a terminal that says how much came so far, while something takes long. It is erased at the end."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Final, Self

from penstock.cli import console

AFTER: Final = 2.0
EVERY: Final = 0.5


class Progress:
    def __init__(self, *, wanted: bool = True) -> None:
        # Without cursor movements there is no erasing; plain spaces do it on every terminal that has a line.
        self._shown = wanted and console.is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._began = time.monotonic()
        self._last = self._began + AFTER - EVERY
        self._width = 0

    def tick(self, size: int) -> None:
        self.tell(amount(size))

    def tell(self, how_far: str) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < EVERY:
            return
        self._last = now
        text = f"{console.NAME}: {how_far}, {now - self._began:.0f} s"
        console.say(f"\r{text:{self._width}}")
        self._width = max(self._width, len(text))

    def erase(self) -> None:
        if self._width:
            console.say(f"\r{'':{self._width}}\r")
            self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase()


def amount(size: int) -> str:
    """A size as people say it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
