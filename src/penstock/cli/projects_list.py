"""`penstock projects list`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import click

from penstock.cli import console, table, times
from penstock.cli.documents import write_document
from penstock.cli.indexes import Place, at, place_of, projects_at
from penstock.cli.opening import settings
from penstock.cli.options import as_json
from penstock.errors import PenstockError
from penstock.search.contract import Repository


@click.command("list")
@at
@as_json("Print JSON lines, one for each project.")
def command(at: Place | None, json: bool) -> int:
    """List the projects and their repositories.

    Each line has a repository: its files, the chunks they were cut into, when a run over it came to its end, and the
    folder that it was indexed from. The exit code is 1 when an index cannot be read.
    """
    where = at or place_of(settings())
    with closing(projects_at(where)) as projects:
        names = projects.names()
    found: dict[str, list[Repository]] = {}
    for name in names:
        # One by one, so that a database with many projects has not as many connections.
        with closing(projects_at(where)) as projects:
            try:
                index = projects.opened(name)
                found[name] = index.repositories()
            except PenstockError as error:
                if json:
                    write_document({"project_id": name, "error": str(error)})
                console.note(f"{name}: {error}", error=True)
                continue
        if json:
            write_document(
                {"project_id": name, "database_name": index.name, "repositories": [*map(document, found[name])]}
            )
    if not json:
        show(found)
    if not names and not json:
        console.note(f"there is no project in {where}")
    return int(len(found) < len(names))


def document(repository: Repository) -> dict[str, Any]:
    at = repository.indexed_at
    return {
        "repository_id": repository.name,
        "root": repository.root,
        "files": repository.files,
        "chunks": repository.chunks,
        "indexed_at": None if at is None else times.utc(at),
    }


def show(found: dict[str, list[Repository]]) -> None:
    rows = [(project, repository) for project, repositories in found.items() for repository in repositories]
    empty = [
        (project, "no repository yet", "", "", "", "") for project, repositories in found.items() if not repositories
    ]
    files = _right("files", [repository.files for _, repository in rows])
    chunks = _right("chunks", [repository.chunks for _, repository in rows])
    cells = [
        (project, repository.name, files[place], chunks[place], _indexed(repository), repository.root)
        for place, (project, repository) in enumerate(rows, 1)
    ]
    if found:
        table.show(("project", "repository", files[0], chunks[0], "indexed", "folder"), sorted(cells + empty))


def _indexed(repository: Repository) -> str:
    return "not to its end" if repository.indexed_at is None else times.local(repository.indexed_at)


def _right(heading: str, numbers: Sequence[int]) -> list[str]:
    cells = [heading, *(f"{number:,}" for number in numbers)]
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]
