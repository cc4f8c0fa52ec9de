"""What is done to a store, in a process of its own, while something breaks.

`python worker.py DIRECTORY STEP...` does the steps and prints, flushed, a line before and one after each:
    start STEP            it may have happened from here on
    ok STEP               acknowledged: it must have happened, whatever breaks next
    error STEP TYPE       refused; it may or may not have happened
A step is `keep:N`, `read:N`, `delete:N` (N numbers a content), `admit:N` (through a gate, which answers `kept`
or `unkept`), `age:DAYS` (moves the clock), `sweep`, `repair`, or `reopen` (close and open again). Steps that the
store refused are tried once more at the end: what broke must not have broken the process. `forever:SEED` does
steps at random until the store refuses one or somebody ends it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from penstock.core.handle import handle_for
from penstock.core.limits import Limits
from penstock.errors import PenstockError, StoreError
from penstock.stores.contract import BLOCK, keep
from penstock.stores.disk import DiskStore

SIZES = (90, 4_000, 70_000, 0, BLOCK + 5_000, 1_200)
DAY = 86_400
LIMITS = Limits(chars=1_000, lines=10)  # of a view; the contents 1, 2 and 4 modulo 6 are over them
Durability = Literal["full", "normal", "none"]


def content(number: int) -> bytes:
    """Lines that differ between contents from the first byte on; every sixth from 3 on is only its number."""
    chance = random.Random(number)
    text = b"%d\n" % number
    while len(text) < SIZES[number % len(SIZES)]:
        text += b"%d %s\n" % (number, chance.randbytes(60).hex().encode())
    return text


def keeps(first: int, count: int) -> str:
    """The steps that keep that many contents."""
    return " ".join(f"keep:{number}" for number in range(first, first + count))


def admit(store: DiskStore, number: int) -> str:
    """Whether a gate kept that content. Its view is bounded, and promises nothing that was not kept."""
    # Here, since the many workers that have no gate would wait for these.
    from penstock.gate import BareGate
    from penstock.ledger.sqlite import SqliteLedger

    gate = BareGate(store=store, ledger=SqliteLedger(store.directory / "index.sqlite"))
    view = gate.admit(content(number), tool="grep", limits=LIMITS)
    assert view.size.lines <= 10 and view.size.chars <= 1_000, view.size
    assert view.truncated, f"content {number} is too small to need keeping"
    if view.handle is not None:
        return "kept"
    assert view.failure and view.path is None, view
    assert "not kept" in view.text and "ps-" not in view.text and "read_output" not in view.text, view.text
    return "unkept"


class Worker:
    def __init__(self, directory: str, durability: Durability, **options: Any) -> None:
        self.ahead = 0.0
        self.make: Callable[[], DiskStore] = lambda: DiskStore(
            Path(directory), durability=durability, clock=lambda: time.time() + self.ahead, **options
        )
        self.store: DiskStore | None = None

    def do(self, step: str) -> str:
        """What there is to say of it, if anything."""
        verb, _, argument = step.partition(":")
        if verb == "age":
            self.ahead += float(argument) * DAY
            return ""
        if verb in ("reopen", "close") and self.store is not None:
            closing, self.store = self.store, None
            closing.close()
        if verb == "close":
            return ""
        store = self.store = self.store or self.make()
        if verb == "keep":
            keep(store, content(int(argument)), tool=f"tool {int(argument) % 3}", media="text")
        elif verb == "read":
            expected = content(int(argument))
            if store.read(handle_for(expected), 0, len(expected) + 1) != expected:
                raise AssertionError(f"wrong bytes of {argument}")
        elif verb == "admit":
            return admit(store, int(argument))
        elif verb == "delete":
            store.delete(handle_for(content(int(argument))))
        elif verb == "sweep":
            store.sweep()
        elif verb == "repair":
            store.check(read_data=True, repair=True)
        return ""

    def attempt(self, step: str) -> BaseException | None:
        print("start", step, flush=True)
        try:
            said = self.do(step)
        except (PenstockError, KeyboardInterrupt) as failure:
            print("error", step, type(failure).__name__, failure, flush=True)
            return failure
        print(f"ok {step} {said}".rstrip(), flush=True)
        return None

    def run(self, steps: Iterable[str]) -> None:
        refused = [step for step in steps if isinstance(self.attempt(step), StoreError | KeyboardInterrupt)]
        for step in (*refused, "close"):
            self.attempt(step)

    def run_until_refused(self, steps: Iterator[str]) -> None:
        while not isinstance(self.attempt(next(steps)), StoreError):
            pass


def forever(seed: int) -> Iterator[str]:
    chance, made = random.Random(seed), seed * 1_000_000
    while True:
        old = chance.randrange(seed * 1_000_000, made + 1)
        made += 1
        yield chance.choices(
            (f"keep:{made}", f"keep:{old}", f"delete:{old}", f"read:{made - 1}", "sweep", "reopen"),
            (60, 10, 10, 12, 5, 3),
        )[0]


started: list[subprocess.Popen[str]] = []  # by the test that runs


def start(directory: Path, *steps: str, durability: str = "full", before: Iterable[str] = ()) -> subprocess.Popen[str]:
    """A worker, which makes the same calls every time; `before` is the command that it runs under."""
    command = [*before, sys.executable, __file__, str(directory), durability, *" ".join(steps).split()]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    started.append(worker)
    return worker


def first_line_of(worker: subprocess.Popen[str]) -> str:
    """Waits for it. Read by bytes: what `readline` reads ahead would be missing in `lines_of`."""
    assert worker.stdout is not None
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(worker.stdout.fileno(), 1)
        assert piece, "the worker ended without a word"
        line += piece
    return line.decode()


def lines_of(worker: subprocess.Popen[str], *, killed: bool = False) -> list[str]:
    """The whole lines that it printed until its end. It may have warned; it has not fallen over."""
    text, errors = worker.communicate(timeout=120)
    assert worker.returncode == (-signal.SIGKILL if killed else 0), errors
    return text.rpartition("\n")[0].splitlines()


if __name__ == "__main__":
    directory, asked, *steps = sys.argv[1:]
    durability: Durability = "full" if asked == "full" else "normal" if asked == "normal" else "none"
    worker = Worker(directory, durability)
    if steps[0].startswith("forever:"):
        worker.run_until_refused(forever(int(steps[0][8:])))
    else:
        worker.run(steps)
