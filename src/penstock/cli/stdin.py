"""What stdin is, before it is read."""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator

from penstock.cli import console
from penstock.cli.streams import READ
from penstock.errors import ToolError


def descriptor() -> int | None:
    """Its number; None where it is no file, but something that stands in for one in this process."""
    if sys.stdin is None or sys.stdin.closed:
        raise ToolError("there is no standard input to read")
    if console.is_terminal(sys.stdin):
        console.note("reading from the terminal; Ctrl-D ends it")
    try:
        return sys.stdin.fileno()
    except io.UnsupportedOperation:
        return None


def arriving() -> Iterator[bytes]:
    """All of it, each piece as soon as it is there."""
    number = descriptor()
    try:
        while piece := sys.stdin.buffer.read(READ) if number is None else _read(number):
            yield piece
    except OSError as error:
        raise ToolError(f"stdin cannot be read: {error.strerror}") from error


def _read(number: int) -> bytes:
    while True:
        try:
            return os.read(number, READ)
        except BlockingIOError:  # some programs hand their children pipes that do not wait
            select.select((number,), (), ())
