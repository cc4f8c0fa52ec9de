"""`penstock admit`."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, Final

import click

from penstock.cli import console
from penstock.cli.opening import opened
from penstock.cli.options import Asked, as_json, bounding
from penstock.cli.pipe import take_stdin
from penstock.cli.showing import Passage
from penstock.core.envelope import wrapped
from penstock.core.limits import UNITS, Limits
from penstock.core.measure import Size, measure
from penstock.core.share import share_limits
from penstock.core.view import View
from penstock.errors import CallerError, ToolError

TOOL: Final = "file"
STDIN: Final = "-"

# Larger files, and those that can be read only once, are taken to need all that there is.
_MEASURED: Final = 4 * 1024 * 1024
_ALL: Final = Size(*[2**62] * 4)

# What a newline between two views can cost in tokens.
_SLACK: Final = 2


@click.command("admit")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@bounding("By default `file`.", "By default nothing.")
@as_json("Print JSON lines: an envelope for each file, all of them together within the limits.")
def command(files: tuple[str, ...], **given: Any) -> int:
    """Print files within limits.

    A file that fits is printed as it is. Of one that does not, the whole is kept and a view is printed. Several files
    share the limits: what a small one leaves, the large ones get, and each has a line with its name before it. The file
    `-` is stdin.

    \b
      penstock admit build.log --max-lines 100
      penstock admit --max-tokens 4000 --json logs/*.log
    """
    asked = Asked(**given)
    with opened() as gate:
        passage = Passage(gate, asked, asked.tool or TOOL, asked.query or "")
        if len(files) == 1:
            console.out(passage.printed(_view(passage, files[0])))
            return 0
        there = [file for file in files if _readable(file)]
        for text in _several(passage, there):
            console.out(text)
    return 0 if len(there) == len(files) else 1


def _view(passage: Passage, file: str) -> View:
    with passage.open() as capture:
        if file == STDIN:
            take_stdin(capture)
        else:
            with _opened(file) as source, _told(file):
                capture.feed(source)
        return passage.view(capture)


def _several(passage: Passage, files: Sequence[str]) -> Iterator[bytes]:
    limits = passage.policy.limits
    titles = ["" if passage.asked.json else f"==> {console.plain(file)} <==\n" for file in files]
    budget = _less(limits, passage.gate.size("".join(titles), limits), len(files))
    shares = share_limits(budget, [_need(passage, file, limits) for file in files])
    for title, file, share in zip(titles, files, shares, strict=True):
        part = replace(passage, share=share)
        body = bytes(_view(part, file))
        yield title.encode() + body + (b"" if body.endswith(b"\n") else b"\n")


def _less(limits: Limits, titles: Size, files: int) -> Limits:
    """What is left for the views, with a newline behind each."""
    taken = titles._replace(lines=titles.lines, tokens=(titles.tokens or 0) + _SLACK * files)
    taken = taken._replace(chars=taken.chars + files, bytes=taken.bytes + files)
    left = {unit: getattr(limits, unit) - getattr(taken, unit) for unit in UNITS if getattr(limits, unit) is not None}
    if any(room < files for room in left.values()):
        raise CallerError(f"the limits have no room for {files} files: print fewer at once")
    return Limits(**left)


def _need(passage: Passage, file: str, limits: Limits) -> Size:
    if file == STDIN:
        return _ALL
    with _opened(file) as source, _told(file):
        found = os.fstat(source.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MEASURED:
            return _ALL
        text = source.read().decode("utf-8", "replace")
    if not passage.asked.json:
        return passage.gate.size(text, limits)
    # An envelope is one line, but the lines of a view are those of its preview.
    return passage.gate.size(wrapped(text), limits)._replace(lines=measure(text).lines)


def _readable(file: str) -> bool:
    """As with `cat`, one file that cannot be read does not keep the others from being printed."""
    if file == STDIN:
        return True
    try:
        with _opened(file):
            return True
    except ToolError as error:
        console.note(str(error), error=True)
        return False


def _opened(file: str) -> BinaryIO:
    with _told(file):
        return open(file, "rb")  # noqa: PTH123  # the name may hold bytes, and "-" has been seen to


@contextmanager
def _told(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ToolError(f"{file} cannot be read: {error.strerror}") from error
