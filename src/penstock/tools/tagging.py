"""The tags of all files of a tree, brought up to what the tree holds now, within a time.

1. Whether a file changed is asked of its time and size first, then of its content. What did not change is not parsed.
2. What was parsed is written as the run goes on. A run that is killed, or out of time, keeps what it has, and the next
   one goes on from there.
3. Files that went are forgotten when a walk has come to its end, and not before.
4. Where nothing can be kept the tags are there all the same, and it is said why.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from penstock.errors import PenstockError, StoreError
from penstock.search.languages import language_of
from penstock.search.walk import LARGEST, Candidate, Census, source_of, walked
from penstock.tools.roots import opened
from penstock.tools.tag_file import DamagedTags, Known, TagFile
from penstock.tools.tagger import Tagger
from penstock.tools.tags import FileTags

# More than these take too much memory, at 15 to 30 KB each.
MOST_FILES: Final = 20_000
BATCH_FILES: Final = 200
TOO_LARGE: Final = "too large"  # as the walk calls it
BATCH_SECONDS: Final = 1.0

# A walk that takes longer is interrupted to parse what it has found, so that a call in a huge tree gets on, too.
_WALKING: Final = 0.5

# A file that was written just before it was read may be written again within the same tick of the clock.
_TICK_NS: Final = 50_000_000


@dataclass(slots=True)
class Tagged:
    """What is known of the files below a place, in the order of their paths."""

    files: list[tuple[str, FileTags]]
    waiting: int  # files that were found and not looked at
    complete: bool  # whether all files were found, and looked at
    parsed: int
    kept: str  # why nothing could be kept; "" where it was
    too_large: int  # files that were not read for their size
    state: object  # the same for the same files with the same tags


@dataclass(slots=True)
class _Run:
    """One call: what it has found, and what of it is to be written."""

    until: float
    tagger: Tagger
    census: Census = field(default_factory=Census)
    found: dict[str, FileTags] = field(default_factory=dict)
    waiting: list[Candidate] = field(default_factory=list)
    changed: dict[str, Known] = field(default_factory=dict)
    written_at: float = field(default_factory=time.monotonic)
    parsed: int = 0
    walked: bool = False

    @property
    def full(self) -> bool:
        return len(self.found) + len(self.waiting) >= MOST_FILES

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self.until


class Tree:
    """The tags of one root, in memory and on disk. Safe for threads: one call after the other."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[str, Known] = {}
        self._generation = -1
        self._changes = 0
        self._file: TagFile | None = None
        self._kept = ""

    def tagged(self, place: Path, seconds: float, first: Callable[[str], float]) -> Tagged:
        """Of the files below `place`, or of the file that it is; those that `first` says the least of come first."""
        with self._lock:
            until = time.monotonic() + seconds
            self._open()
            try:
                with Tagger() as tagger:
                    return self._tagged(place, _Run(until, tagger), first)
            finally:
                if self._file is not None:
                    self._file.close()
                    self._file = None

    def _tagged(self, place: Path, run: _Run, first: Callable[[str], float]) -> Tagged:
        candidates = self._candidates(place, run.census)
        began = time.monotonic()
        self._walk(run, candidates, began + (run.until - began) * _WALKING)
        run.waiting.sort(key=lambda candidate: (first(candidate.path), candidate.path))
        self._parse(run)
        while not (run.walked or run.full or run.waiting or run.expired):
            self._walk(run, candidates, time.monotonic() + 0.1)
            self._parse(run)
        complete = run.walked and not run.waiting
        self._write(run, self._gone(place, run) if complete else [])
        state = (place, self._changes) if not run.waiting and (run.walked or run.full) else object()
        files = sorted(run.found.items(), key=lambda item: item[0])
        return Tagged(files, len(run.waiting), complete, run.parsed, self._kept, run.census.left_out[TOO_LARGE], state)

    def _walk(self, run: _Run, candidates: Iterator[Candidate], until: float) -> None:
        """Find files until a time; those that are known are looked at with that."""
        for candidate in candidates:
            known = self._known.get(candidate.path)
            if known is not None and (known.size, known.mtime_ns) == (candidate.size, candidate.mtime_ns):
                run.found[candidate.path] = known.tags
            else:
                run.waiting.append(candidate)
            if run.full or time.monotonic() >= until:
                return
        run.walked = True

    def _candidates(self, place: Path, census: Census) -> Iterator[Candidate]:
        told = place.relative_to(self._root).as_posix()
        if not place.is_dir():
            found = place.stat()
            candidates = iter([Candidate(told, place, found.st_size, found.st_mtime_ns)])
        else:
            candidates = walked(self._root, census, "" if told == "." else told)
        return (candidate for candidate in candidates if _may_define(candidate))

    def _parse(self, run: _Run) -> None:
        for number, candidate in enumerate(run.waiting):
            if run.expired or not self._take(run, candidate):
                del run.waiting[:number]
                return
            if len(run.changed) >= BATCH_FILES or time.monotonic() - run.written_at > BATCH_SECONDS:
                self._write(run)
        run.waiting.clear()

    def _take(self, run: _Run, candidate: Candidate) -> bool:
        """False when the time was over before the file was understood."""
        before = self._known.get(candidate.path)
        now = time.time_ns()
        try:
            with opened(candidate.full) as file:
                data = file.read(LARGEST + 1)
        except PenstockError:
            return True  # gone, or not to be read
        digest = hashlib.blake2b(data, digest_size=16).digest()
        try:
            tags = before.tags if before is not None and before.digest == digest else _tags(candidate, data, run)
        except TimeoutError:
            return False
        settled = now - candidate.mtime_ns > _TICK_NS
        known = Known(candidate.size, candidate.mtime_ns if settled else 0, digest, tags)
        run.found[candidate.path] = tags
        if known != before:
            run.changed[candidate.path] = known
        return True

    def _gone(self, place: Path, run: _Run) -> list[str]:
        told = place.relative_to(self._root).as_posix()
        below = "" if told == "." else told + "/"
        return [path for path in self._known if path not in run.found and (path == told or path.startswith(below))]

    # -- on disk -------------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._kept = ""
        try:
            try:
                self._load()
            except DamagedTags:
                self._discard()
                self._load()
        except StoreError as error:
            self._fail(error)

    def _load(self) -> None:
        self._file = TagFile.of(self._folder, self._root)
        generation = self._file.generation()
        if generation != self._generation:
            self._known = self._file.load()
            self._generation = generation
            self._changes += 1

    def _write(self, run: _Run, gone: list[str] | None = None) -> None:
        if run.changed or gone:
            self._changes += any(
                path not in self._known or self._known[path].tags is not known.tags
                for path, known in run.changed.items()
            ) or bool(gone)
            self._known.update(run.changed)
            for path in gone or ():
                del self._known[path]
            try:
                if self._file is not None:
                    self._generation = self._file.write(run.changed, gone or ())
            except DamagedTags as error:
                self._discard()
                self._fail(error)
            except StoreError as error:
                self._fail(error)
        run.changed = {}
        run.written_at = time.monotonic()

    def _discard(self) -> None:
        if self._file is not None:
            self._file.discard()
            self._file = None

    def _fail(self, error: StoreError) -> None:
        self._kept = str(error)
        self._generation = -1  # what is in memory is not what is on disk
        if self._file is not None:
            self._file.close()
            self._file = None


def _may_define(candidate: Candidate) -> bool:
    """Prose and data define nothing. A name that cannot be printed cannot be told, either."""
    language = language_of(candidate.path)
    return (language is None or language.wants_grammar) and candidate.path.isprintable()


def _tags(candidate: Candidate, data: bytes, run: _Run) -> FileTags:
    run.parsed += 1
    if len(data) > LARGEST:
        return FileTags(lack=TOO_LARGE)
    source = source_of(candidate, data)
    if isinstance(source, str):
        return FileTags(lack=source)
    return run.tagger.tags(source, run.until) if source.language.wants_grammar else FileTags(lack="no language")
