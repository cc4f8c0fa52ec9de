"""A tool for the tests: it goes on until a file is there, and says so with files of its own."""

from __future__ import annotations

import time
from pathlib import Path

from penstock.core.offers import Offer
from penstock.gate import BareGate
from penstock.tools.base import BareTool
from penstock.tools.toolset import Progress, Workshop, silent

OFFER = Offer(
    "wait",
    "Wait until the file `of`.go is there.",
    {"of": {"type": "string"}, "deaf": {"type": "boolean", "description": "Whether it never tells of its progress."}},
    ("of",),
)


class Wait(BareTool):
    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, folder: Path) -> None:
        super().__init__(gate)
        self._folder = folder

    def execute(self, of: str, *, deaf: bool = False, progress: Progress = silent) -> str:
        (self._folder / f"{of}.began").touch()
        try:
            until = time.monotonic() + 50
            while not (self._folder / f"{of}.go").exists() and time.monotonic() < until:
                time.sleep(0.01)
                if not deaf:
                    progress(1.0, "still waiting")
        finally:
            (self._folder / f"{of}.ended").touch()
        return "went"


def made(of: Workshop) -> Wait:
    return Wait(of.gate, of.roots.folders[0])
