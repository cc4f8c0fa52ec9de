"""`penstock gc`."""

from __future__ import annotations

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import as_json
from penstock.tools import map_files


@click.command("gc")
@as_json("Print one JSON document.")
def command(json: bool) -> None:
    """Delete what has expired.

    That is what is past its retention or over the quota, what killed processes left unfinished, and old records of the
    ledger, and maps of code that nobody asked for in 30 days. Most of it is deleted in passing too, whenever something
    is kept or read.
    """
    with opened() as gate:
        swept = gate.sweep()
        maps = map_files.swept(gate.settings.search.directory / map_files.MAPS)
    if json:
        write_document({"results": swept.results, "bytes": swept.bytes, "leftovers": swept.leftovers, "maps": maps})
    else:
        console.line(
            f"deleted: {swept.results:,} results ({swept.bytes:,} bytes), {swept.leftovers:,} unfinished files"
            f" and {maps:,} maps of code"
        )
