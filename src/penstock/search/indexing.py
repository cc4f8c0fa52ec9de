"""A tree into an index: what is new or changed is read, cut and written; what is gone is removed.

1. Whether a file changed is asked of its time and size first, then of its content.
2. Batches are written as they go. A run that is killed keeps what it has written, and the next one goes on from there:
   what is in the index is not read again.
3. Files that went are removed at the end, and only if the walk came to its end. What is below a folder that cannot be
   read just now is not gone.
4. With an embedder, what has no vector gets one at the end. Where its model fails, the index is whole without it.
5. A run may be asked to stop. It writes what it has read, and its report says that it is not complete.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from penstock.errors import ArgumentError, UpstreamError
from penstock.search.contract import Batch, FileState, Index, IndexedFile
from penstock.search.cutting import WORKERS, Cut, Cutter
from penstock.search.embedder import Embedder
from penstock.search.embedding import embed_index
from penstock.search.walk import NO_LANGUAGE, Candidate, Census, content_of, ending_of, source_of, walked

BATCH_CHARS: Final = 2_000_000
BATCH_FILES: Final = 200
BATCH_SECONDS: Final = 5.0
_IN_FLIGHT: Final = 16


@dataclass
class Report:
    """What a run did. `left_out` and `unknown` say what it did not look at, and why."""

    repository: str
    looked_at: int = 0  # of the files that `walked` gives
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    chunks: int = 0
    complete: bool = False
    seconds: float = 0.0
    languages: Counter[str] = field(default_factory=Counter)  # files that this run indexed, by language
    without_grammar: Counter[str] = field(default_factory=Counter)  # those that were cut by lines for want of one
    not_parsed: int = 0  # cut by lines, as their grammar took too long or broke down
    left_out: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    vectors: int = 0
    no_vectors: str | None = None  # why some are missing

    @property
    def seen(self) -> int:
        return self.indexed + self.unchanged


Progress = Callable[[Report], None]


def index_tree(
    index: Index,
    root: Path,
    repository: str,
    *,
    embedder: Embedder | None = None,
    progress: Progress = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    workers: int = WORKERS,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Bring the index of a repository up to what its tree holds now."""
    if not isinstance(repository, str) or not 1 <= len(repository) <= 200 or not repository.isprintable():
        raise ArgumentError("repository_id", repository, "1 to 200 printable characters")
    root = root.resolve()
    if not root.is_dir():
        raise ArgumentError("path", str(root), "a folder that can be read")
    began = time.monotonic()
    if embedder is not None:
        index.vectors(embedder.model)  # what lacks a package says so now, and not when all is read
    index.begin(repository, str(root))
    cutter = Cutter(workers)
    try:
        run = _Run(index, repository, root, progress, stop, cutter)
        run.go()
    finally:
        cutter.close()
    if run.report.complete:
        index.finish(repository, clock())
        if embedder is not None:
            _embed(index, embedder, run.report, progress, stop)
    run.report.seconds = time.monotonic() - began
    return run.report


def _embed(index: Index, embedder: Embedder, report: Report, progress: Progress, stop: Callable[[], bool]) -> None:
    def tell(made: int) -> None:
        report.vectors = made
        progress(report)

    try:
        report.complete = embed_index(index, embedder, progress=tell, stop=stop)
    except UpstreamError as error:
        report.complete, report.no_vectors = False, str(error)


class _Pending(NamedTuple):
    """A file that is being cut."""

    path: str
    language: str
    chars: int
    state: FileState
    future: Future[Cut]


class _Run:
    def __init__(
        self,
        index: Index,
        repository: str,
        root: Path,
        progress: Progress,
        stop: Callable[[], bool],
        cutter: Cutter,
    ) -> None:
        self.report = Report(repository)
        self._index = index
        self._root = root
        self._progress = progress
        self._stop = stop
        self._cutter = cutter
        self._pending: deque[_Pending] = deque()
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
                self._collect(0)
                self._write()
                return
            if self._take(candidate):
                gone.discard(candidate.path)
            self.report.looked_at += 1
            self._collect(_IN_FLIGHT)
            self._progress(self.report)
            self._write_when_due()
        self._collect(0)
        gone = {path for path in gone if not path.startswith(tuple(census.unreadable))}
        self._write(sorted(gone))
        self.report.removed = len(gone)
        self.report.complete = True

    def _take(self, candidate: Candidate) -> bool:
        """Whether the file is in the index, or will be."""
        before = self._before.get(candidate.path)
        if before is not None and (before.size, before.mtime_ns) == (candidate.size, candidate.mtime_ns):
            self.report.unchanged += 1
            return True
        data = content_of(candidate)
        if data is None:
            self.report.left_out["unreadable"] += 1
            return False
        state = FileState(candidate.size, candidate.mtime_ns, hashlib.blake2b(data, digest_size=16).digest())
        if before is not None and before.digest == state.digest:
            self._touched[candidate.path] = state
            self.report.unchanged += 1
            return True
        source = source_of(candidate, data)
        if source == NO_LANGUAGE:
            self.report.unknown[ending_of(candidate.path)] += 1
            return False
        if isinstance(source, str):
            self.report.left_out[source] += 1
            return False
        future = self._cutter.submit(source.language, source.text)
        self._pending.append(_Pending(candidate.path, source.language.name, len(source.text), state, future))
        return True

    def _collect(self, most: int) -> None:
        """Take over what is cut, in order, and wait where more than so many files are not."""
        while self._pending and (len(self._pending) > most or self._pending[0].future.done()):
            pending = self._pending.popleft()
            cut = pending.future.result()
            self._files.append(IndexedFile(pending.path, pending.language, pending.state, cut.chunks))
            self._chars += pending.chars
            self.report.indexed += 1
            self.report.chunks += len(cut.chunks)
            self.report.languages[pending.language] += 1
            if cut.how == "no grammar":
                self.report.without_grammar[pending.language] += 1
            self.report.not_parsed += cut.how == "not parsed"

    def _write_when_due(self) -> None:
        waited = time.monotonic() - self._written_at > BATCH_SECONDS
        if self._chars > BATCH_CHARS or len(self._files) >= BATCH_FILES or (waited and self._files):
            self._write()

    def _write(self, removed: list[str] | None = None) -> None:
        if self._files or self._touched or removed:
            self._index.write(self.report.repository, Batch(self._files, self._touched, removed or ()))
        self._files, self._touched, self._chars = [], {}, 0
        self._written_at = time.monotonic()
