"""`penstock config`."""

from __future__ import annotations

from pathlib import Path

import click

from penstock.cli import table
from penstock.cli.documents import write_document
from penstock.cli.opening import settings
from penstock.cli.options import as_json


@click.command("config")
@as_json("Print one JSON document: a list of key, value and origin.")
def command(json: bool) -> None:
    """List the settings in effect and where each comes from.

    That is `default`, the settings file, an environment variable, or `call` for the options before the command.
    """
    entries = settings().effective()
    if json:
        write_document([{"key": entry.key, "value": _value(entry.value), "origin": entry.origin} for entry in entries])
    else:
        table.show(("setting", "value", "origin"), [(entry.key, _told(entry.value), entry.origin) for entry in entries])


def _value(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


def _told(value: object) -> str:
    """As it would stand in the file."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
