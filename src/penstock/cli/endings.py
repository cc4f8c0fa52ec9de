"""How a call ends: every failure is one sentence on stderr and an exit code, never a traceback.

    0    done
    1    it failed: the store, an unknown or expired handle            (grep: nothing found)
    2    the call is wrong, and would fail again the same way          (grep: it failed)
    130  interrupted
    141  nobody reads our stdout any more; without a word, as shells report a filter that SIGPIPE ended

`run` has the exit code of its command instead.
"""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Callable
from typing import Final

import click

from penstock.cli import console
from penstock.errors import PenstockError

INTERRUPTED: Final = 130
CLOSED: Final = 141
DEBUG: Final = "PENSTOCK_DEBUG"


def ended(work: Callable[[], object]) -> int:
    """Do the work; what it returns is the exit code, if it is a number."""
    try:
        result = work()
        console.flush()
    except click.exceptions.Exit as leave:
        return _flushed(leave.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (console.OutputClosed, BrokenPipeError):  # the latter from click, which prints the help
        console.abandon()
        return CLOSED
    except click.ClickException as error:
        return _failed(_sentence(error), error.exit_code)
    except OSError as error:  # what click prints itself: the help, the version
        if error.errno != errno.ENOSPC or error.filename is not None:
            return _unexpected(error)
        console.abandon()
        return _failed(f"standard output cannot be written: {error.strerror}", 1)
    except PenstockError as error:
        return _failed(str(error), error.exit_code)
    except Exception as error:  # noqa: BLE001  # the last resort: people get a sentence, and a way to see the rest
        return _unexpected(error)
    return result if type(result) is int else 0


def _flushed(code: int) -> int:
    return ended(lambda: code)


def _failed(sentence: str, code: int) -> int:
    console.note(sentence, error=True)
    # What was written before the failure is still worth having.
    flushed = ended(lambda: None)
    return code or flushed


def _unexpected(error: Exception) -> int:
    if os.environ.get(DEBUG):
        console.say("".join(traceback.format_exception(error)))
    told = str(error) or "no more is known"
    hint = "" if os.environ.get(DEBUG) else f"; set {DEBUG}=1 to see where"
    return _failed(f"something went wrong inside Penstock ({type(error).__name__}: {told}){hint}", 1)


def _sentence(error: click.ClickException) -> str:
    sentence = error.format_message().strip().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return sentence
    option = getattr(error, "option_name", None)
    if isinstance(error, click.NoSuchOption) and option in _options(context.find_root().command):
        name, _, command = context.command_path.partition(" ")
        return f"{option} goes before the command: {name} {option} ... {command}"
    return f"{sentence} (see {context.command_path} --help)"


def _options(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}
