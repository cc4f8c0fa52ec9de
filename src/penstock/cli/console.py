"""What is written where: results to stdout as exact bytes, all that we say ourselves to stderr or escaped.

A file name or a tool's name can hold escape sequences that rewrite a terminal's screen. `plain` makes them visible;
every message passes through it. Kept output itself goes out as it is: it is the user's own data.
"""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from typing import BinaryIO, Final, TextIO

import click

from penstock.errors import PenstockError

NAME: Final = "penstock"


class OutputClosed(Exception):  # an event, not a fault: who reads us has seen enough
    """Nobody reads our stdout any more."""


def plain(text: str) -> str:
    """`text` in one line, with everything that a terminal would not print shown as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def out(data: bytes | str) -> None:
    """Write a result."""
    if sys.stdout is None:
        raise PenstockError("there is no standard output to write to")
    _write(sys.stdout.buffer, data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


def err(data: bytes) -> None:
    """Write a result that belongs to stderr."""
    if sys.stderr is not None:
        sys.stderr.flush()
        _write(sys.stderr.buffer, data)
        sys.stderr.buffer.flush()


def line(text: str) -> None:
    """Write one line of what we say ourselves as a result: a row of a table, a document."""
    out(plain(text) + "\n")


def _write(stream: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    try:
        while rest:
            try:
                rest = rest[stream.write(rest) :]
            except BlockingIOError as full:  # some programs hand their children pipes that do not wait
                rest = rest[full.characters_written :]
                select.select((), (stream,), ())
    except OSError as error:
        raise _failure(error) from error


def flush() -> None:
    """What is still buffered goes out now, while a failure can still be told."""
    try:
        while sys.stdout is not None and not sys.stdout.closed:
            try:
                sys.stdout.flush()
            except BlockingIOError:
                select.select((), (sys.stdout,), ())
            else:
                return
    except OSError as error:
        raise _failure(error) from error


def abandon() -> None:
    """Forget what stdout still buffers: Python would try to write it at its end, and complain."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def note(sentence: str, *, error: bool = False) -> None:
    """Say something to whoever looks on."""
    name = f"{NAME}:"
    if colourful(sys.stderr):
        name = click.style(name, fg="red" if error else "cyan", bold=True)
    say(f"{name} {plain(sentence)}\n")


def say(text: str) -> None:
    """Write to stderr as it is. Where nobody listens there is nobody to tell that it failed."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def heading(text: str) -> str:
    return click.style(text, bold=True) if colourful(sys.stdout) else text


def colourful(stream: TextIO) -> bool:
    """Whether colours are welcome: https://no-color.org, and only where somebody sees them."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def _failure(error: OSError) -> Exception:
    # EINVAL is what Windows says of a closed pipe.
    if isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == 22):
        return OutputClosed()
    return PenstockError(f"standard output cannot be written: {error.strerror}")
