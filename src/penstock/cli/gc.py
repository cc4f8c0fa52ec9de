"""`penstock gc`."""

from __future__ import annotations

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import as_json


@click.command("gc")
@as_json("Print one JSON document.")
def command(json: bool) -> None:
    """Delete what has expired.

    That is what is past its retention or over the quota, what killed processes left unfinished, and old records of the
    ledger. Kept output is deleted in passing too, whenever something is kept or read.
    """
    with opened() as gate:
        swept = gate.sweep()
    if json:
        write_document({"results": swept.results, "bytes": swept.bytes, "leftovers": swept.leftovers})
    else:
        console.line(
            f"deleted: {swept.results:,} results ({swept.bytes:,} bytes) and {swept.leftovers:,} unfinished files"
        )
