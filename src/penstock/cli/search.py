"""`penstock search`."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli import console
from penstock.cli.indexes import opened_search, project_names
from penstock.cli.options import as_json, words
from penstock.search.code_search import MOST_RESULTS, RESULTS


@click.command("search")
@click.argument("query", type=words)
@click.option(
    "--project",
    required=True,
    type=words,
    metavar="ID",
    help="The project, as `penstock index` was told.",
    shell_complete=project_names,
)
@click.option("--repository", type=words, metavar="ID", help="Only this repository of the project.")
@click.option("--type", "file_type", type=words, metavar="TYPE", help="Only files of this extension or language.")
@click.option("--in", "directory", type=words, metavar="DIR", help="Only below this folder of the repository.")
@click.option(
    "-n",
    "--limit",
    type=int,
    default=RESULTS,
    metavar="N",
    help=f"How many results at most, up to {MOST_RESULTS}. By default {RESULTS}.",
)
@click.option("--continue", "continuation", type=words, metavar="TOKEN", help="The next page of a cut answer.")
@as_json("Print one JSON document, as the tool search_code gives it to a model.")
def command(query: str, project: str, repository: str | None, json: bool, **given: Any) -> None:
    """Find code that `penstock index` has indexed, by words or by a name.

    Each result is a whole definition or a part of one, with its place and how well it matches, from 0 to 1. The best
    come first, and as many as fit the limits of search_code.

    \b
      penstock search "where are retries configured" --project shop
      penstock search RetryPolicy --project shop --type py
    """
    with opened_search() as search:
        page = search.search_code(query, project, repository, **given)
    if json:
        console.out(page.text + "\n")
        return
    for place, result in enumerate(page.results):
        head = f"{result['repository_id']}/{result['file_path']}:{result['start_line']}-{result['end_line']}"
        console.out(("\n" if place else "") + console.heading(console.plain(head)))
        console.out(f"  {result['similarity_score']:.2f}\n")
        content = result["content"]
        console.out(content if content.endswith("\n") else content + "\n")
    if not page.results:
        console.note("nothing found")
    if page.continuation:
        console.note(f"there are more: go on with --continue {page.continuation}")
