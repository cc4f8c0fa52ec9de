"""`penstock projects forget`."""

from __future__ import annotations

from contextlib import closing

import click

from penstock.cli import console
from penstock.cli.agreement import agree, yes
from penstock.cli.documents import write_document
from penstock.cli.indexes import Place, at, place_of, project, projects_at
from penstock.cli.opening import settings
from penstock.cli.options import as_json, words
from penstock.errors import CallerError, StoreError
from penstock.search.contract import Index, Projects


@click.command("forget")
@project
@click.option("--repository", type=words, metavar="ID", help="Only this repository of the project.")
@at
@yes
@as_json("Print one JSON document: what was forgotten, and where.")
def command(project: str, repository: str | None, at: Place | None, yes: bool, json: bool) -> None:
    """Delete the index of a project, or of one repository of it.

    The code itself is not touched: `penstock index` makes the index again. A server that has the project open says from
    then on that there is none.

    \b
      penstock projects forget shop
      penstock projects forget shop --repository billing --yes
    """
    where = at or place_of(settings())
    with closing(projects_at(where)) as projects:
        if repository is None:
            agree(f"the project {project} in {where} is to be forgotten, {_size(projects, project)}", yes=yes)
            projects.forget(project)
        else:
            index = projects.opened(project)
            files = _files(index, project, repository)
            agree(f"{repository} of the project {project} is to be forgotten, {files:,} files", yes=yes)
            index.forget(repository)
    if json:
        write_document({"project_id": project, "repository_id": repository, "at": str(where)})
    else:
        console.line(f"forgotten: {project if repository is None else f'{repository} of {project}'}")


def _size(projects: Projects, project: str) -> str:
    """What there is to lose. What cannot be opened, as it is damaged or of another version, can be forgotten too."""
    projects.names()  # which fails where the place itself cannot be read
    try:
        found = projects.opened(project).repositories()
    except StoreError as error:
        return f"though its size is not known ({error})"
    named = ", ".join(repository.name for repository in found)
    return f"{sum(repository.files for repository in found):,} files ({named or 'no repository'})"


def _files(index: Index, project: str, repository: str) -> int:
    files = {found.name: found.files for found in index.repositories()}
    if repository not in files:
        there = f"it has {', '.join(files)}" if files else "it has none"
        raise CallerError(f"the project {project} has no repository {repository}: {there}")
    return files[repository]
