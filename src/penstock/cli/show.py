"""`penstock show`."""

from __future__ import annotations

import click

from penstock.cli import console, ls, times
from penstock.cli.documents import write_document
from penstock.cli.opening import opened_store, settings
from penstock.cli.options import as_json, handle
from penstock.core.handle import parse_handle

_DAY = 86_400


@click.command("show")
@handle
@as_json("Print one JSON document.")
def command(handle: str, json: bool) -> None:
    """Tell what is known of one kept output.

    Its tool, its size, where its file is, when it was kept and when it will be deleted.
    """
    with opened_store() as store:
        record = store.stat(parse_handle(handle))
    expires = record.kept_at + settings().store.retention_days * _DAY
    if json:
        write_document({**ls.document(record), "expires_at": times.utc(expires)})
        return
    told = {
        "handle": record.handle,
        "tool": record.tool,
        "size": f"{record.size:,} bytes, {record.newlines:,} newlines, {record.media}",
        "path": record.path or "none: it is not a file",
        "kept": times.local(record.kept_at),
        "expires": times.local(expires),
        "sha256": record.digest,
    }
    for name, value in told.items():
        console.line(f"{name:8}{value}")
