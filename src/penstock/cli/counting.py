"""How many files an index will look at, counted beside the work, so that one can see how much of it is done."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Self

from penstock.cli import console
from penstock.search.walk import Census, walked


class Total:
    """`files` is None until all are counted. Without a terminal nobody looks, and nothing is counted."""

    def __init__(self, root: Path) -> None:
        self.files: int | None = None
        self._root = root
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._count, daemon=True)

    def __enter__(self) -> Self:
        if console.is_terminal(sys.stderr):
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _count(self) -> None:
        files = 0
        for _ in walked(self._root, Census()):
            if self._over.is_set():
                return
            files += 1
        self.files = files
