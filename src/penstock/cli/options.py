"""Options and arguments that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from penstock.core.limits import UNITS, Limits
from penstock.core.policy import STRATEGIES, Strategy
from penstock.gate import BareGate

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

NO_LIMIT: Final = 0  # what `none` is read as; nobody can type it


class Limit(click.ParamType):
    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if value == "none":
            return NO_LIMIT
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is not a limit: allowed is a whole number from 1 on, or none", param, ctx)
        return number


class Words(click.ParamType):
    """Text for people and models. File names and arguments may be any bytes, this may not."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{text!r} holds bytes that are not text in UTF-8", param, ctx)
        return text


@dataclass(frozen=True, slots=True)
class Asked:
    """How the call wants its output bounded."""

    tool: str | None
    query: str | None
    agent: str | None
    strategy: Strategy | None
    json: bool
    max_chars: int | None
    max_lines: int | None
    max_bytes: int | None
    max_tokens: int | None

    def limits(self, gate: BareGate, tool: str) -> Limits:
        """The tool's limits, with those in their place that were given."""
        given = {unit: getattr(self, f"max_{unit}") for unit in UNITS}
        told = {unit: None if value == NO_LIMIT else value for unit, value in given.items() if value is not None}
        return replace(gate.rules.limits_for(tool), **told)


def bounding(tool: str, query: str) -> Callable[[Decorated], Decorated]:
    """The options of a command that prints a view. `tool` and `query` tell their defaults, in a sentence each."""
    options = [
        click.option("--tool", type=Words(), metavar="NAME", help=f"The tool whose limits hold. {tool}"),
        click.option("--query", type=Words(), metavar="TEXT", help=f"What the reader wants to know. {query}"),
        click.option("--agent", type=Words(), metavar="NAME", help="The agent profile that tightens the limits."),
        *(
            click.option(
                f"--max-{unit}",
                type=Limit(),
                metavar="N",
                help=f"At most N {unit} are printed; `none` for no limit. By default as the settings say{told}.",
            )
            for unit, told in zip(UNITS, (" (none)", " (2,000)", " (51,200)", " (none)"), strict=True)
        ),
        click.option(
            "--strategy",
            type=click.Choice(STRATEGIES),
            help="What is shown of output that is over a limit. By default as the settings say (auto: by its kind).",
        ),
    ]
    return lambda command: _with(command, options)


def as_json(what: str) -> Callable[[Decorated], Decorated]:
    return click.option("--json", "json", is_flag=True, help=what)


def handle(command: Decorated) -> Decorated:
    return click.argument("handle", type=Words(), shell_complete=_handles)(command)


def _with(command: Decorated, options: list[Callable[[Decorated], Decorated]]) -> Decorated:
    for option in reversed(options):
        command = option(command)
    return command


_OFFERED: Final = 50


def _handles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from penstock.cli.opening import opened  # noqa: PLC0415  # loads the gate, which only the Tab key needs here

    with ctx, opened() as gate:
        fitting = (record for record in gate.records() if record.handle.startswith(incomplete))
        return [
            CompletionItem(record.handle, help=f"{record.tool}, {record.size:,} bytes")
            for record, _ in zip(fitting, range(_OFFERED), strict=False)
        ]
