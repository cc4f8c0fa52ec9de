"""The command line called in this process with stdio of its own, and as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import main

COMMAND = [sys.executable, "-m", "penstock"]

LONG = b"".join(b"line %d\n" % number for number in range(1, 9_001))


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def jsons(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def call(*args: str, stdin: bytes = b"") -> Done:
    """`penstock args` in this process."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8")
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace")
    try:
        code = main(args)
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(code, out.getvalue(), err.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams


def process(*args: str | bytes, stdin: bytes = b"", environ: Mapping[str, str] | None = None, **options: Any) -> Done:
    """`penstock args` as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *args],
        input=stdin,
        capture_output=True,
        timeout=60,
        env={**os.environ, **(environ or {})},
        **options,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def python(code: str) -> list[str]:
    """What follows `penstock run --` to run some Python."""
    return [sys.executable, "-c", code]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project: what is kept is in its tool-output/."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "penstock.yaml").touch()
    monkeypatch.chdir(folder)
    # Nothing here is to survive a power loss, and syncing is slow.
    monkeypatch.setenv("PENSTOCK_DURABILITY", "none")
    return folder


@pytest.fixture
def kept(project: Path) -> str:
    """The handle of 9,000 lines."""
    call("pipe", "--tool", "build", stdin=LONG)
    return str(call("ls", "--json").jsons[0]["handle"])


def kept_files(folder: Path) -> list[Path]:
    return sorted((folder / "tool-output").glob("tool_*"))
