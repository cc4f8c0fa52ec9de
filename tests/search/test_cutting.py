from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from penstock.errors import ToolError
from penstock.search.cutting import Cut, Cutter, cut, lines_of, serve
from penstock.search.languages import Language

PYTHON = Language("python")

# A grammar that is busy with this for hours, and cannot be stopped.
ENDLESS = "a<" * 60_000


@pytest.fixture
def cutter() -> Iterator[Cutter]:
    made = Cutter(workers=1, seconds=1.0)
    yield made
    made.close()


@pytest.mark.parametrize("source", ["def f(): ...\n", "class A:\n    x = 1\n" * 500, "é = '\U0001f600'\n"])
def test_child_cuts_as_this_process_does(cutter: Cutter, source: str) -> None:
    assert cutter.submit(PYTHON, source).result() == cut(PYTHON, source)
    assert cut(PYTHON, source).how == "by tree"


def test_file_that_takes_too_long_is_cut_by_lines_and_the_next_is_parsed(cutter: Cutter) -> None:
    began = time.monotonic()
    endless = cutter.submit(Language("csharp"), "int x;\n" * 300 + ENDLESS)
    next_one = cutter.submit(PYTHON, "def f(): ...\n")
    assert endless.result().how == "not parsed"
    assert len(endless.result().chunks) > 1
    assert next_one.result().how == "by tree"
    assert time.monotonic() - began < 30


def test_child_that_was_killed_is_replaced(cutter: Cutter) -> None:
    cutter.submit(PYTHON, "x = 1\n").result()
    process = cutter._children[0]._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert cutter.submit(PYTHON, "x = 1\n").result().how == "by tree"


def test_prose_needs_no_child_and_unknown_languages_are_told(cutter: Cutter) -> None:
    assert cutter.submit(Language("markdown"), "# x\n").result().how == "by lines"
    assert cutter._children[0]._process is None
    assert cutter.submit(Language("cobol"), "MOVE.\n").result().how == "no grammar"


def test_closed_cutter_leaves_no_child(cutter: Cutter) -> None:
    cutter.submit(PYTHON, "x = 1\n").result()
    process = cutter._children[0]._process
    assert process is not None
    cutter.close()
    assert process.returncode is not None


def test_child_takes_no_module_from_the_working_directory(
    cutter: Cutter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("msgspec", "queue", "penstock", "tree_sitter"):
        (tmp_path / f"{name}.py").write_text("import pathlib; pathlib.Path('ran').touch(); raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    assert cutter.submit(PYTHON, "x = 1\n").result().how == "by tree"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_child_that_cannot_start_is_told(cutter: Cutter, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(ToolError, match="to parse code"):
        cutter.submit(PYTHON, "x = 1\n").result()


def test_child_ends_with_its_input_and_ignores_ctrl_c() -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "penstock.search.cutting"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.read(9)[4:] == b"ready"
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


def test_child_answers_one_file_after_the_other() -> None:
    def framed(message: bytes) -> bytes:
        return len(message).to_bytes(4, "big") + message

    asked = [framed(msgspec.msgpack.encode((PYTHON, source))) for source in ("x = 1\n", "def f(): ...\n")]
    answers = io.BytesIO()
    serve(io.BytesIO(b"".join(asked)), answers)
    expected = [msgspec.msgpack.encode(cut(PYTHON, source)) for source in ("x = 1\n", "def f(): ...\n")]
    assert answers.getvalue() == b"".join(map(framed, [b"ready", *expected]))
    assert msgspec.msgpack.decode(expected[1], type=Cut).chunks[0].symbols == ("f",)


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb", "a\rb\n", "\n\n", "a\u2028b\n"])
def test_lines_are_the_text(text: str) -> None:
    assert "".join(lines_of(text)) == text
    assert all(line.count("\n") <= 1 for line in lines_of(text))
