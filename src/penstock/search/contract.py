"""What an index of code keeps and is asked. One index is one project; a project has repositories.

1. `write` is all or nothing, and what it wrote is found by the next question, of any process. Who is killed between
   two writes has lost nothing of the first.
2. Indexers and searchers may work on one index at the same time. Two indexers of the same repository do no harm: the
   last one that writes a file wins.
3. A candidate comes with all that ranking looks at, which its text is not. Engines find; they have no opinion.
4. Vectors are beside what is indexed: made later, by whoever has a model, and never missed where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from penstock.search.embedder import Vector


class Chunk(NamedTuple):
    start_line: int  # from 1 on
    end_line: int  # included
    content: str
    symbols: tuple[str, ...]  # the names that are defined in it; types and functions first
    scope: tuple[str, ...]  # the names of what it is inside of


class FileState(NamedTuple):
    """What tells whether a file has changed. `mtime_ns` and `size` first: where they differ the content is read."""

    size: int
    mtime_ns: int
    digest: bytes


class IndexedFile(NamedTuple):
    path: str
    language: str
    state: FileState
    chunks: Sequence[Chunk]


@dataclass(frozen=True, slots=True)
class Batch:
    """Changes to one repository."""

    files: Sequence[IndexedFile] = ()
    touched: Mapping[str, FileState] = field(default_factory=dict)  # new time, old content
    removed: Sequence[str] = ()


class Filters(NamedTuple):
    repository: str | None = None
    extension: str | None = None  # without its dot
    language: str | None = None
    directory: str | None = None  # relative to the repository's root


class Sought(NamedTuple):
    """What a query is to the engine."""

    terms: Sequence[str]  # the rarest first
    names: Sequence[str]  # definitions of exactly these are candidates, whatever their terms say


class Candidate(NamedTuple):
    id: int
    repository: str
    path: str
    language: str
    start_line: int
    end_line: int
    symbols: tuple[str, ...]
    scope: tuple[str, ...]
    bm25: float  # the larger, the better; 0 for what was found by its name or its vector alone


class Repository(NamedTuple):
    name: str
    root: str
    files: int
    chunks: int
    indexed_at: float | None  # Unix time of the last run that came to its end


class Unembedded(NamedTuple):
    """A chunk that has no vector."""

    id: int
    path: str
    symbols: tuple[str, ...]
    scope: tuple[str, ...]
    content: str


class Vectors(Protocol):
    """The unit vectors that one model made of an index's chunks. An index holds those of one model, the last."""

    def missing(self, after: int, most: int) -> list[Unembedded]:
        """Chunks without a vector of this model, by their numbers, beginning after one."""
        ...

    def add(self, vectors: Mapping[int, Vector], *, anew: bool = True) -> None:
        """Keep vectors of one length, but for those of chunks that are gone.

        Vectors of another model or length that the index has are removed. Where it is not to begin `anew`, this is
        refused instead, as somebody else makes them now.
        """
        ...

    def nearest(self, vector: Vector, filters: Filters, most: int) -> list[Candidate]:
        """The nearest first; none where the index has no vectors of this model, or the vector points nowhere.

        A vector of another length is an UpstreamError: the model is another one than it was.
        """
        ...


class Index(Protocol):
    @property
    def name(self) -> str:
        """Of the database, as responses tell it."""
        ...

    def repositories(self) -> list[Repository]:
        """With their sizes, which takes a moment where they are large."""
        ...

    def names(self) -> list[str]:
        """Of the repositories."""
        ...

    def states(self, repository: str) -> dict[str, FileState]:
        """Of every file that is indexed, by its path."""
        ...

    def begin(self, repository: str, root: str) -> None:
        """Declare a repository, so that it is known before its first file is."""
        ...

    def write(self, repository: str, batch: Batch) -> None: ...

    def finish(self, repository: str, at: float) -> None:
        """A run came to its end."""
        ...

    def forget(self, repository: str) -> bool:
        """Remove a repository and all of its files; whether there was one."""
        ...

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """The share of all chunks that have each term."""
        ...

    def candidates(self, sought: Sought, filters: Filters, most: int) -> list[Candidate]: ...

    def contents(self, chunks: Sequence[int]) -> dict[int, str]:
        """The text of candidates, by their numbers; without those that an indexer has replaced meanwhile."""
        ...

    def lines(self, repository: str, path: str, first: int, last: int) -> str:
        """Lines of an indexed file, as they were when it was indexed."""
        ...

    def files(self, repository: str) -> Iterator[IndexedFile]:
        """All that is indexed of a repository, file by file, by path."""
        ...

    def vectors(self, model: str) -> Vectors: ...

    def close(self) -> None: ...


class Projects(Protocol):
    """The indexes of one place, by project."""

    def names(self) -> list[str]: ...

    def opened(self, project_id: str) -> Index:
        """The index of a project that is there. It stays open."""
        ...

    def made(self, project_id: str) -> Index:
        """The index of a project, new where there is none. It is the caller's to close."""
        ...

    def forget(self, project_id: str) -> bool:
        """Remove a project with all that is indexed of it, of whichever version; whether there was one.

        Whoever has it open is told that it is gone: a search as of any unknown project, an indexer by its next write.
        """
        ...

    def close(self) -> None: ...
