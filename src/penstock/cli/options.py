"""Options and arguments that several commands have."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from penstock.core.limits import DEFAULT_LIMITS, UNITS, Limits
from penstock.core.policy import ARRANGEMENTS, STRATEGIES, Arrangement, Strategy

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class _Seconds(click.FloatRange):
    """A time that has an end: nothing is ever over NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is not a number above 0.", param, ctx)
        return seconds


SECONDS: Final = _Seconds(min=0, min_open=True)

NO_LIMIT: Final = 0  # what `none` is read as; nobody can type it
_DIGITS: Final = 18


def limit(text: str) -> int:
    if text in ("none", "null"):  # as people say it, and as the settings have it
        return NO_LIMIT
    if not text.isdecimal() or len(text) > _DIGITS or int(text) < 1:
        raise click.BadParameter(f"{text!r} is not a limit: allowed is a whole number from 1 on, or none")
    return int(text)


def words(text: str) -> str:
    """Text for people and models. File names and arguments may be any bytes, this may not.

    It was read as the locale has it; what people type is UTF-8 also where the locale says nothing of that.
    """
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        raise click.BadParameter(f"{text!r} holds bytes that are not text in UTF-8") from None


@dataclass(frozen=True, slots=True)
class Asked:
    """How the call wants its output bounded."""

    tool: str | None
    query: str | None
    agent: str | None
    strategy: Strategy | None
    layout: Arrangement | None
    json: bool
    max_chars: int | None
    max_lines: int | None
    max_bytes: int | None
    max_tokens: int | None

    def in_place_of(self, limits: Limits) -> Limits:
        """`limits`, with those in their place that were given."""
        given = {unit: getattr(self, f"max_{unit}") for unit in UNITS}
        told = {unit: None if value == NO_LIMIT else value for unit, value in given.items() if value is not None}
        return replace(limits, **told)


def bounding(tool: str, query: str) -> Callable[[Decorated], Decorated]:
    """The options of a command that prints a view. `tool` and `query` tell their defaults, in a sentence each."""
    options = [
        click.option("--tool", type=words, metavar="NAME", help=f"The tool whose limits hold. {tool}"),
        click.option("--query", type=words, metavar="TEXT", help=f"What the reader wants to know. {query}"),
        click.option("--agent", type=words, metavar="NAME", help="The agent profile that tightens the limits."),
        *(
            click.option(
                f"--max-{unit}",
                type=limit,
                metavar="N",
                help=f"At most N {unit}; `none` for no limit. By default as the settings say ({_told(unit)}).",
            )
            for unit in UNITS
        ),
        click.option(
            "--strategy",
            type=click.Choice(STRATEGIES),
            help="What is shown of output that is over a limit. By default as the settings say (auto: by its kind).",
        ),
        click.option(
            "--layout",
            type=click.Choice(ARRANGEMENTS),
            help="Whether keys, paths and prefixes that repeat may be shown once (auto), or all as it was.",
        ),
    ]
    return lambda command: _with(command, options)


def _told(unit: str) -> str:
    limit = getattr(DEFAULT_LIMITS, unit)
    return "none" if limit is None else f"{limit:,}"


def as_json(what: str) -> Callable[[Decorated], Decorated]:
    return click.option("--json", "json", is_flag=True, help=what)


def handle(command: Decorated) -> Decorated:
    return click.argument("handle", type=words, shell_complete=_handles)(command)


def _with(command: Decorated, options: Sequence[Callable[[Any], Any]]) -> Decorated:
    for option in reversed(options):
        command = option(command)
    return command


_OFFERED: Final = 50


def _handles(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from penstock.cli.opening import opened  # noqa: PLC0415  # loads the gate, which only the Tab key needs here

    with ctx, opened() as gate:
        fitting = (record for record in gate.records() if record.handle.startswith(incomplete))
        return [
            CompletionItem(record.handle, help=f"{record.tool}, {record.size:,} bytes")
            for record in islice(fitting, _OFFERED)
        ]
