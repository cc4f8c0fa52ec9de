"""`penstock projects`."""

from __future__ import annotations

from typing import Final

import click

from penstock.cli.lazy import Entry, LazyGroup

COMMANDS: Final[dict[str, Entry]] = {
    "list": Entry("penstock.cli.projects_list", "List the projects and their repositories."),
    "copy": Entry("penstock.cli.projects_copy", "Copy a project from a folder into a database, or back."),
    "forget": Entry("penstock.cli.projects_forget", "Delete the index of a project, or of one repository of it."),
}


@click.group(
    "projects",
    cls=LazyGroup,
    table=COMMANDS,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, copy and forget what `penstock index` has indexed."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
