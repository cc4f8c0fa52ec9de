"""`penstock completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from penstock.cli import console
from penstock.cli.documents import write_document
from penstock.cli.root import COMPLETE
from penstock.errors import PenstockError


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--json", "json", is_flag=True, help="Print one JSON document: shell and script.")
def command(shell: str, json: bool) -> None:
    """Print the completion script for a shell.

    It completes commands, options, handles and projects. To have it in every new shell, once:

    \b
      bash   penstock completion bash > ~/.local/share/bash-completion/completions/penstock
      zsh    penstock completion zsh > ~/.zfunc/_penstock     with fpath+=~/.zfunc before compinit in ~/.zshrc
      fish   penstock completion fish > ~/.config/fish/completions/penstock.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise PenstockError(f"this version of click has no completion for {shell}")
    script = found(click.get_current_context().find_root().command, {}, console.NAME, COMPLETE).source()
    if json:
        write_document({"shell": shell, "script": script})
    else:
        console.out(script)
