"""The indexes of code as the command line has them: where the settings put them, answers within their limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from penstock.cli.opening import settings
from penstock.cli.options import Decorated, words
from penstock.core.records import RECORD_LIMITS
from penstock.counters import counter_named
from penstock.search.code_search import CodeSearch
from penstock.search.contract import Projects
from penstock.search.embedder import Embedder
from penstock.search.projects import ProjectFolder
from penstock.settings import Settings
from penstock.settings.kinds import Address
from penstock.settings.secrets import embedding_key

TOOL: Final = "search_code"

Place = Path | str  # a folder, or the address of a database

_ADDRESS: Final = Address(("postgresql", "postgres"))
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # of two letters and more: C:\ is a folder


@contextmanager
def opened_search() -> Iterator[CodeSearch]:
    chosen = settings()
    search = CodeSearch(
        projects_at(place_of(chosen)),
        embedder=embedder_of(chosen),
        limits=RECORD_LIMITS.override(chosen.limits_for(TOOL)),
        counter=None if chosen.counter == "estimate" else counter_named(chosen.counter),
        language=chosen.language,
    )
    with search:
        yield search


def place_of(chosen: Settings) -> Place:
    return chosen.search.database or chosen.search.directory


def projects_at(place: Place) -> Projects:
    if isinstance(place, Path):
        return ProjectFolder(place)
    # It asks for the extra, which the embedded engine does not need.
    from penstock.search.shared import SharedProjects  # noqa: PLC0415

    return SharedProjects(place)


def embedder_of(chosen: Settings) -> Embedder | None:
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


def place(text: str) -> Place:
    """What an option names. An address that is refused is not repeated: it may hold a password."""
    if not _SCHEME.match(text):
        return Path(words(text)).absolute()
    try:
        _ADDRESS.of(text)
    except ValueError:
        raise click.BadParameter(f"it must be a folder, or {_ADDRESS.allowed}") from None
    return text


def at(command: Decorated) -> Decorated:
    return click.option(
        "--at",
        type=place,
        metavar="PLACE",
        help="A folder of indexes, or a database as postgresql://... By default where the settings say.",
    )(command)


def project(command: Decorated) -> Decorated:
    return click.argument("project", metavar="ID", type=words, shell_complete=project_names)(command)


def project_names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[Any]:
    with ctx:
        names = projects_at(place_of(settings())).names()
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
