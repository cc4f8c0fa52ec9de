"""docs/cli.md, rendered from the help pages: `python -m penstock.cli.manual > docs/cli.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from penstock.cli import console
from penstock.cli.root import group

INTRODUCTION: Final = """\
# Command line

`penstock` is the gate for shells: it runs commands, takes pipes and files, and reads kept output back. This page holds
its help pages as they are printed; `python -m penstock.cli.manual > docs/cli.md` brings it up to date.

What all commands have in common:

- **Output goes to stdout, byte for byte; what Penstock has to say goes to stderr**, one line each, after `penstock: `.
  Views, pages and hits are within their limits; what `run`, `pipe` and `admit` print is, to the last newline: one is
  added to a view that was cut only where it fits. `none` for a limit still leaves the 10 MiB of a capture.
- **`--json`** prints one JSON document, or JSON lines where there are several of a kind; each help page says which.
- **Exit codes**: 0 done; 1 failed (a store, a handle that is unknown or expired); 2 the call is wrong and would fail
  again the same way; 130 interrupted; 141 nobody reads the output any more, which is no failure and said to nobody.
  `run` has the exit code of its command. `grep` has those of grep: 0 found, 1 not found, 2 failed.
- **Handles in notices** are for `penstock read` in the same project. Where `--directory` or `--config` made an output
  go elsewhere, the notice names its file instead.
- **Terminals**: colours only there, and not with `NO_COLOR` or `TERM=dumb`. Names of files and tools are printed with
  their control characters made visible. Kept output itself is printed as it is.
- **`PENSTOCK_DEBUG=1`** shows the traceback of what should not have happened.
- **Completion**: `penstock completion --help`.
"""

_WIDTH: Final = 100


def page() -> str:
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    root = click.Context(group, info_name=console.NAME, terminal_width=_WIDTH, **group.context_settings)
    yield _section(root)
    yield from _of_group(root, group)


def _of_group(above: click.Context, commands: click.Group) -> Iterator[str]:
    for name in commands.list_commands(above):
        command = commands.get_command(above, name)
        if command is not None:
            context = click.Context(command, above, name, **command.context_settings)
            yield _section(context)
            if isinstance(command, click.Group):
                yield from _of_group(context, command)


def _section(context: click.Context) -> str:
    return f"## {context.command_path}\n```text\n{context.get_help()}\n```\n"


if __name__ == "__main__":
    console.out(page())
