"""A group of commands that are named in a table and loaded one by one, when they are called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    module: str  # where `command` is
    summary: str  # the first sentence of its help


class LazyGroup(click.Group):
    def __init__(self, *args: Any, table: Mapping[str, Entry], **named: Any) -> None:
        super().__init__(*args, **named)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click asks so
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as above
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as above
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.table.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [
            CompletionItem(name, help=entry.summary)
            for name, entry in self.table.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)
