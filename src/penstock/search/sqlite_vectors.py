"""The vectors of an embedded index: half-precision numbers beside the chunks, all of them compared with a query's.

A hundred thousand vectors of 256 numbers are compared in some 10 ms, so there is no structure to keep up. They stay in
memory, twice as large as in the file, until the index changes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from penstock.errors import MissingExtra, StoreError
from penstock.search.contract import Candidate, Filters, Unembedded
from penstock.search.embedder import Vector, check_length, made_meanwhile
from penstock.search.sqlite_file import SqliteFile
from penstock.search.sqlite_rows import COLUMNS, TABLES, candidate_of, condition_of, names_of

try:
    import numpy as np
except ImportError as missing:
    raise MissingExtra("search by meaning", "dense") from missing

_Numbers = np.ndarray[Any, np.dtype[Any]]

_MODEL: Final = "embedder"  # its key among the meta data
_STORED: Final = np.dtype("<f2")

_MISSING: Final = (
    f"SELECT c.id, f.path, c.symbols, c.scope, c.content FROM {TABLES} "  # noqa: S608  # constants of this package
    "WHERE c.id > ? AND (? OR NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id)) ORDER BY c.id LIMIT ?"
)
# In one question, as another model's may come between two.
_ALL: Final = (
    "SELECT chunk, vector, (SELECT count(*) FROM vectors) FROM vectors "
    "WHERE EXISTS (SELECT 1 FROM meta WHERE key = ? AND value = ?) ORDER BY chunk"
)
_ADD: Final = (
    "INSERT OR REPLACE INTO vectors (chunk, vector) SELECT ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?)"
)


class SqliteVectors:
    def __init__(self, file: SqliteFile, model: str) -> None:
        self.model = model
        self._file = file
        self._loading = threading.Lock()
        self._loaded: tuple[object, _Numbers, _Numbers] | None = None

    def missing(self, after: int, most: int) -> list[Unembedded]:
        rows = self._file.rows(_MISSING, after, not self._is_own(), most)
        return [
            Unembedded(at, path, names_of(symbols), names_of(scope), content)
            for at, path, symbols, scope, content in rows
        ]

    def add(self, vectors: Mapping[int, Vector], *, anew: bool = True) -> None:
        data = {chunk: np.asarray(vector, _STORED).tobytes() for chunk, vector in vectors.items()}
        if not data:
            return
        with self._file.transaction():
            if not self._is_own() or self._size() not in (0, len(next(iter(data.values())))):
                if not anew:
                    raise StoreError(made_meanwhile(self.model))
                self._file.execute("DELETE FROM vectors")
                self._file.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", _MODEL, self.model)
            for chunk, vector in data.items():
                self._file.execute(_ADD, chunk, vector, chunk)

    def nearest(self, vector: Vector, filters: Filters, most: int) -> list[Candidate]:
        chunks, stored = self._all()
        wanted = np.asarray(vector, np.float32)
        if not len(chunks) or not wanted.any():
            return []
        check_length(self.model, len(wanted), stored.shape[1])
        near = stored @ wanted
        if any(filters):
            near[~np.isin(chunks, self._within(filters), assume_unique=True)] = -np.inf
        first = np.argpartition(-near, most)[:most] if most < len(near) else np.arange(len(near))
        first = first[np.isfinite(near[first])]
        return self._candidates(chunks[first[np.lexsort((chunks[first], -near[first]))]].tolist())

    # -- inside --------------------------------------------------------------------------------------------------------

    def _is_own(self) -> bool:
        """Whether what vectors there are, are of this model."""
        return self._file.rows("SELECT value FROM meta WHERE key = ?", _MODEL) == [(self.model,)]

    def _size(self) -> int:
        """Of a vector in bytes; 0 where there are none."""
        rows = self._file.rows("SELECT length(vector) FROM vectors LIMIT 1")
        return int(rows[0][0]) if rows else 0

    def _all(self) -> tuple[_Numbers, _Numbers]:
        """The numbers of chunks, and their vectors, without those that point nowhere."""
        with self._loading:
            state = self._file.state()
            if self._loaded is None or self._loaded[0] != state:
                self._loaded = None  # so that there are never two of them
                self._loaded = state, *self._read()
            return self._loaded[1:]

    def _read(self) -> tuple[_Numbers, _Numbers]:
        chunks, stored, at = np.empty(0, np.int64), np.empty((0, 0), np.float32), 0
        for rows in self._file.batches(_ALL, _MODEL, self.model):
            block = np.frombuffer(b"".join(vector for _, vector, _ in rows), _STORED).reshape(len(rows), -1)
            if not at:
                count = rows[0][-1]
                chunks, stored = np.empty(count, np.int64), np.empty((count, block.shape[1]), np.float32)
            pointing = block.any(axis=1)
            end = at + int(np.count_nonzero(pointing))
            chunks[at:end] = np.fromiter((chunk for chunk, _, _ in rows), np.int64, len(rows))[pointing]
            stored[at:end] = block[pointing]
            at = end
        return chunks[:at], stored[:at]

    def _within(self, filters: Filters) -> _Numbers:
        condition, values = condition_of(filters)
        rows = self._file.rows(f"SELECT c.id FROM {TABLES} WHERE {condition}", *values)  # noqa: S608  # values are bound
        return np.fromiter((chunk for (chunk,) in rows), np.int64, len(rows))

    def _candidates(self, chunks: Sequence[int]) -> list[Candidate]:
        one = f"SELECT {COLUMNS} FROM {TABLES} WHERE c.id = ?"  # noqa: S608  # constants of this package
        return [candidate_of(row, 0.0) for chunk in chunks for row in self._file.rows(one, chunk)]
