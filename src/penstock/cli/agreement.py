"""What cannot be undone is asked about first; `--yes` agrees beforehand."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

import click

from penstock.cli import console
from penstock.cli.options import Decorated
from penstock.errors import CallerError, PenstockError


def yes(command: Decorated) -> Decorated:
    return click.option("--yes", "-y", is_flag=True, help="Do not ask. Needed where there is no terminal.")(command)


def agree(told: str, *, yes: bool) -> None:
    """Return if whoever looks on agrees to what they are `told` that happens."""
    if yes:
        return
    told = console.plain(told)
    if not (console.is_terminal(sys.stdin) and console.is_terminal(sys.stderr)):
        raise CallerError(f"{told}: nobody can be asked here, so it takes --yes")
    # Older versions of click print a space to stdout, which is for results.
    with redirect_stdout(sys.stderr):
        agreed = click.confirm(f"{console.NAME}: {told}. Go on?", err=True)
    if not agreed:
        raise PenstockError("nothing was done")
