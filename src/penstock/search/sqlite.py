"""The embedded engine: one SQLite file a project, with FTS5 for the terms and a write-ahead log for many processes.

- The text stands once, in `chunks`. What is around a chunk is in its neighbours.
- Readers never wait for a writer. Writers wait for one another, a batch at a time.
- What a search is narrowed to stands among the terms, so that FTS5 leaves out the rest (`expression`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.errors import StoreError
from penstock.search import words
from penstock.search.contract import (
    Batch,
    Candidate,
    Chunk,
    FileState,
    Filters,
    IndexedFile,
    Repository,
    Sought,
    Vectors,
)
from penstock.search.expression import (
    facet_of_extension,
    facet_of_folder,
    facet_of_language,
    facet_of_repository,
    facets_of_file,
    matching,
)
from penstock.search.sqlite_file import SqliteFile
from penstock.search.sqlite_rows import COLUMNS, SEPARATOR, TABLES, candidate_of, condition_of, names_of

if TYPE_CHECKING:
    from penstock.search.sqlite_vectors import SqliteVectors

_BY_TERMS: Final = (
    f"SELECT {COLUMNS}, t.rank FROM {TABLES} JOIN terms t ON t.rowid = c.id "  # noqa: S608  # constants
    "WHERE t.terms MATCH ? ORDER BY t.rank LIMIT ?"
)
_BY_NAME: Final = (
    f"SELECT {COLUMNS} FROM {TABLES} JOIN definitions d ON d.chunk = c.id WHERE d.name = ? AND {{}} LIMIT ?"  # noqa: S608  # as above
)
_CHUNKS_OF_FILE: Final = (
    "SELECT c.id, f.language, c.start_line, c.end_line, c.content, c.symbols, c.scope "
    "FROM chunks c JOIN files f ON f.id = c.file WHERE c.file = ?"
)
_FORGET_TERMS: Final = "INSERT INTO terms (terms, rowid, path, symbols, place, text) VALUES ('delete', ?, ?, ?, ?, ?)"


class _Place(NamedTuple):
    repository: int
    path: str
    language: str


class SqliteIndex:
    """Opens what is there; with `create`, makes what is not, and makes anew what another version left."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._file = SqliteFile(path, create=create)
        self._counting = threading.Lock()
        self._counted: tuple[object, int, dict[str, int]] = (None, 0, {})
        self._vectors: SqliteVectors | None = None

    @property
    def name(self) -> str:
        return self._file.path.name

    # -- questions -----------------------------------------------------------------------------------------------------

    def repositories(self) -> list[Repository]:
        rows = self._file.rows(
            "SELECT r.name, r.root, (SELECT count(*) FROM files f WHERE f.repository = r.id), "
            "(SELECT count(*) FROM chunks c JOIN files f ON f.id = c.file WHERE f.repository = r.id), r.indexed_at "
            "FROM repositories r ORDER BY r.name"
        )
        return [Repository(*row) for row in rows]

    def names(self) -> list[str]:
        return [name for (name,) in self._file.rows("SELECT name FROM repositories ORDER BY name")]

    def states(self, repository: str) -> dict[str, FileState]:
        rows = self._file.rows(
            "SELECT f.path, f.size, f.mtime_ns, f.digest FROM files f JOIN repositories r ON r.id = f.repository "
            "WHERE r.name = ?",
            repository,
        )
        return {path: FileState(size, mtime_ns, digest) for path, size, mtime_ns, digest in rows}

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        total, counts = self._counts(terms)
        return {term: counts[term] / max(1, total) for term in terms}

    def candidates(self, sought: Sought, filters: Filters, most: int) -> list[Candidate]:
        found: dict[int, Candidate] = {}
        facets = self._facets(filters)
        if sought.terms:
            expression = matching(sought.terms, self._counts((*sought.terms, *facets))[1], facets)
            for row in self._file.rows(_BY_TERMS, expression, most):
                found[row[0]] = candidate_of(row[:-1], -row[-1])
        condition, values = condition_of(filters)
        for name in sought.names:
            for row in self._file.rows(_BY_NAME.format(condition), name, *values, most):
                found.setdefault(row[0], candidate_of(row, 0.0))
        return list(found.values())

    def contents(self, chunks: Sequence[int]) -> dict[int, str]:
        found = (
            row for chunk in chunks for row in self._file.rows("SELECT id, content FROM chunks WHERE id = ?", chunk)
        )
        return dict(found)

    def lines(self, repository: str, path: str, first: int, last: int) -> str:
        rows = self._file.rows(
            "SELECT c.start_line, c.content FROM chunks c JOIN files f ON f.id = c.file JOIN repositories r "
            "ON r.id = f.repository WHERE r.name = ? AND f.path = ? AND c.start_line <= ? AND c.end_line >= ? "
            "ORDER BY c.start_line",
            repository,
            path,
            last,
            first,
        )
        kept = []
        for start, content in rows:
            within = content.split("\n")
            ends = [*(line + "\n" for line in within[:-1]), within[-1]]
            kept += [line for number, line in enumerate(ends, start) if first <= number <= last]
        return "".join(kept)

    def files(self, repository: str) -> Iterator[IndexedFile]:
        rows = self._file.rows(
            "SELECT f.id, f.path, f.language, f.size, f.mtime_ns, f.digest FROM files f JOIN repositories r "
            "ON r.id = f.repository WHERE r.name = ? ORDER BY f.path",
            repository,
        )
        for number, path, language, *state in rows:
            chunks = self._file.rows(
                "SELECT start_line, end_line, content, symbols, scope FROM chunks WHERE file = ? "
                "ORDER BY start_line, id",
                number,
            )
            cut = [
                Chunk(start, end, text, names_of(symbols), names_of(scope))
                for start, end, text, symbols, scope in chunks
            ]
            yield IndexedFile(path, language, FileState(*state), cut)

    def vectors(self, model: str) -> Vectors:
        with self._counting:
            if self._vectors is None or self._vectors.model != model:
                # It asks for the extra, which an index without vectors does not need.
                from penstock.search.sqlite_vectors import SqliteVectors  # noqa: PLC0415

                self._vectors = SqliteVectors(self._file, model)
            return self._vectors

    # -- changes -------------------------------------------------------------------------------------------------------

    def begin(self, repository: str, root: str) -> None:
        with self._file.transaction():
            self._file.execute(
                "INSERT INTO repositories (name, root) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET root = excluded.root",
                repository,
                root,
            )

    def write(self, repository: str, batch: Batch) -> None:
        with self._file.transaction():
            number = self._number(repository)
            for path in batch.removed:
                self._remove(number, path)
            for path, state in batch.touched.items():
                self._file.execute(
                    "UPDATE files SET size = ?, mtime_ns = ? WHERE repository = ? AND path = ? AND digest = ?",
                    state.size,
                    state.mtime_ns,
                    number,
                    path,
                    state.digest,
                )
            for file in batch.files:
                self._remove(number, file.path)
                self._insert(number, file)

    def finish(self, repository: str, at: float) -> None:
        with self._file.transaction():
            self._file.execute("UPDATE repositories SET indexed_at = ? WHERE name = ?", at, repository)

    def forget(self, repository: str) -> bool:
        with self._file.transaction():
            found = self._file.rows("SELECT id FROM repositories WHERE name = ?", repository)
            for (number,) in found:
                for (path,) in self._file.rows("SELECT path FROM files WHERE repository = ?", number):
                    self._remove(number, path)
                self._file.execute("DELETE FROM repositories WHERE id = ?", number)
        return bool(found)

    def close(self) -> None:
        self._file.close()

    # -- inside --------------------------------------------------------------------------------------------------------

    def _number(self, repository: str) -> int:
        rows = self._file.rows("SELECT id FROM repositories WHERE name = ?", repository)
        if not rows:
            raise StoreError(f"the repository {repository!r} was removed from {self._file.path} meanwhile")
        return int(rows[0][0])

    def _insert(self, repository: int, file: IndexedFile) -> None:
        state = file.state
        cursor = self._file.execute(
            "INSERT INTO files (repository, path, language, size, mtime_ns, digest) VALUES (?, ?, ?, ?, ?, ?)",
            *(repository, file.path, file.language, state.size, state.mtime_ns, state.digest),
        )
        number = cursor.lastrowid
        place = _Place(repository, file.path, file.language)
        for chunk in file.chunks:
            cursor = self._file.execute(
                "INSERT INTO chunks (file, start_line, end_line, symbols, scope, content) VALUES (?, ?, ?, ?, ?, ?)",
                *(number, chunk.start_line, chunk.end_line),
                *(SEPARATOR.join(chunk.symbols), SEPARATOR.join(chunk.scope), chunk.content),
            )
            at = cursor.lastrowid
            self._file.execute(
                "INSERT INTO terms (rowid, path, symbols, place, text) VALUES (?, ?, ?, ?, ?)",
                at,
                *_terms(place, chunk),
            )
            for name in chunk.symbols:
                self._file.execute("INSERT OR IGNORE INTO definitions (name, chunk) VALUES (?, ?)", name.lower(), at)

    def _remove(self, repository: int, path: str) -> None:
        for (file,) in self._file.rows("SELECT id FROM files WHERE repository = ? AND path = ?", repository, path):
            for row in self._file.rows(_CHUNKS_OF_FILE, file):
                at, language, start, end, content, symbols, scope = row
                place = _Place(repository, path, language)
                chunk = Chunk(start, end, content, names_of(symbols), names_of(scope))
                self._file.execute(_FORGET_TERMS, at, *_terms(place, chunk))
                self._file.execute("DELETE FROM definitions WHERE chunk = ?", at)
                self._file.execute("DELETE FROM vectors WHERE chunk = ?", at)
            self._file.execute("DELETE FROM chunks WHERE file = ?", file)
            self._file.execute("DELETE FROM files WHERE id = ?", file)

    def _facets(self, filters: Filters) -> list[str]:
        facets = []
        if filters.repository is not None:
            facets.append(facet_of_repository(self._number(filters.repository)))
        if filters.extension:
            facets.append(facet_of_extension(filters.extension))
        if filters.language:
            facets.append(facet_of_language(filters.language))
        if filters.directory:
            facets.append(facet_of_folder(filters.directory))
        return facets

    def _counts(self, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """All chunks, and those with each term; remembered until something is written."""
        with self._counting:
            state = self._file.state()
            if self._counted[0] != state:
                self._counted = (state, self._file.rows("SELECT count(*) FROM terms_docsize")[0][0], {})
            _, total, known = self._counted
            for term in terms:
                if term not in known:
                    rows = self._file.rows("SELECT doc FROM vocabulary WHERE term = ?", term)
                    known[term] = rows[0][0] if rows else 0
            return total, known


def _terms(place: _Place, chunk: Chunk) -> tuple[str, str, str, str]:
    facets = " ".join(facets_of_file(*place))
    return _joined((place.path,)), _joined((*chunk.symbols, *chunk.scope)), facets, _joined((chunk.content,))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(term for text in texts for term in words.terms(text))
