"""`penstock map`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import as_json, words
from penstock.errors import CallerError
from penstock.settings.places import project_root
from penstock.tools.map_files import MAPS
from penstock.tools.roots import Roots

if TYPE_CHECKING:
    from penstock.tools.map_text import Drawn


@click.command("map")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--query", type=words, default="", metavar="TEXT", help="What is looked for: words, names, paths.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file that the reader has already; may be repeated. It is left out, and what it uses comes first.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="At most N tokens.")
@as_json("Print one JSON document: the files, the best first, with their definitions, and the map as text.")
def command(path: Path, query: str, files: tuple[Path, ...], max_tokens: int | None, json: bool) -> None:
    """Print the definitions that matter most in a tree of code.

    They are ranked by how the files use one another, and by what --query asks for, and shown as the lines of their
    signatures, as many as fit the limits of repo_map. What was parsed is kept, so that the next call is fast. Paths are
    relative to the project's root.

    \b
      penstock map
      penstock map src --query "where are retries configured" --max-tokens 2000
    """
    # It asks for the extra, which the help pages need not.
    from penstock.tools.repo_map import RepoMap  # noqa: PLC0415

    if not path.exists():
        raise CallerError(f"there is no {str(path)!r}")
    place = path.resolve()
    above = place if place.is_dir() else place.parent
    roots = Roots([project_root(above) or above])
    with opened() as gate:
        tool = RepoMap(gate, roots, gate.settings.search.directory / MAPS)
        drawn = tool.drawn(
            str(place), query=query, files=[str(file.resolve()) for file in files], max_tokens=max_tokens
        )
    if json:
        write_document(document(drawn))
    else:
        console.out(drawn.text + "\n")


def document(drawn: Drawn) -> dict[str, Any]:
    return {
        "files": [
            {
                "path": section.path,
                "definitions": [
                    {"name": tag.name, "line": tag.line, "signature": "\n".join(tag.signature)} for tag in section.tags
                ],
            }
            for section in drawn.sections
        ],
        "definitions": drawn.counts.definitions,
        "files_in_all": drawn.counts.files,
        "partial": drawn.counts.partial,
        "remarks": list(drawn.counts.remarks),
        "text": drawn.text,
    }
