"""`penstock read`."""

from __future__ import annotations

import base64
import sys
from typing import Any, Final, Literal

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened
from penstock.cli.options import as_json, handle
from penstock.core.handle import parse_handle
from penstock.core.slices import Slice
from penstock.core.source import errors_of
from penstock.errors import UnknownHandle
from penstock.gate import BareGate

# How much of all is read at once.
STEP: Final = 4 * 1024 * 1024


@click.command("read")
@handle
@click.option("--start", type=int, metavar="N", help="The first line. By default 1.")
@click.option("--limit", type=int, metavar="N", help="How many lines, or bytes. By default 200 lines, or what fits.")
@click.option(
    "--unit",
    type=click.Choice(["lines", "bytes"]),
    help="What --limit counts. By default lines; bytes with --offset.",
)
@click.option("--offset", type=int, metavar="N", help="The first byte, counted from 0, instead of a line.")
@click.option("--tail", is_flag=True, help="The end instead of the beginning.")
@click.option("--all", "whole", is_flag=True, help="All of it, however much that is.")
@as_json("Print one JSON document: handle, place, text, and next, which has the options for the next page.")
def command(handle: str, whole: bool, json: bool, **page: Any) -> None:
    """Print a page of kept output, or all of it.

    The page goes to stdout, byte for byte. It is within the limits of any result, 8,000 characters unless the settings
    say otherwise. Where it is, and how to go on, is told on stderr.

    \b
      penstock read ps-abcdefgh23456777 --start 201
      penstock read ps-abcdefgh23456777 --unit bytes --offset 51200     inside a very long line
      penstock read ps-abcdefgh23456777 --all | jq .items
    """
    _refuse_contradictions(whole=whole, json=json, **page)
    with opened() as gate:
        if whole:
            _print_all(gate, handle)
            return
        found = gate.read(handle, **_arguments(**page))
        if json:
            write_document(document(found))
            return
        console.out(found.data)
        console.flush()
        if found.data and not found.data.endswith(b"\n") and console.is_terminal(sys.stderr):
            console.say("\n")
        console.note(where(found))


def _refuse_contradictions(*, whole: bool, json: bool, **page: Any) -> None:
    given = [f"--{name}" for name, value in page.items() if value]
    if whole and (given or json):
        raise click.UsageError(f"--all takes no {(given or ['--json'])[0]}", click.get_current_context())
    for one, other in (("tail", "start"), ("tail", "offset"), ("start", "offset")):
        if page[one] and page[other] is not None:
            raise click.UsageError(f"--{one} and --{other} exclude each other", click.get_current_context())
    if page["start"] is not None and page["unit"] == "bytes":
        raise click.UsageError("--start is a line: with --unit bytes give --offset", click.get_current_context())


def _arguments(
    start: int | None, limit: int | None, unit: Literal["lines", "bytes"] | None, offset: int | None, tail: bool
) -> dict[str, Any]:
    return {
        "start": 1 if start is None else start,
        "limit": limit,
        "unit": unit or "lines",
        "offset": offset,
        "direction": "tail" if tail else "head",
    }


def _print_all(gate: BareGate, handle: str) -> None:
    wanted = parse_handle(handle)
    if gate.store is None:
        raise UnknownHandle(wanted)
    size = gate.store.stat(wanted).size
    for offset in range(0, size, STEP):
        console.out(gate.store.read(wanted, offset, STEP))


def where(page: Slice) -> str:
    """Where a page is, and what shows the next one."""
    if page.start >= page.total_bytes:
        return f"past the end: {page.total_lines:,} lines, {page.total_bytes:,} bytes"
    if page.first_line == page.last_line:
        place = f"line {page.first_line:,} of {page.total_lines:,}"
    else:
        place = f"lines {page.first_line:,}-{page.last_line:,} of {page.total_lines:,}"
    if page.next is None:
        return f"{place}; end"
    if "offset" in page.next:
        place += f", bytes {page.start}-{page.stop - 1} of {page.total_bytes}"
    options = " ".join(f"--{name} {value}" for name, value in page.next.items())
    return f"{place}; next: penstock read {page.handle} {options}"


def document(page: Slice) -> dict[str, Any]:
    told = {
        "handle": page.handle,
        "first_line": page.first_line,
        "last_line": page.last_line,
        "start": page.start,
        "stop": page.stop,
        "total_lines": page.total_lines,
        "total_bytes": page.total_bytes,
        "text": page.data.decode("utf-8", errors_of(page.data)),
        "next": page.next,
    }
    if errors_of(page.data) == "replace":
        told["base64"] = base64.b64encode(page.data).decode("ascii")  # the bytes that are no text
    return told
