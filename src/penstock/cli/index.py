"""`penstock index`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from penstock.cli import console, signals
from penstock.cli.documents import write_document
from penstock.cli.indexes import opened_search
from penstock.cli.options import as_json, words
from penstock.cli.progress import Progress
from penstock.errors import CallerError, ToolError

if TYPE_CHECKING:
    from penstock.search.indexing import Report


BAR: Final = 20


@click.command("index")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--project", required=True, type=words, metavar="ID", help="The project that the code belongs to.")
@click.option(
    "--repository",
    type=words,
    metavar="ID",
    help="What to call this code in the project. By default the folder's name.",
)
@as_json("Print one JSON document: what was indexed, and what was left out and why.")
def command(path: Path, project: str, repository: str | None, json: bool) -> int:
    """Index the code of a folder for `penstock search`.

    What did not change since the last time is not read again. Interrupted or killed, it keeps what it has, and the next
    call goes on from there. Ignored, vendored, generated and very large files are left out, and counted.

    \b
      penstock index . --project shop
      penstock index ../billing --project shop --repository billing
    """
    # They ask for the extra, which the help pages need not.
    from penstock.cli.counting import Total  # noqa: PLC0415
    from penstock.search.indexing import index_tree  # noqa: PLC0415

    if not path.is_dir():
        raise CallerError(f"{str(path)!r} is not a folder that can be read")
    with opened_search() as search, Progress() as line, Total(path.resolve()) as total, signals.asked_to_stop() as told:
        index = search.projects.made(project)
        try:
            report = index_tree(
                index,
                path,
                repository or path.resolve().name,
                embedder=search.embedder,
                progress=lambda report: line.tell(how_far(report, total.files)),
                stop=lambda: bool(told),
            )
        finally:
            index.close()
    if json:
        write_document(document(report, project))
    else:
        for sentence in sentences(report):
            console.line(sentence)
    if report.no_vectors is not None:
        raise ToolError(f"some vectors are missing, and the next call makes them: {report.no_vectors}")
    if not told:
        return 0
    console.note("stopped; what was indexed is kept, and the next call goes on from there")
    return 128 + told[0]


def how_far(report: Report, total: int | None) -> str:
    """`total` is how many files there are, once they are counted."""
    if report.vectors:
        return f"{report.vectors:,} vectors"
    if not total:
        return f"{report.looked_at:,} files"
    share = min(1.0, report.looked_at / total)
    return f"[{'#' * round(BAR * share):.<{BAR}}] {share:.0%}, {report.looked_at:,} of {total:,} files"


def document(report: Report, project: str) -> dict[str, Any]:
    return {"project_id": project, **vars(report), "seconds": round(report.seconds, 3)}


def sentences(report: Report) -> Iterator[str]:
    """What people want to know, line by line."""
    yield (
        f"{report.indexed:,} files indexed in {report.chunks:,} chunks, {report.unchanged:,} unchanged, "
        f"{report.removed:,} removed ({report.seconds:.1f} s)"
    )
    if report.vectors:
        yield f"vectors: {report.vectors:,}"
    if report.without_grammar:
        yield f"cut by lines, for want of a grammar: {counted(report.without_grammar)}"
    if report.not_parsed:
        yield f"cut by lines, as they took too long to parse: {report.not_parsed:,}"
    if report.left_out:
        yield f"left out: {counted(report.left_out)}"
    if report.unknown:
        yield f"of no known language: {counted(report.unknown)}"


def counted(counts: Counter[str], most: int = 10) -> str:
    """The most frequent first."""
    named = ", ".join(f"{name} {count:,}" for name, count in counts.most_common(most))
    rest = sum(counts.values()) - sum(count for _, count in counts.most_common(most))
    return f"{named}, others {rest:,}" if rest else named
