"""Which files match, and on how many lines each: by ripgrep where it is installed, else by reading every file.

Both give the same kinds of answer. What is shown of a match is found by Penstock's own search in either case, and where
ripgrep would take a pattern for something else, files are read, too.
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

from penstock.core.grep import is_over_lines, matcher, search
from penstock.errors import PenstockError, ToolError
from penstock.tools.globs import Globs
from penstock.tools.roots import Roots, readable
from penstock.tools.textfile import open_text
from penstock.tools.walk import files_under, is_hidden

# Lines of one file are counted up to this many; a model needs no more exact number.
COUNTED_MOST: Final = 10_000

# What means one thing to RE2 and another to ripgrep: the ends of words and of a text, sets of characters.
_UNLIKE: Final = re.compile(r"\\[<>Az]|\[[^\]]*(?:&&|--|~~|\[)")

_COUNT: Final = re.compile(rb"([^\0]+)\0(\d+)\n")
_FAILED: Final = 2


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
    """Matching lines by file, in the order of the paths. `complete` says that all files were looked at, `exact` that
    none has more lines than are counted."""

    lines: dict[Path, int] = field(default_factory=dict)
    complete: bool = True
    exact: bool = True


def count_lines(place: Path, roots: Roots, wanted: Wanted, seconds: float) -> Counted:
    program = installed()
    counted = None
    if program is not None and not _needs_reading(wanted):
        counted = _by_ripgrep(program, place, roots, wanted, seconds)
    if counted is None:
        counted = _by_reading(place, roots, wanted, seconds)
    counted.lines = dict(sorted(counted.lines.items(), key=lambda item: item[0].parts))
    return counted


def installed() -> str | None:
    """Ripgrep: the one of the environment that Penstock is installed in, or that of the machine."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("rg", path=beside) or shutil.which("rg")


def _needs_reading(wanted: Wanted) -> bool:
    """Whether ripgrep would find other lines, or none."""
    if not wanted.speakable or "\n" in wanted.pattern:
        return True
    return not wanted.fixed and (is_over_lines(wanted.pattern) or _UNLIKE.search(wanted.pattern) is not None)


def _by_ripgrep(program: str, place: Path, roots: Roots, wanted: Wanted, seconds: float) -> Counted | None:
    """None where ripgrep cannot: a pattern that RE2 takes may be none for it."""
    options = [
        "--no-config",
        "--no-messages",
        "--color=never",
        "--count",
        "--null",
        "--with-filename",
        "--no-require-git",
        "--no-ignore-global",
    ]
    # What lies above a root says nothing of it; nor do the rules by which a folder is left out that was asked for.
    options += ["--no-ignore-parent"] if place in roots.folders or is_hidden(place, roots) else []
    options += ["--ignore-case"] if wanted.ignore_case else []
    options += ["--fixed-strings"] if wanted.fixed else []
    options += ["--no-ignore", "--hidden", "--glob=!**/.git/**"] if wanted.everything else []
    globs = Globs.of(wanted.glob)
    if globs.name_glob is not None:  # as a type of files: what --glob names is searched even if it is to be ignored
        options += [f"--type-add=wanted:{globs.name_glob}", f"--type{'-not' if globs.excludes else ''}=wanted"]
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
            output = running.stdout.read()
    finally:
        timer.cancel()
        running.kill()
    counted.complete = not over.is_set()
    if counted.complete and running.returncode == _FAILED and not output:
        return None
    for path, number in _COUNT.findall(output):
        told = os.fsdecode(path).removeprefix("./")
        if globs.name_glob is not None or globs.wants(readable(told)):
            counted.lines[folder / told] = int(number)
    return counted


def _by_reading(place: Path, roots: Roots, wanted: Wanted, seconds: float) -> Counted:
    match = matcher(wanted.pattern, fixed=wanted.fixed, ignore_case=wanted.ignore_case)
    until = time.monotonic() + seconds
    counted = Counted()

    def expired() -> bool:
        return time.monotonic() > until

    for path in files_under(place, roots, Globs.of(wanted.glob), everything=wanted.everything):
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
        counted.exact &= found.ended != "matches"
    return counted
