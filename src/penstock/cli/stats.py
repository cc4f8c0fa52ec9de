"""`penstock stats`."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

import click

from penstock.cli import console, table, times
from penstock.cli.documents import write_document
from penstock.cli.opening import opened_ledger
from penstock.cli.options import as_json
from penstock.core.entry import Entry
from penstock.ledger.contract import By, Event, Totals


def moment(text: str) -> float:
    try:
        return times.since(text, time.time())
    except (ValueError, OverflowError, OSError):
        allowed = "7d, 12h, 30m, 2026-11-01 or 2026-11-01T10:00"
        raise click.BadParameter(f"{text!r} is no time: allowed is such as {allowed}") from None


@click.command("stats")
@click.option(
    "--by", type=click.Choice(["tool", "agent", "kind", "day"]), help="One line for each. By default one for all."
)
@click.option("--since", type=moment, metavar="7d|DATE", help="Only what happened since then. By default all.")
@click.option(
    "--recent", type=click.IntRange(min=1), metavar="N", help="The last N events themselves, newest first, one a line."
)
@as_json("Print one JSON document; with --recent JSON lines, one for each event.")
def command(by: By | None, since: float | None, recent: int | None, json: bool) -> None:
    """Tell what was cut, saved and read again.

    Regret is the share of truncated results that the model came back for. Tokens are estimates.
    """
    if recent is not None and (by is not None or since is not None):
        raise click.UsageError("--recent takes no --by and no --since", click.get_current_context())
    with opened_ledger() as ledger:
        if recent is not None:
            for event in ledger.recent(recent):
                if json:
                    write_document(document_of_event(event))
                else:
                    console.line(row_of_event(event))
            return
        totals = ledger.totals(by or "all", since=since)
    if json:
        write_document([document(each) for each in totals])
    elif not totals:
        console.note("nothing is recorded")
    else:
        table.show(_HEADINGS, [_row(each, by) for each in totals], numbers=True)


_HEADINGS = (
    "", "results", "truncated", "not kept", "bytes in", "bytes out", "tokens saved", "read back", "regret"
)  # fmt: skip


def _row(totals: Totals, by: By | None) -> list[str]:
    return [
        (totals.group or "(none)") if by else "all",
        f"{totals.admissions:,}",
        f"{totals.truncated:,} ({totals.truncation_rate:.0%})",
        f"{totals.failed:,}",
        f"{totals.bytes_before:,}",
        f"{totals.bytes_after:,}",
        f"{totals.tokens_saved:,}",
        f"{totals.read_backs:,}",
        f"{totals.regret:.0%}",
    ]


def document(totals: Totals) -> dict[str, Any]:
    told = {field.name: getattr(totals, field.name) for field in fields(totals)}
    derived = ("truncation_rate", "tokens_saved", "regret")
    return told | {name: getattr(totals, name) for name in derived}


def row_of_event(event: Event) -> str:
    what = event.what
    tool = f"{times.local(event.at)}  {what.action if not isinstance(what, Entry) else 'admit':6}  {what.tool}"
    if not isinstance(what, Entry):
        return f"{tool}  {what.after.bytes:,} bytes  {what.handle}"
    if not what.truncated:
        return f"{tool}  {what.after.bytes:,} bytes"
    where = what.handle or f"not kept: {what.failure}"
    return f"{tool}  {what.before.bytes:,} -> {what.after.bytes:,} bytes  {where}"


def document_of_event(event: Event) -> dict[str, Any]:
    what = event.what
    told: dict[str, Any] = {
        "at": times.utc(event.at),
        "seconds": event.seconds,
        "action": "admit",
        "tool": what.tool,
        "agent": what.agent,
        "handle": what.handle,
        "after": what.after._asdict(),
        "shown": [list(span) for span in what.shown],
    }
    if isinstance(what, Entry):
        added = {"kind": what.kind, "strategy": what.strategy, "reason": what.reason, "failure": what.failure}
        return told | added | {"before": what.before._asdict()}
    return told | {"action": what.action}
