"""`penstock run`."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from penstock.capture import Capture
from penstock.cli import console, signals
from penstock.cli.opening import opened
from penstock.cli.options import SECONDS, Asked, as_json, bounding
from penstock.cli.process import TIMED_OUT, Child, Stderr
from penstock.cli.progress import Progress
from penstock.cli.showing import Passage
from penstock.cli.streams import Exited, Signalled, Streams
from penstock.cli.taking import Taking
from penstock.core.envelope import Frame
from penstock.core.view import View

# From the first, polite end of a command that is over its time to the second one.
KILL_AFTER: Final = 5.0

QUERY_MOST: Final = 2_000
COMMAND_MOST: Final = 1_000


@click.command("run", context_settings={"allow_interspersed_args": False})
@click.argument("command_line", metavar="COMMAND [ARGUMENT]...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--stderr",
    type=click.Choice(["merge", "separate", "pass"]),
    default="merge",
    help="What becomes of the command's stderr: `merge` takes it with stdout in the order of writing, `separate` prints"
    " a view of its own on stderr, `pass` leaves it alone. By default merge.",
)
@click.option(
    "--timeout",
    type=SECONDS,
    metavar="SECONDS",
    help="End the command and all that it started after so long: SIGTERM, then SIGKILL 5 seconds later. It then has no"
    " terminal. By default it may take any time.",
)
@bounding("By default the name of the command.", "By default the command line.")
@as_json(
    "Print an envelope (one JSON document), which is within the limits as a whole. Its context has command, exit_code"
    " and duration (seconds), and timed_out or interrupted where that happened."
)
def command(command_line: tuple[str, ...], stderr: Stderr, timeout: float | None, **given: Any) -> int:
    """Run a command and print its output within limits.

    The command is started without a shell, with our stdin, and its exit code is ours: 128+N when signal N ended it,
    127 when there is no such command, 126 when it cannot be executed, 124 after --timeout. Interrupts are handed on to
    it, and the view of what came until then is printed.

    It is over when it has ended and its output is closed. Where something that it left running keeps the output open,
    one second of silence is the end of it.

    \b
      penstock run -- pytest -x
      penstock run --timeout 600 --query "why does the build fail?" -- make -j4
      penstock run -- sh -c 'git log | head -5000'
    """
    asked = Asked(**given)
    with opened() as gate:
        tool = asked.tool or _text(os.path.basename(command_line[0])) or "run"  # noqa: PTH119  # the path of no file of ours
        query = " ".join(map(_text, command_line))[:QUERY_MOST] if asked.query is None else asked.query
        passage = Passage(gate, asked, tool, query)
        run = Run(command_line, stderr, timeout)
        captures = {name: passage.open() for name in ("stdout", "stderr") if name == "stdout" or stderr == "separate"}
        try:
            run.take(captures)
            views = {name: _view(passage, run, name, capture) for name, capture in captures.items()}
        finally:
            for capture in captures.values():
                capture.abort()
        _print(passage, views)
        run.tell()
    return run.code


class Run:
    """One command from its start to the end of its output."""

    def __init__(self, command: Sequence[str], stderr: Stderr, timeout: float | None) -> None:
        self.command = command
        self.code = 0
        self._stderr = stderr
        self._timeout = timeout
        self._began = time.monotonic()
        self._duration = 0.0
        self._timed_out = False
        self._interrupted = 0
        self._left_open = False

    def take(self, captures: Mapping[str, Capture]) -> None:
        streams = Streams()
        # A command that writes to the terminal itself would write into our line.
        progress = Progress(wanted=self._stderr != "pass")
        with signals.caught(lambda number: streams.tell(Signalled(number))), progress:
            child = Child(self.command, self._stderr, timed=self._timeout is not None)
            try:
                child.read_by(streams)
                self._follow(child, Taking(streams, captures, progress))
            finally:
                child.kill()

    def _follow(self, child: Child, taking: Taking) -> None:
        ended = False
        deadline = math.inf if self._timeout is None else self._began + self._timeout
        while not (ended and taking.done):
            event = taking.step()
            if isinstance(event, Exited):
                ended = True
                self.code = event.code
                self._duration = time.monotonic() - self._began
                taking.wind_up()
            elif isinstance(event, Signalled):
                self._interrupted = event.number
                child.forward(event.number)
            elif not ended and time.monotonic() >= deadline:
                (child.kill if self._timed_out else child.terminate)()
                self._timed_out = True
                deadline = time.monotonic() + KILL_AFTER
        self._left_open = taking.left_open
        if self._timed_out:
            self.code = TIMED_OUT

    def frame(self, stream: str) -> Frame:
        context: dict[str, Any] = {
            "command": _told(self.command),
            "exit_code": self.code,
            "duration": round(self._duration, 3),
        }
        if self._stderr == "separate":
            context["stream"] = stream
        if self._timed_out:
            context["timed_out"] = True
        if self._interrupted:
            context["interrupted"] = signals.name_of(self._interrupted)
        if self.code == 0:
            return Frame(context=context)
        return Frame("error", context=context, error={"code": "EXIT_CODE", "message": self._failure()})

    def _failure(self) -> str:
        return " and ".join([f"the command ended with exit code {self.code}", *self._incidents()])

    def _incidents(self) -> Iterator[str]:
        if self._timed_out:
            yield f"was ended after {self._timeout:g} second{'' if self._timeout == 1 else 's'}"
        if self._interrupted:
            yield f"was interrupted by {signals.name_of(self._interrupted)}"

    def tell(self) -> None:
        """What a reader of the view has to know besides."""
        for incident in self._incidents():
            console.note(f"the command {incident}: this is what came until then")
        if self._left_open:
            console.note("something that the command left running keeps its output open: what it still writes is lost")


def _view(passage: Passage, run: Run, stream: str, capture: Capture) -> View | None:
    if stream == "stderr" and not capture.size:
        return None
    return passage.view(capture, run.frame(stream))


def _print(passage: Passage, views: Mapping[str, View | None]) -> None:
    """Where nobody reads on, the exit code of the command is still wanted."""
    for name, view in views.items():
        if view is None:
            continue
        try:
            (console.out if name == "stdout" else console.err)(passage.printed(view))
        except console.OutputClosed:
            console.abandon()


def _told(command: Sequence[str]) -> list[str]:
    """The command in the envelope, where a file's worth of arguments would leave no room for the output."""
    told: list[str] = []
    room = COMMAND_MOST
    for argument in command:
        if len(argument) > room:
            return [*told, argument[:room] + "..."]
        told.append(argument)
        room -= len(argument)
    return told


def _text(argument: str) -> str:
    """An argument as text: it may hold bytes that are none."""
    return argument.encode("utf-8", "replace").decode()
