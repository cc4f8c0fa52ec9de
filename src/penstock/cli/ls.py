"""`penstock ls`."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import click

from penstock.cli import console, times
from penstock.cli.documents import write_document
from penstock.cli.opening import opened_store
from penstock.cli.options import as_json
from penstock.stores.contract import Record

LISTED: Final = 20


@click.command("ls")
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="N", help=f"How many. By default {LISTED}.")
@click.option("-a", "--all", "whole", is_flag=True, help="All of them.")
@as_json("Print JSON lines, one for each output.")
def command(limit: int | None, whole: bool, json: bool) -> None:
    """List what is kept, newest first.

    Each line has the handle, when it was kept, its size, its lines and the tool that gave it.
    """
    most = None if whole else limit or LISTED
    with opened_store() as store:
        records = store.records()
        listed = 0
        for record in islice(records, most):
            listed += 1
            if json:
                write_document(document(record))
            else:
                console.line(row(record))
        if not json and not listed:
            console.note("nothing is kept")
        if not json and next(records, None) is not None:
            console.note("there are older ones: --all lists them")


def row(record: Record) -> str:
    return (
        f"{record.handle}  {times.local(record.kept_at)}  {record.size:>13,} bytes  {record.newlines:>9,} lines"
        f"  {record.tool}"
    )


def document(record: Record) -> dict[str, Any]:
    return {
        "handle": record.handle,
        "tool": record.tool,
        "media": record.media,
        "bytes": record.size,
        "newlines": record.newlines,
        "sha256": record.digest,
        "path": record.path,
        "kept_at": times.utc(record.kept_at),
    }
