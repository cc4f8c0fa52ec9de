"""The command that `penstock run` runs: started without a shell, signalled as a group, its exit code as shells tell it.

- A command in the foreground of a terminal stays in our process group. So it can read from the terminal and stop with
  Ctrl-Z, and the terminal itself sends it Ctrl-C.
- Any other has a session of its own, so that a signal reaches all that it started; so has one with a time limit, whose
  whole group is ended with it. There it has no terminal: a program that asks for a password there fails at once,
  where in a mere background group it would be stopped for ever.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any, Final, Literal

from penstock.cli.streams import Exited, Streams
from penstock.errors import ToolError

Stderr = Literal["merge", "separate", "pass"]

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
TIMED_OUT: Final = 124

_STDERR: Final[dict[Stderr, int | None]] = {"merge": subprocess.STDOUT, "separate": subprocess.PIPE, "pass": None}


class CannotStart(ToolError):
    def __init__(self, command: str, why: str, exit_code: int) -> None:
        super().__init__(f"{command} cannot be run: {why}")
        self.exit_code = exit_code


class Child:
    def __init__(self, command: Sequence[str], stderr: Stderr, *, timed: bool) -> None:
        self._shared = not timed and _in_foreground()
        self._interrupted = False
        self._process = _started(command, stderr, own_session=not self._shared)

    def read_by(self, streams: Streams) -> None:
        """Its output and its end are told to `streams`."""
        self._read("stdout", self._process.stdout, streams)
        self._read("stderr", self._process.stderr, streams)
        threading.Thread(target=self._wait, args=(streams,), name="penstock wait", daemon=True).start()

    def _read(self, name: str, pipe: IO[bytes] | None, streams: Streams) -> None:
        if pipe is not None:
            streams.read(name, pipe)

    def _wait(self, streams: Streams) -> None:
        streams.tell(Exited(exit_code(self._process.wait())))

    def forward(self, number: int) -> None:
        """Hand on a signal that we were sent."""
        if self._shared and number == signal.SIGINT and not self._interrupted:
            # The terminal has sent Ctrl-C to all of the foreground, and many programs take a second one for "at once".
            self._interrupted = True
            return
        self._send(number)

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    def _send(self, number: int) -> None:
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                _send_on_windows(self._process, number)
            elif self._shared:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)


def _send_on_windows(process: subprocess.Popen[bytes], number: int) -> None:
    if sys.platform == "win32":
        if number in (signal.SIGINT, signal.SIGBREAK):
            process.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            process.terminate()


def exit_code(status: int) -> int:
    return status if status >= 0 else 128 - status


def _started(command: Sequence[str], stderr: Stderr, *, own_session: bool) -> subprocess.Popen[bytes]:
    apart: dict[str, Any] = {"start_new_session": own_session}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        return subprocess.Popen(  # noqa: S603  # to run what it is given is what the command is for
            list(command), stdout=subprocess.PIPE, stderr=_STDERR[stderr], bufsize=0, **apart
        )
    except FileNotFoundError as error:
        raise CannotStart(command[0], "not found", NOT_FOUND) from error
    except ValueError as error:
        raise CannotStart(command[0], str(error), NOT_EXECUTABLE) from error
    except OSError as error:
        raise CannotStart(command[0], _why(error), NOT_EXECUTABLE) from error


def _why(error: OSError) -> str:
    if error.errno == errno.ENOEXEC:
        return "it is neither a program nor a script that begins with #!"
    return error.strerror or str(error)


def _in_foreground() -> bool:
    """Whether we are what a terminal talks to at the moment."""
    if sys.platform == "win32":
        return False
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
