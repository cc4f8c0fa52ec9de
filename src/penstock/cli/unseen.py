"""`penstock unseen`."""

from __future__ import annotations

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import as_json, handle
from penstock.cli.showing import printed


@click.command("unseen")
@handle
@as_json("Print one JSON document: handle, text, and the byte ranges that it shows and hides.")
def command(handle: str, json: bool) -> None:
    """Print what no view has shown yet.

    As much of it as the limits of any result allow; called again, it prints what follows. What counts as shown are the
    views and pages of the ledger.
    """
    with opened() as gate:
        view = gate.unseen(handle)
        limits = gate.reading()
    if json:
        told = {
            "handle": view.handle,
            "all_shown": not view.truncated,
            "shown": [list(span) for span in view.spans],
            "hidden": [[gap.start, gap.stop] for gap in view.gaps],
            "text": view.text,
        }
        write_document(told)
        return
    console.out(printed(gate, view, limits))
