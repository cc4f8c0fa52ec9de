"""The indexes of code as the command line has them: where the settings put them, answers within their limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from penstock.cli.opening import settings
from penstock.core.records import RECORD_LIMITS
from penstock.counters import counter_named
from penstock.search.code_search import CodeSearch
from penstock.search.contract import Projects
from penstock.search.embedder import Embedder
from penstock.settings import Settings
from penstock.settings.secrets import embedding_key

TOOL: Final = "search_code"


@contextmanager
def opened_search() -> Iterator[CodeSearch]:
    chosen = settings()
    search = CodeSearch(
        _projects(chosen),
        embedder=_embedder(chosen),
        limits=RECORD_LIMITS.override(chosen.limits_for(TOOL)),
        counter=None if chosen.counter == "estimate" else counter_named(chosen.counter),
        language=chosen.language,
    )
    with search:
        yield search


def _projects(chosen: Settings) -> Path | Projects:
    if chosen.search.database is None:
        return chosen.search.directory
    # It asks for the extra, which the embedded engine does not need.
    from penstock.search.shared import SharedProjects  # noqa: PLC0415

    return SharedProjects(chosen.search.database)


def _embedder(chosen: Settings) -> Embedder | None:
    search = chosen.search
    if search.embedder == "bundled":
        # It asks for the extra, which searching by words does not need.
        from penstock.search.static_embedder import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder()
    if search.embedding_url and search.embedding_model and search.embedder == "endpoint":
        # Loads what only a client of a server needs.
        from penstock.search.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415

        return EndpointEmbedder(search.embedding_url, search.embedding_model, embedding_key(chosen))
    return None
