"""`search_code`: the chunks of a project that answer a query best, whole, with the lines around them, within limits.

The engine finds candidates by terms, by names and, where there is a model, by vectors; `ranking` orders them,
`core.records` packs them.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from penstock.core.jsontext import to_json
from penstock.core.limits import Limits
from penstock.core.notice import BY_WORDS_ALONE
from penstock.core.packed import Note
from penstock.core.policy import Language
from penstock.core.records import RECORD_LIMITS, Packed, Scored, pack
from penstock.core.tokens import TokenCounter
from penstock.errors import ArgumentError, UpstreamError
from penstock.search.contract import Candidate, Filters, Index, Projects, Sought
from penstock.search.embedder import Embedder
from penstock.search.embedding import unit
from penstock.search.languages import is_extension, is_language
from penstock.search.projects import ProjectFolder
from penstock.search.query import LONGEST, analysed, weights
from penstock.search.ranking import Ranked, ranked

MOST_RESULTS: Final = 50
RESULTS: Final = 10
CONTEXT_LINES: Final = 10

# Ranking looks at so many of those that BM25 likes best. With 100 the figure of bench/search.py is .005 lower.
_CANDIDATES: Final = 300

_NEAREST: Final = 100  # with 30 or 300 the figure is the same

_LONGEST_QUERY: Final = 10_000
_TOLD: Final = 10
_FILE_TYPE: Final = re.compile(r"\.?[A-Za-z0-9_+-]{1,20}")

_log = logging.getLogger("penstock.search")


class CodeSearch:
    """The projects of a folder, or of another place. Safe for threads; indexing may go on at the same time."""

    def __init__(
        self,
        projects: Path | Projects,
        *,
        embedder: Embedder | None = None,
        limits: Limits = RECORD_LIMITS,
        counter: TokenCounter | None = None,
        language: Language = "en",
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.projects = ProjectFolder(projects) if isinstance(projects, Path) else projects
        self.embedder = embedder
        self._limits = limits
        self._counter = counter
        self._language = language
        self._clock = clock

    def search_code(
        self,
        query: str,
        project_id: str,
        repository_id: str | None = None,
        file_type: str | None = None,
        directory: str | None = None,
        limit: int = RESULTS,
        continuation: str | None = None,
    ) -> Packed:
        """The response, as JSON in its `text`.

        `file_type` is an extension or a language, `directory` a folder of the repository, `limit` how many results are
        wanted at most. `continuation` is what a truncated response gave, with all else as it was.
        """
        began = self._clock()
        _check_query(query)
        _check_limit(limit)
        index = self.projects.opened(project_id)
        filters = Filters(_repository(index, repository_id), *_type(file_type), _directory(directory))
        notes: list[Note] = []
        best = self.best(index, query, filters, notes)[:limit]
        if not best:
            _check_there(index, filters)
        contents = index.contents([one.candidate.id for one in best])
        records = [
            Scored(one.similarity, _record(index, one, contents[one.candidate.id]))
            for one in best
            if one.candidate.id in contents
        ]
        packed = pack(
            records,
            limits=self._limits,
            query=to_json([query, project_id, *filters, limit]),
            continuation=continuation,
            extra={
                "project_id": project_id,
                "database_name": index.name,
                "latency_ms": round(1000 * (self._clock() - began), 1),
            },
            # The log has the reason, in words of the server, too.
            warnings=[BY_WORDS_ALONE[self._language]] if notes else (),
            counter=self._counter,
            language=self._language,
        )
        packed = replace(packed, notes=(*notes, *packed.notes))
        for note in packed.notes:
            _log.log(logging.WARNING if note.level == "warning" else logging.INFO, "search_code: %s", note.text)
        return packed

    def best(
        self,
        index: Index,
        query: str,
        filters: Filters = Filters(),  # noqa: B008  # it is a value
        notes: list[Note] | None = None,
    ) -> list[Ranked]:
        """All that was looked at, the best first. What was not as it should be is put among the notes."""
        asked = analysed(query)
        rarity = index.rarity((*asked.terms, *asked.words))
        terms = sorted((term for term in asked.terms if rarity[term]), key=lambda term: rarity[term])
        names = [name.lower() for name in asked.names]
        found = index.candidates(Sought(terms, names), filters, _CANDIDATES)
        near = self._near(index, query, filters, [] if notes is None else notes) if not asked.is_name else []
        return ranked(asked, weights(asked, rarity), found, near)

    def _near(self, index: Index, query: str, filters: Filters, notes: list[Note]) -> list[Candidate]:
        """What vectors find. A search goes on without it: words find most."""
        if self.embedder is None:
            return []
        vectors = index.vectors(self.embedder.model)
        try:
            vector = unit(self.embedder.query(query[:LONGEST]))
            near = vectors.nearest(vector, filters, _NEAREST)
        except UpstreamError as error:
            notes.append(Note("warning", f"searched by words alone: {error}"))
            return []
        if not near and vectors.missing(0, 1):
            told = f"searched by words alone: the project has no vectors of {self.embedder.model}; index it again"
            notes.append(Note("warning", told))
        return near

    def close(self) -> None:
        self.projects.close()

    def __enter__(self) -> CodeSearch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _record(index: Index, one: Ranked, content: str) -> dict[str, Any]:
    found = one.candidate
    before, after = _context(index, found)
    return {
        "chunk_id": chunk_id(found, content),
        "repository_id": found.repository,
        "file_path": found.path,
        "language": found.language,
        "start_line": found.start_line,
        "end_line": found.end_line,
        "similarity_score": one.similarity,
        "content": content,
        "context_before": before,
        "context_after": after,
    }


def _context(index: Index, found: Candidate) -> tuple[str, str]:
    first = max(1, found.start_line - CONTEXT_LINES)
    before = index.lines(found.repository, found.path, first, found.start_line - 1) if found.start_line > 1 else ""
    after = index.lines(found.repository, found.path, found.end_line + 1, found.end_line + CONTEXT_LINES)
    return before, after


def chunk_id(found: Candidate, content: str) -> str:
    """The same as long as the chunk is at its place and says the same."""
    told = to_json([found.repository, found.path, found.start_line, content]).encode()
    return "ch-" + base64.b32encode(hashlib.sha256(told).digest()[:10]).decode().lower()


# -- arguments: each that is wrong is named, with what is allowed ------------------------------------------------------


def _is_text(value: object) -> bool:
    """Whether it is text without lone surrogates, which JSON can hold and an index cannot."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_query(query: str) -> None:
    if not _is_text(query) or not query.strip() or len(query) > _LONGEST_QUERY:
        shown = query[:80] if isinstance(query, str) else query
        raise ArgumentError("query", shown, f"a text that is not empty, of at most {_LONGEST_QUERY:,} characters")


def _check_limit(limit: int) -> None:
    if type(limit) is not int or not 1 <= limit <= MOST_RESULTS:
        raise ArgumentError("limit", limit, f"a whole number from 1 to {MOST_RESULTS}")


def _repository(index: Index, repository_id: str | None) -> str | None:
    if repository_id is None:
        return None
    names = index.names()
    if repository_id not in names:
        there = f"one of this project: {', '.join(names)}" if names else "left out, as this project has none yet"
        raise ArgumentError("repository_id", repository_id, there)
    return repository_id


def _type(file_type: str | None) -> tuple[str | None, str | None]:
    """An extension or a language."""
    if file_type is None:
        return None, None
    if not isinstance(file_type, str) or not _FILE_TYPE.fullmatch(file_type):
        raise ArgumentError("file_type", file_type, "an extension such as 'py' or '.ts', or a language")
    name = file_type.removeprefix(".").lower()
    if is_language(name) and not is_extension(name):
        return None, name
    return name, None


def _check_there(index: Index, filters: Filters) -> None:
    """Where nothing was found: whether anything could have been."""
    if not filters.directory and not filters.extension:
        return
    repositories = index.names() if filters.repository is None else [filters.repository]
    paths = [path for name in repositories for path in index.states(name)]
    if filters.directory and not any(path.startswith(f"{filters.directory}/") for path in paths):
        folders = Counter(path.partition("/")[0] for path in paths if "/" in path)
        raise ArgumentError("directory", filters.directory, f"a folder that has indexed files{_such_as(folders)}")
    if filters.extension and not any(path.lower().endswith(f".{filters.extension}") for path in paths):
        endings = Counter(path.rpartition(".")[2] for path in paths if "." in path.rpartition("/")[2])
        raise ArgumentError("file_type", filters.extension, f"that of indexed files{_such_as(endings)}")


def _such_as(counts: Counter[str]) -> str:
    return f", such as {', '.join(name for name, _ in counts.most_common(_TOLD))}" if counts else ""


def _directory(directory: str | None) -> str | None:
    if directory is None:
        return None
    parts = directory.split("/") if _is_text(directory) else [".."]
    if ".." in parts or directory.startswith(("/", "\\")):
        raise ArgumentError("directory", directory, "a folder of the repository, relative to its root, without '..'")
    return "/".join(part for part in parts if part not in ("", ".")) or None
