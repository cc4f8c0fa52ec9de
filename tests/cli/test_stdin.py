from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from penstock.cli import stdin
from penstock.errors import ToolError


def test_stand_in_for_stdin_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"words")))
    assert stdin.descriptor() is None
    assert list(stdin.arriving()) == [b"words"]


def test_pieces_arrive_as_they_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as source:
        monkeypatch.setattr(sys, "stdin", source)
        pieces = stdin.arriving()
        for piece in (b"a", b"\xff\n", b"c" * 1_000):
            os.write(writing, piece)
            assert next(pieces) == piece
        os.close(writing)
        assert list(pieces) == []


@pytest.mark.parametrize("closed", [True, False])
def test_missing_stdin_is_the_tools_failure(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = io.TextIOWrapper(io.BytesIO())
    gone.close()
    monkeypatch.setattr(sys, "stdin", gone if closed else None)
    with pytest.raises(ToolError, match="there is no standard input to read"):
        stdin.descriptor()


@pytest.mark.skipif(sys.platform == "win32", reason="a folder is opened as on POSIX")
def test_stdin_that_cannot_be_read_is_the_tools_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    monkeypatch.setattr(stdin, "descriptor", lambda: folder)
    with pytest.raises(ToolError, match="stdin cannot be read: Is a directory"):
        list(stdin.arriving())
    os.close(folder)
