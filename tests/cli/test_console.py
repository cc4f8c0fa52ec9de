from __future__ import annotations

import io
import os
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.cli import console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.text())
def test_plain_text_never_holds_what_a_terminal_acts_on(text: str) -> None:
    assert console.plain(text).isprintable()
    console.plain(text).encode()  # no half of a surrogate pair is left


def test_plain_shows_escapes_and_leaves_what_is_printed_as_it_is() -> None:
    assert console.plain("a\x1b[31m\nb\udcff\u202e\x9b") == "a\\x1b[31m\\nb\\udcff\\u202e\\x9b"
    assert console.plain("C:\\n ü 中文 👍") == "C:\\n ü 中文 👍"


@pytest.mark.parametrize(
    ("environ", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
)
def test_colours_are_for_terminals_that_want_them(
    environ: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    console.note("hello", error=True)
    assert ("\x1b[" in terminal.getvalue()) is coloured


def test_note_escapes_what_others_put_into_it(capsys: pytest.CaptureFixture[str]) -> None:
    console.note("no such file: \x1b]0;title\x07")
    assert capsys.readouterr().err == "penstock: no such file: \\x1b]0;title\\x07\n"


class Hesitant(io.RawIOBase):
    """A pipe that does not wait: it takes a little, then nothing once, then a little."""

    def __init__(self) -> None:
        self.taken = bytearray()
        self.full = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int | None:
        self.full = not self.full
        if not self.full:
            return None
        self.taken += bytes(data)[:1_000]
        return min(len(data), 1_000)


def test_all_goes_out_through_a_pipe_that_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console.select, "select", lambda *_: None)
    raw = Hesitant()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(raw, 4_096)))
    console.out(os.urandom(1) * 50_000)
    console.flush()
    assert len(raw.taken) == 50_000
    monkeypatch.undo()
