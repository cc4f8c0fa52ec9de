"""The embedded engine: one SQLite file a project, with FTS5 for the terms and a write-ahead log for many processes.

- The text stands once, in `chunks`. What is around a chunk is in its neighbours.
- Readers never wait for a writer. Writers wait for one another, a batch at a time.
- Terms that nearly all chunks have are not looked for beside rarer ones: they cost much and tell little.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from penstock.errors import StoreError
from penstock.search import words
from penstock.search.contract import Batch, Candidate, Chunk, FileState, Filters, IndexedFile, Repository, Sought
from penstock.search.sqlite_file import SqliteFile

# A query of common words alone would look at every chunk there is.
MOST_LOOKED_AT: Final = 20_000

_SEPARATOR: Final = "\n"

_COLUMNS: Final = (
    "c.id, r.name, f.path, f.language, c.start_line, c.end_line, c.content, c.symbols, c.scope "
    "FROM chunks c JOIN files f ON f.id = c.file JOIN repositories r ON r.id = f.repository"
)


_BY_TERMS: Final = (
    f"SELECT {_COLUMNS.replace(' FROM', ', t.rank FROM', 1)} JOIN terms t ON t.rowid = c.id "
    "WHERE t.terms MATCH ?{condition} ORDER BY t.rank LIMIT ?"
)
_BY_NAME: Final = f"SELECT {_COLUMNS} JOIN definitions d ON d.chunk = c.id WHERE d.name = ?{{condition}} LIMIT ?"
_CHUNKS_OF_FILE: Final = "SELECT id, start_line, end_line, content, symbols, scope FROM chunks WHERE file = ?"
_FORGET_TERMS: Final = "INSERT INTO terms (terms, rowid, path, symbols, text) VALUES ('delete', ?, ?, ?, ?)"


class SqliteIndex:
    """Opens what is there; with `create`, makes what is not, and makes anew what another version left."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._file = SqliteFile(path, create=create)
        self._counting = threading.Lock()
        self._counted: tuple[object, int, dict[str, int]] = (None, 0, {})

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
        condition, values = _condition(filters)
        if sought.terms:
            expression = self._expression(sought.terms)
            for row in self._file.rows(_BY_TERMS.format(condition=condition), expression, *values, most):
                found[row[0]] = _candidate(row[:-1], -row[-1])
        for name in sought.names:
            for row in self._file.rows(_BY_NAME.format(condition=condition), name, *values, most):
                found.setdefault(row[0], _candidate(row, 0.0))
        return list(found.values())

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
        for chunk in file.chunks:
            cursor = self._file.execute(
                "INSERT INTO chunks (file, start_line, end_line, symbols, scope, content) VALUES (?, ?, ?, ?, ?, ?)",
                *(number, chunk.start_line, chunk.end_line),
                *(_SEPARATOR.join(chunk.symbols), _SEPARATOR.join(chunk.scope), chunk.content),
            )
            at = cursor.lastrowid
            self._file.execute(
                "INSERT INTO terms (rowid, path, symbols, text) VALUES (?, ?, ?, ?)", at, *_terms(file.path, chunk)
            )
            for name in chunk.symbols:
                self._file.execute("INSERT OR IGNORE INTO definitions (name, chunk) VALUES (?, ?)", name.lower(), at)

    def _remove(self, repository: int, path: str) -> None:
        for (file,) in self._file.rows("SELECT id FROM files WHERE repository = ? AND path = ?", repository, path):
            for row in self._file.rows(_CHUNKS_OF_FILE, file):
                at, start, end, content, symbols, scope = row
                chunk = Chunk(start, end, content, _names(symbols), _names(scope))
                self._file.execute(_FORGET_TERMS, at, *_terms(path, chunk))
                self._file.execute("DELETE FROM definitions WHERE chunk = ?", at)
            self._file.execute("DELETE FROM chunks WHERE file = ?", file)
            self._file.execute("DELETE FROM files WHERE id = ?", file)

    def _expression(self, terms: Sequence[str]) -> str:
        """Any of the terms, the rarest first, until so many chunks would be looked at that it takes too long."""
        _, counts = self._counts(terms)
        taken: list[str] = []
        looked_at = 0
        for term in terms:
            if taken and looked_at + counts[term] > MOST_LOOKED_AT:
                break
            taken.append(f'"{term}"')
            looked_at += counts[term]
        if looked_at > MOST_LOOKED_AT and len(terms) > 1:
            return f'"{terms[0]}" AND "{terms[1]}"'
        return " OR ".join(taken)

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


def _condition(filters: Filters) -> tuple[str, list[str]]:
    condition, values = "", []
    if filters.repository is not None:
        condition += " AND r.name = ?"
        values.append(filters.repository)
    if filters.extension:
        condition += " AND f.path LIKE ? ESCAPE '\\'"
        values.append("%." + _escaped(filters.extension))
    if filters.language:
        condition += " AND f.language = ?"
        values.append(filters.language)
    directory = (filters.directory or "").strip("/")
    if directory and directory != ".":
        condition += " AND f.path LIKE ? ESCAPE '\\'"
        values.append(_escaped(directory.removeprefix("./")) + "/%")
    return condition, values


def _escaped(text: str) -> str:
    return "".join("\\" + c if c in "\\%_" else c for c in text)


def _candidate(row: Sequence[Any], bm25: float) -> Candidate:
    *before, symbols, scope = row
    return Candidate._make((*before, _names(symbols), _names(scope), bm25))


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(_SEPARATOR)) if text else ()


def _terms(path: str, chunk: Chunk) -> tuple[str, str, str]:
    return _joined((path,)), _joined((*chunk.symbols, *chunk.scope)), _joined((chunk.content,))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(term for text in texts for term in words.terms(text))
