"""`penstock pipe`."""

from __future__ import annotations

from typing import Any

import click

from penstock.capture import Capture
from penstock.cli import console, signals
from penstock.cli.opening import opened
from penstock.cli.options import Asked, as_json, bounding
from penstock.cli.progress import Progress
from penstock.cli.showing import Passage
from penstock.cli.stdin import arriving, descriptor
from penstock.cli.streams import Descriptor, Signalled, Streams
from penstock.cli.taking import Taking

TOOL = "pipe"


@click.command("pipe")
@bounding("By default `pipe`.", "By default nothing.")
@as_json("Print an envelope (one JSON document), which is within the limits as a whole.")
def command(**given: Any) -> int:
    """Pass stdin to stdout within limits.

    What fits comes out byte for byte. What does not fit is kept whole, and what comes out is within the limits with
    its notice, which says how to read on. Interrupted, it prints the view of what came until then.

    \b
      make 2>&1 | penstock pipe --query "why does it fail?"
      curl -s https://example.org/big.json | penstock pipe --max-tokens 2000
    """
    asked = Asked(**given)
    with opened() as gate:
        passage = Passage(gate, asked, asked.tool or TOOL, asked.query or "")
        with passage.open() as capture:
            code = take_stdin(capture)
            view = passage.view(capture)
        console.out(passage.printed(view))
    return code


def take_stdin(capture: Capture) -> int:
    """All of stdin. The exit code is that of the signal which ended it."""
    number = descriptor()
    if number is None:
        for piece in arriving():
            capture.write(piece)
        return 0
    streams = Streams()
    told: list[
        int
    ] = []  # not only an event: the end of the input may overtake it, and we were interrupted all the same

    def tell(number: int) -> None:
        told.append(number)
        streams.tell(Signalled(number))

    with signals.caught(tell), Progress() as progress:
        taking = Taking(streams, {"stdin": capture}, progress)
        streams.read("stdin", Descriptor(number))
        while not taking.done and len(told) < 2:
            if isinstance(taking.step(), Signalled):
                # Ctrl-C reaches all of a pipeline: what is before us may still have its last words to say.
                taking.wind_up()
    return 128 + told[0] if told else 0
