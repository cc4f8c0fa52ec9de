"""A tree into an index: what is new or changed is read, cut and written; what is gone is removed.

1. Whether a file changed is asked of its time and size first, then of its content.
2. Batches are written as they go. A run that is killed keeps what it has written, and the next one goes on from there:
   what is in the index is not read again.
3. Files that went are removed at the end, and only if the walk came to its end.
4. A run may be asked to stop. It writes what it has read, and its report says that it is not complete.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from penstock.errors import CallerError
from penstock.search.chunks import chunked
from penstock.search.contract import Batch, FileState, Index, IndexedFile
from penstock.search.grammars import has_grammar, parse
from penstock.search.walk import Candidate, Census, Source, source_of, walked

BATCH_CHARS: Final = 2_000_000
BATCH_FILES: Final = 200
BATCH_SECONDS: Final = 5.0


@dataclass
class Report:
    """What a run did. `left_out` and `unknown` say what it did not look at, and why."""

    repository: str
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    complete: bool = False
    seconds: float = 0.0
    languages: Counter[str] = field(default_factory=Counter)  # files that are in the index, by language
    without_grammar: Counter[str] = field(default_factory=Counter)  # those that were cut by lines for want of one
    left_out: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def seen(self) -> int:
        return self.indexed + self.unchanged


Progress = Callable[[Report], None]


def index_tree(
    index: Index,
    root: Path,
    repository: str,
    *,
    progress: Progress = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Bring the index of a repository up to what its tree holds now."""
    root = root.resolve()
    if not root.is_dir():
        raise CallerError(f"path = {str(root)!r} is not allowed: it must be a folder that can be read")
    began = time.monotonic()
    index.begin(repository, str(root))
    run = _Run(index, repository, root, progress, stop)
    run.go()
    if run.report.complete:
        index.finish(repository, clock())
    run.report.seconds = time.monotonic() - began
    return run.report


class _Run:
    def __init__(self, index: Index, repository: str, root: Path, progress: Progress, stop: Callable[[], bool]) -> None:
        self.report = Report(repository)
        self._index = index
        self._root = root
        self._progress = progress
        self._stop = stop
        self._before = index.states(repository)
        self._files: list[IndexedFile] = []
        self._touched: dict[str, FileState] = {}
        self._chars = 0
        self._written_at = time.monotonic()

    def go(self) -> None:
        census = Census()
        self.report.left_out, self.report.unknown = census.left_out, census.unknown
        gone = set(self._before)
        for candidate in walked(self._root, census):
            if self._stop():
                self._write()
                return
            if self._take(candidate):
                gone.discard(candidate.path)
            self._progress(self.report)
            self._write_when_due()
        self._write(sorted(gone))
        self.report.removed = len(gone)
        self.report.complete = True

    def _take(self, candidate: Candidate) -> bool:
        """Whether the file is in the index, or will be."""
        before = self._before.get(candidate.path)
        if before is not None and (before.size, before.mtime_ns) == (candidate.size, candidate.mtime_ns):
            self.report.unchanged += 1
            return True
        try:
            data = candidate.full.read_bytes()
        except OSError:
            self.report.left_out["unreadable"] += 1
            return False
        state = FileState(candidate.size, candidate.mtime_ns, hashlib.blake2b(data, digest_size=16).digest())
        if before is not None and before.digest == state.digest:
            self._touched[candidate.path] = state
            self.report.unchanged += 1
            return True
        source = source_of(candidate, data)
        if isinstance(source, str):
            self.report.left_out[source] += 1
            return False
        self._add(candidate.path, state, source)
        return True

    def _add(self, path: str, state: FileState, source: Source) -> None:
        language = source.language
        parsed = None
        if language.wants_grammar:
            if has_grammar(language.name):
                parsed = parse(language.name, source.text.encode("utf-8", "replace"))
            else:
                self.report.without_grammar[language.name] += 1
        chunks = chunked(list(_lines(source.text)), parsed)
        self._files.append(IndexedFile(path, language.name, state, chunks))
        self._chars += len(source.text)
        self.report.indexed += 1
        self.report.chunks += len(chunks)
        self.report.languages[language.name] += 1

    def _write_when_due(self) -> None:
        waited = time.monotonic() - self._written_at > BATCH_SECONDS
        if self._chars > BATCH_CHARS or len(self._files) >= BATCH_FILES or (waited and self._files):
            self._write()

    def _write(self, removed: list[str] | None = None) -> None:
        if self._files or self._touched or removed:
            self._index.write(self.report.repository, Batch(self._files, self._touched, removed or ()))
        self._files, self._touched, self._chars = [], {}, 0
        self._written_at = time.monotonic()


def _lines(text: str) -> Iterator[str]:
    """With their ends, as grammars count them: a carriage return alone ends none."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]
