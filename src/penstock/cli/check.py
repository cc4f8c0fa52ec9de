"""`penstock check`."""

from __future__ import annotations

import click

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.opening import opened_store
from penstock.cli.options import as_json


@click.command("check")
@click.option("--read-data", is_flag=True, help="Read all kept output and compare it with its digests.")
@click.option("--repair", is_flag=True, help="Put right what can be. Damaged files are renamed, never deleted.")
@as_json("Print one JSON document: a list of what was found.")
def command(read_data: bool, repair: bool, json: bool) -> int:
    """Look for damage in the store.

    The exit code is 1 when something is wrong and has not been put right.
    """
    with opened_store() as store:
        findings = store.check(read_data=read_data, repair=repair)
    if json:
        write_document(
            [
                {
                    "problem": found.problem,
                    "name": found.name,
                    "handle": found.handle,
                    "detail": found.detail,
                    "repaired": found.repaired,
                }
                for found in findings
            ]
        )
    else:
        for found in findings:
            put_right = " (put right)" if found.repaired else ""
            console.line(f"{found.problem}: {found.name}: {found.detail}{put_right}")
        if not findings:
            console.line("nothing is wrong" + ("" if read_data else ", as far as it shows without --read-data"))
    return int(any(not found.repaired for found in findings))
