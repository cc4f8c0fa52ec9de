"""Which files match, and on how many lines each: by ripgrep where it is installed, else by reading every file.

Both give the same kinds of answer. What is shown of a match is found by Penstock's own search in either case.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from penstock.core.grep import matcher, search
from penstock.errors import ArgumentError, PenstockError, ToolError
from penstock.tools.roots import Roots
from penstock.tools.textfile import open_text
from penstock.tools.walk import Globs, files_under

# Lines of one file are counted up to this many; a model needs no more exact number.
COUNTED_MOST: Final = 10_000

LONGEST_GLOB: Final = 1_000

# What ripgrep ends with where it does not understand a pattern or a glob; also where it could not read some file.
_REFUSED: Final = 2

# As `--count --null` prints a file. Names may hold newlines.
_COUNT: Final = re.compile(rb"([^\0]+)\0(\d+)\n")


@dataclass(frozen=True, slots=True)
class Wanted:
    pattern: str
    ignore_case: bool = False
    fixed: bool = False
    glob: str | None = None
    everything: bool = False  # hidden and ignored files too

    @property
    def speakable(self) -> bool:
        """Whether it can be said on a command line."""
        try:
            said = f"{self.pattern}{self.glob or ''}".encode()
        except UnicodeEncodeError:
            return False
        return b"\0" not in said


@dataclass(slots=True)
class Counted:
    """Matching lines by file, in the order of the paths. `complete` says that all files were looked at."""

    lines: dict[Path, int] = field(default_factory=dict)
    complete: bool = True


def count_lines(place: Path, roots: Roots, wanted: Wanted, seconds: float) -> Counted:
    if wanted.glob is not None and len(wanted.glob) > LONGEST_GLOB:
        raise ArgumentError("glob", wanted.glob, f"at most {LONGEST_GLOB:,} characters")
    globs = Globs.of(wanted.glob)  # refuses what is none
    program = installed()
    # What ripgrep cannot be given, or does not understand, is searched here.
    counted = None if program is None or not wanted.speakable else _by_ripgrep(program, place, wanted, seconds)
    if counted is None:
        counted = _by_reading(place, roots, wanted, globs, seconds)
    counted.lines = dict(sorted(counted.lines.items(), key=lambda item: item[0].parts))
    return counted


def installed() -> str | None:
    """Ripgrep: the one of the environment that Penstock is installed in, or that of the machine."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("rg", path=beside) or shutil.which("rg")


def _by_ripgrep(program: str, place: Path, wanted: Wanted, seconds: float) -> Counted | None:
    options = [
        "--no-config",
        "--no-messages",
        "--color=never",
        "--count",
        "--null",
        "--with-filename",
        "--no-require-git",
    ]
    options += ["--ignore-case"] if wanted.ignore_case else []
    options += ["--fixed-strings"] if wanted.fixed else []
    options += ["--no-ignore", "--hidden", "--glob=!**/.git/**"] if wanted.everything else []
    options += [f"--glob={wanted.glob}"] if wanted.glob else []
    # Globs are matched from where ripgrep runs.
    folder, name = (place, ".") if place.is_dir() else (place.parent, place.name)
    try:
        running = subprocess.Popen(  # noqa: S603  # a list of arguments; what a model wrote stands behind -e and --
            [program, *options, "-e", wanted.pattern, "--", os.path.join(".", name)],  # noqa: PTH118  # a Path would drop the dot
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise ToolError(f"ripgrep cannot be started: {error.strerror}") from None
    counted = Counted()
    over = threading.Event()

    def give_up() -> None:
        over.set()
        running.kill()

    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        with running:
            assert running.stdout is not None  # noqa: S101  # it was asked for
            for path, number in _COUNT.findall(running.stdout.read()):
                counted.lines[folder / os.fsdecode(path)] = int(number)
    finally:
        timer.cancel()
        running.kill()
    counted.complete = not over.is_set()
    refused = running.returncode == _REFUSED and not counted.lines
    return None if refused else counted


def _by_reading(place: Path, roots: Roots, wanted: Wanted, globs: Globs, seconds: float) -> Counted:
    match = matcher(wanted.pattern, fixed=wanted.fixed, ignore_case=wanted.ignore_case)
    until = time.monotonic() + seconds
    counted = Counted()

    def expired() -> bool:
        return time.monotonic() > until

    for path in files_under(place, roots, globs, everything=wanted.everything):
        if expired():
            counted.complete = False
            break
        try:
            text = open_text(path)
        except (PenstockError, OSError):
            continue  # as grep does with what it may not read
        if text is None:
            continue
        with text:
            found = search(text, match, most=COUNTED_MOST, expired=expired)
        if found.hits:
            counted.lines[path] = len(found.hits)
        counted.complete &= found.ended != "time"
    return counted
