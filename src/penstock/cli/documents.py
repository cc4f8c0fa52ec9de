"""JSON for programs: documents and lines, with all that is in them as it is."""

from __future__ import annotations

from penstock.cli import console
from penstock.core.jsontext import to_json


def write_document(value: object) -> None:
    """Write one JSON document, or one of several, as a line."""
    console.out(to_json(value) + "\n")
