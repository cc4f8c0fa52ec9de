"""`penstock projects copy`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from penstock.cli import console, signals
from penstock.cli.agreement import agree, yes
from penstock.cli.documents import write_document
from penstock.cli.indexes import Place, embedder_of, place, place_of, project, projects_at
from penstock.cli.opening import settings
from penstock.cli.options import as_json
from penstock.cli.progress import Progress
from penstock.cli.projects_list import document
from penstock.errors import ArgumentError, CallerError, StoreError, ToolError, UpstreamError
from penstock.search.contract import Index, Projects
from penstock.search.copying import copied, later
from penstock.search.embedder import Embedder
from penstock.search.embedding import embed_index


@click.command("copy")
@project
@click.option(
    "--to",
    type=place,
    metavar="PLACE",
    help="Where to: a folder of indexes, or a database as postgresql://... By default where the settings say.",
)
@click.option("--from", "source", type=place, metavar="PLACE", help="Where from, likewise.")
@yes
@as_json("Print one JSON document: how many files were copied, and the repositories of the copy.")
def command(project: str, to: Place | None, source: Place | None, yes: bool, json: bool) -> int:
    """Copy a project from a folder into a database, or back.

    Files that the copy has already are not copied again, and what is gone from a repository goes from its copy.
    Interrupted or killed, it keeps what it has, and the next call goes on from there. Vectors are not copied: where the
    settings name an embedder, they are made for the copy. The password of a database is what PGPASSWORD or ~/.pgpass
    say.

    \b
      penstock projects copy shop --to postgresql://penstock@db.example/code
      penstock projects copy shop --from postgresql://penstock@db.example/code --to ~/indexes
    """
    origin, goal = _both(source, to)
    embedder = embedder_of(settings())
    began = time.monotonic()
    with closing(projects_at(origin)) as here, closing(projects_at(goal)) as there:
        index = here.opened(project)
        if lost := _lost(there, project, index):
            agree(f"in {goal}, {lost}", yes=yes)
        with closing(there.made(project)) as copy:
            with Progress() as line, signals.asked_to_stop() as told:
                files = copied(index, copy, lambda files: line.tell(f"{files:,} files copied"), lambda: bool(told))
                no_vectors = _embedded(copy, embedder, line, lambda: bool(told)) if embedder else None
            repositories = copy.repositories()
    seconds = time.monotonic() - began
    if json:
        write_document(
            {
                "project_id": project,
                "from": str(origin),
                "to": str(goal),
                "copied": files,
                "complete": not told and no_vectors is None,
                "seconds": round(seconds, 3),
                "repositories": [*map(document, repositories)],
            }
        )
    else:
        console.line(f"{files:,} files copied into {goal} ({seconds:.1f} s)")
        for repository in repositories:
            console.line(f"{repository.name}: {repository.files:,} files in {repository.chunks:,} chunks")
    if no_vectors is not None:
        raise ToolError(f"some vectors are missing, and the next call makes them: {no_vectors}")
    if not told:
        return 0
    console.note("stopped; what was copied is kept, and the next call goes on from there")
    return 128 + told[0]


def _embedded(copy: Index, embedder: Embedder, line: Progress, stop: Callable[[], bool]) -> str | None:
    """Why some vectors are missing."""
    try:
        embed_index(copy, embedder, progress=lambda made: line.tell(f"{made:,} vectors"), stop=stop)
    except UpstreamError as error:
        return str(error)
    return None


def _both(source: Place | None, to: Place | None) -> tuple[Place, Place]:
    if source is None and to is None:
        raise click.UsageError("say where to with --to, or where from with --from")
    usual = place_of(settings())
    origin, goal = source or usual, to or usual
    if origin == goal or (isinstance(origin, Path) and isinstance(goal, Path) and origin.resolve() == goal.resolve()):
        raise CallerError(f"{origin} cannot be copied onto itself")
    if isinstance(source, Path) and not source.is_dir():
        raise CallerError(f"{str(source)!r} is not a folder that can be read")
    return origin, goal


def _lost(there: Projects, project: str, index: Index) -> str:
    """What the copy takes away from what is there; "" for nothing."""
    there.names()  # which fails where the place itself cannot be read
    try:
        newer = later(there.opened(project), index)
    except ArgumentError:
        return ""  # it is the first copy
    except StoreError as error:
        return f"what there is of {project} is to be replaced ({error})"
    return f"{', '.join(newer)} was indexed later, and is to be set back" if newer else ""
