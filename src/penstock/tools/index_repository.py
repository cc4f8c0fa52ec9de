"""`index_repository`: a folder's code into an index, a part of it in each call, so that `search_code` finds it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from penstock.core.jsontext import to_json
from penstock.core.offers import Offer
from penstock.errors import CallerError
from penstock.gate import BareGate
from penstock.search.code_search import CodeSearch
from penstock.search.indexing import Report, index_tree
from penstock.tools.base import BareTool
from penstock.tools.roots import Roots
from penstock.tools.toolset import Progress, Workshop, silent

# A client waits about a minute for an answer. What was indexed until then is kept.
SECONDS: Final = 45.0

_ENDINGS_TOLD: Final = 10

OFFER: Final = Offer(
    "index_repository",
    "Index the code of a folder, so that search_code finds it. What has not changed since the last time is not read"
    " again. A large tree takes several calls: while complete is false, call again.",
    {
        "path": {"type": "string", "description": "The folder, relative to the root or absolute."},
        "project_id": {"type": "string", "description": "The project that it belongs to; a new one where none is."},
        "repository_id": {"type": "string", "description": "What to call it there; the folder's name by default."},
    },
    ("path", "project_id"),
)


class IndexRepository(BareTool):
    name = OFFER.name
    offer = OFFER
    changes = True

    def __init__(self, gate: BareGate, search: CodeSearch, roots: Roots, *, seconds: float = SECONDS) -> None:
        super().__init__(gate)
        self._search = search
        self._roots = roots
        self._seconds = seconds

    def execute(
        self, path: str, project_id: str, *, repository_id: str | None = None, progress: Progress = silent
    ) -> str:
        place = self._roots.folder(path)
        if repository_id is not None and not repository_id.strip():
            raise CallerError(
                "index_repository: repository_id = '' is not allowed: a name, or nothing for the folder's"
            )
        until = time.monotonic() + self._seconds
        index = self._search.projects.made(project_id)
        try:
            report = index_tree(
                index,
                place,
                repository_id or place.name,
                embedder=self._search.embedder,
                progress=lambda report: progress(report.seen + report.vectors, _how_far(report)),
                stop=lambda: time.monotonic() > until,
            )
        finally:
            index.close()
        return to_json(_told(report, project_id, place))


def _how_far(report: Report) -> str:
    return f"{report.vectors:,} vectors" if report.vectors else f"{report.seen:,} files"


def _told(report: Report, project_id: str, place: Path) -> dict[str, Any]:
    told: dict[str, Any] = {
        "project_id": project_id,
        "repository_id": report.repository,
        "path": place.as_posix(),
        "complete": report.complete,
        "indexed": report.indexed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "chunks": report.chunks,
        "seconds": round(report.seconds, 1),
        "languages": dict(report.languages.most_common()),
        "without_grammar": dict(report.without_grammar.most_common()),
        "left_out": dict(report.left_out.most_common()),
        "of_no_known_language": dict(report.unknown.most_common(_ENDINGS_TOLD)),
    }
    if report.vectors:
        told["vectors"] = report.vectors
    if report.no_vectors is not None:
        told["next"] = f"The code is found by its words. Vectors are missing; call again later: {report.no_vectors}"
    elif not report.complete:
        told["next"] = "Not all was read in the time of one call. What was is kept: call again with the same arguments."
    return told


def made(of: Workshop) -> IndexRepository:
    return IndexRepository(of.gate, of.search(), of.roots)
