from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import click
import pytest

from penstock.cli import console, endings
from penstock.core.handle import Handle
from penstock.errors import LimitError, StoreError, UnknownHandle

from .conftest import COMMAND, call


def raising(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LimitError("chars", 0), 2),
        (UnknownHandle(Handle("ps-aaaaaaaaaaaaaaaa")), 1),
        (StoreError("the disk is gone"), 1),
        (click.UsageError("what?"), 2),
        (click.exceptions.Exit(7), 7),
        (click.Abort(), 130),
        (KeyboardInterrupt(), 130),
        (console.OutputClosed(), 141),
        (BrokenPipeError(), 141),
        (ValueError("never mind"), 1),
        (OSError(errno.EIO, "never mind"), 1),
    ],
)
def test_each_fault_has_its_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "abandon", lambda: None)
    assert endings.ended(lambda: raising(error)) == code
    told = capsys.readouterr().err
    assert told == "" or (told.startswith("penstock: ") and told.count("\n") == 1)


def test_number_that_work_returns_is_the_exit_code() -> None:
    assert [endings.ended(lambda result=result: result) for result in (3, None, "text", True)] == [3, 0, 0, 0]


def test_unexpected_error_is_one_sentence_with_a_hint(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert endings.ended(lambda: raising(ZeroDivisionError("by\nzero"))) == 1
    told = capsys.readouterr().err
    assert "ZeroDivisionError: by\\nzero" in told
    assert "PENSTOCK_DEBUG=1" in told
    assert "Traceback" not in told

    monkeypatch.setenv("PENSTOCK_DEBUG", "1")
    endings.ended(lambda: raising(ZeroDivisionError("by zero")))
    assert "Traceback" in capsys.readouterr().err


def test_debug_variable_is_known_to_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_DEBUG", "1")
    assert call("ls").err == "penstock: nothing is kept\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no /bin/sh")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("read {kept} --all", 141),
        ("--help", 141),
        ("config --json", 141),
        ("run -- sh -c 'seq 9000; exit 5'", 5),
    ],
)
def test_closed_pipe_ends_quietly(command: str, code: int, kept: str) -> None:
    penstock = subprocess.Popen(
        f"{' '.join(COMMAND)} {command.format(kept=kept)}", shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert penstock.stdout is not None and penstock.stderr is not None
    penstock.stdout.close()
    told = penstock.stderr.read()
    penstock.stderr.close()
    assert (penstock.wait(30), told) == (code, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("command", ["ls", "--help", "--version", "read --help"])
def test_full_disk_behind_stdout_is_told(command: str, kept: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *command.split()], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == b"penstock: standard output cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no /bin/sh")
@pytest.mark.parametrize(
    ("redirection", "code", "told"),
    [
        (">&-", 1, b"penstock: there is no standard output to write to\n"),
        ("2>&-", 0, b""),
    ],
)
def test_closed_streams_are_no_traceback(redirection: str, code: int, told: bytes, kept: str) -> None:
    done = subprocess.run(f"{' '.join(COMMAND)} ls {redirection}", shell=True, capture_output=True)
    assert (done.returncode, done.stderr) == (code, told)
