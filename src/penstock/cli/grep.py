"""`penstock grep`."""

from __future__ import annotations

from typing import Any, Final

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import SECONDS, as_json, handle, words
from penstock.core.hits import Hits
from penstock.errors import PenstockError
from penstock.gate import GREP_LINES, GREP_SECONDS

FOUND: Final = 0
NOT_FOUND: Final = 1
FAILED: Final = 2


@click.command("grep")
@handle
@click.argument("pattern", type=words)
@click.option("-i", "--ignore-case", is_flag=True, help="Upper and lower case are the same.")
@click.option("-F", "--fixed-strings", "fixed", is_flag=True, help="The pattern is text, not an expression (RE2).")
@click.option("-C", "--context", type=int, default=2, metavar="N", help="Lines around each match. By default 2.")
@click.option(
    "-m",
    "--max-count",
    "limit",
    type=int,
    default=GREP_LINES,
    metavar="N",
    help=f"Stop after N matching lines. By default {GREP_LINES}.",
)
@click.option("--start", type=int, default=1, metavar="LINE", help="The line to begin at. By default 1.")
@click.option(
    "--seconds",
    type=SECONDS,
    default=GREP_SECONDS,
    metavar="N",
    help=f"Give up after so long and say how far it came. By default {GREP_SECONDS:g}.",
)
@as_json("Print one JSON document: the text, the place of each match, and how to go on.")
def command(handle: str, pattern: str, json: bool, **given: Any) -> int:
    """Search kept output.

    Matching lines are printed as grep prints them, with their numbers, within the limits of any result; of a very long
    line, what is around the match. How many there are, and how to go on, is told on stderr. The exit code is 0 when
    something was found, 1 when not, 2 when the search failed or was given up.

    \b
      penstock grep ps-abcdefgh23456777 'ERROR|FAILED'
      penstock grep ps-abcdefgh23456777 -F 'a[0]' -C 5
    """
    try:
        with opened() as gate:
            hits = gate.grep(handle, pattern, **given)
    except PenstockError as error:
        console.note(str(error), error=True)
        return FAILED
    if json:
        write_document(document(hits, pattern))
    else:
        body = hits.text.rpartition("\n")[0]  # without its last line, which tells a model how to go on
        if body:
            console.out(body + "\n")
            console.flush()
        console.note(summary(hits))
    return _code(hits)


def summary(hits: Hits) -> str:
    """How much was found, and what goes on."""
    found = f"{len(hits):,} matching line{'' if len(hits) == 1 else 's'}"
    if hits.ended == "time":
        return f"{found}; given up after {hits.searched:,} bytes: --seconds gives it longer"
    if hits.next is not None:
        return f"{found}; there are more: go on with --start {hits.next['start']}"
    return f"{found}; there are more, and no room for them" if hits.ended else found


def _code(hits: Hits) -> int:
    if hits.hits or hits.ended == "room":
        return FOUND
    return FAILED if hits.ended == "time" else NOT_FOUND


def document(hits: Hits, pattern: str) -> dict[str, Any]:
    return {
        "handle": hits.handle,
        "pattern": pattern,
        "matches": [{"line": hit.line, "start": hit.start, "stop": hit.stop} for hit in hits.hits],
        "complete": hits.complete,
        "ended": hits.ended,
        "searched": hits.searched,
        "text": hits.text,
        "next": hits.next,
    }
