"""What people see who sit before a terminal: real pseudo-terminals."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from .conftest import COMMAND, LONG, python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals of POSIX")

# Runs a command with a terminal of its own, in whose foreground it is; our stdin is what is typed there.
TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


class Terminal:
    def __init__(self, command: Sequence[str], **environ: str) -> None:
        base = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", TERMINAL, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**base, "TERM": "xterm", **environ},
        )

    def until(self, name: str) -> None:
        end = time.monotonic() + 20
        while not Path(name).exists():
            assert time.monotonic() < end
            time.sleep(0.01)

    def shows(self, text: bytes) -> bytes:
        """All that is shown up to `text`, for which it waits."""
        assert self._process.stdout is not None
        shown, end = b"", time.monotonic() + 20
        while text not in shown:
            assert select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))[0], shown
            some = os.read(self._process.stdout.fileno(), 1)
            assert some, shown
            shown += some
        return shown

    def type(self, keys: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(keys)
        self._process.stdin.flush()

    def end(self) -> tuple[int, bytes]:
        try:
            out, _ = self._process.communicate(timeout=30)
            return self._process.returncode, out.replace(b"\r\n", b"\n")
        finally:
            self._process.kill()
            self._process.wait()


def test_command_in_the_foreground_reads_from_the_terminal() -> None:
    code = "open('ready', 'w').close(); print('got ' + open('/dev/tty').readline())"
    terminal = Terminal([*COMMAND, "run", "--", *python(code)])
    terminal.until("ready")
    terminal.type(b"what is typed\n")
    status, out = terminal.end()
    assert status == 0
    assert b"got what is typed\n" in out


def test_interrupt_key_reaches_the_command_once() -> None:
    code = """
import signal, sys, time
count = 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
open("ready", "w").close()
until = time.monotonic() + 30
while not count and time.monotonic() < until:
    time.sleep(0.05)
time.sleep(0.5)
print("interrupted", count)
sys.exit(9)
"""
    terminal = Terminal([*COMMAND, "run", "--", *python(code)])
    terminal.until("ready")
    terminal.type(b"\x03")
    status, out = terminal.end()
    assert status == 9
    assert b"interrupted 1\n" in out


def test_command_with_a_time_limit_has_no_terminal_to_wait_for() -> None:
    terminal = Terminal([*COMMAND, "run", "--timeout", "20", "--", *python("open('/dev/tty')")])
    status, out = terminal.end()
    assert status == 1
    assert b"No such device" in out


def test_long_capture_shows_its_progress_and_erases_it() -> None:
    terminal = Terminal([*COMMAND, "run", "--", *python("import time; print('a'); time.sleep(3.2); print('b')")])
    status, out = terminal.end()
    assert status == 0
    assert b"\rpenstock: 2 bytes, 2 s" in out or b"\rpenstock: 0 bytes, 2 s" in out
    assert out.endswith(b" \ra\nb\n")
    assert b"\x1b" not in out


def test_errors_are_coloured_and_no_color_is_respected() -> None:
    assert Terminal([*COMMAND, "read", "x"]).end()[1].startswith(b"\x1b[31m\x1b[1mpenstock:\x1b[0m ")
    assert Terminal([*COMMAND, "read", "x"], NO_COLOR="1").end()[1].startswith(b"penstock: ")


def test_page_without_a_newline_does_not_run_into_the_note(project: Path) -> None:
    subprocess.run([*COMMAND, "pipe"], input=b"x" * 60_000, capture_output=True, check=True)
    listed = subprocess.run([*COMMAND, "ls"], capture_output=True, text=True, check=True).stdout
    _, out = Terminal([*COMMAND, "read", listed.split()[0], "--offset", "0", "--limit", "5"], NO_COLOR="1").end()
    assert out.startswith(b"xxxxx\npenstock: line 1 of 1")


def test_pipe_from_a_terminal_says_how_to_end_it() -> None:
    terminal = Terminal([*COMMAND, "pipe"], NO_COLOR="1")
    terminal.type(b"typed\n\x04")
    status, out = terminal.end()
    assert status == 0
    assert b"penstock: reading from the terminal; Ctrl-D ends it\n" in out
    assert out.endswith(b"typed\n")


def test_view_on_a_terminal_is_the_same_as_in_a_pipe(project: Path) -> None:
    (project / "log").write_bytes(LONG)
    piped = subprocess.run([*COMMAND, "admit", "log"], capture_output=True, check=True).stdout
    assert Terminal([*COMMAND, "admit", "log"]).end() == (0, piped)
