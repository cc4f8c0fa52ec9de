"""The command `penstock`: the table of its commands, and the options that all of them share.

A command is loaded when it is called. `penstock --version` and `penstock --help` load nothing but click.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from penstock import __version__
from penstock.cli.console import NAME
from penstock.cli.endings import ended
from penstock.cli.lazy import Entry, LazyGroup

COMMANDS: Final[dict[str, Entry]] = {
    "run": Entry("penstock.cli.run", "Run a command and print its output within limits."),
    "pipe": Entry("penstock.cli.pipe", "Pass stdin to stdout within limits."),
    "admit": Entry("penstock.cli.admit", "Print files within limits."),
    "filter": Entry("penstock.cli.filter", "Pass a model's output from stdin to stdout without its tool-call markup."),
    "read": Entry("penstock.cli.read", "Print a page of kept output, or all of it."),
    "grep": Entry("penstock.cli.grep", "Search kept output."),
    "unseen": Entry("penstock.cli.unseen", "Print what no view has shown yet."),
    "ls": Entry("penstock.cli.ls", "List what is kept, newest first."),
    "show": Entry("penstock.cli.show", "Tell what is known of one kept output."),
    "index": Entry("penstock.cli.index", "Index the code of a folder for `penstock search`."),
    "search": Entry("penstock.cli.search", "Find code that `penstock index` has indexed, by words or by a name."),
    "projects": Entry("penstock.cli.projects", "List, copy and forget what `penstock index` has indexed."),
    "stats": Entry("penstock.cli.stats", "Tell what was cut, saved and read again."),
    "gc": Entry("penstock.cli.gc", "Delete what has expired."),
    "check": Entry("penstock.cli.check", "Look for damage in the store."),
    "map": Entry("penstock.cli.map", "Print the definitions that matter most in a tree of code."),
    "serve-tools": Entry("penstock.cli.serve_tools", "Serve tools for reading and searching files over MCP."),
    "config": Entry("penstock.cli.config", "List the settings in effect and where each comes from."),
    "completion": Entry("penstock.cli.completion", "Print the completion script for a shell."),
}

COMPLETE: Final = "_PENSTOCK_COMPLETE"


class Root(LazyGroup):
    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """The one way in, for the console script and for click's test runner: ends the process."""
        raise SystemExit(main(args))


@click.group(
    NAME,
    cls=Root,
    table=COMMANDS,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 failed, 2 wrong call, 130 interrupted, 141 nobody reads the output any more. "
    "`penstock run` has the exit code of its command, `penstock grep` those of grep.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The settings file. By default penstock.yaml in this folder or the nearest one above it, then the user's.",
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of kept output. By default tool-output at the project's root.",
)
@click.option("--verbose", "-v", is_flag=True, help="Tell on stderr what is done. By default only warnings are told.")
@click.version_option(__version__, "--version", message="%(prog)s %(version)s", help="Print the version and end.")
@click.pass_context
def group(ctx: click.Context, /, verbose: bool, **_: Any) -> None:
    """The gate between what tools return and what a model's context holds.

    Output that fits its limits passes untouched. What does not fit is kept whole and shown within the limits, with a
    handle for reading on.

    \b
      penstock run -- pytest -x             the output within limits
      make 2>&1 | penstock pipe             the same for a pipe
      penstock read ps-... --start 201      more of what was cut
      penstock grep ps-... ERROR            search in it
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        return
    from penstock.cli.logs import told  # noqa: PLC0415  # loads logging, which `--version` and `--help` need not

    ctx.with_resource(told(verbose=verbose))


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""

    def work() -> object:
        if instruction := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete  # noqa: PLC0415  # at the Tab key only

            return shell_complete(group, {}, NAME, COMPLETE, instruction)
        given = sys.argv[1:] if args is None else list(args)
        with group.make_context(NAME, given) as ctx:
            return group.invoke(ctx)

    return ended(work)
