"""Sessions of people and models at a shell, from the first call to reading back."""

from __future__ import annotations

import re
import shlex
import sys

import pytest

from .conftest import call, process, python

BUILD = r"""
import sys
for step in range(9000):
    print("step", step, "ok")
    if step == 6543:
        print("ERROR: valve 7 is stuck", file=sys.stderr, flush=True)
sys.exit(2)
"""


def test_model_finds_the_hidden_error_with_what_the_notice_says() -> None:
    done = call("run", "--tool", "make", "--max-lines", "40", "--", *python(BUILD))
    assert done.code == 2
    assert "1 error" in done.text
    hint = re.search(
        r"penstock read (ps-\w+) --start (\d+) shows more lines, penstock grep (ps-\w+) PATTERN", done.text
    )
    assert hint is not None
    page = call(*shlex.split(f"read {hint[1]} --start {hint[2]}"))
    assert page.text.startswith(f"step {int(hint[2]) - 1} ok\n")
    found = call("grep", hint[3], "ERROR", "-C0")
    assert found.text.endswith(":ERROR: valve 7 is stuck\n")


def test_person_looks_at_what_was_kept_and_cleans_up(monkeypatch: pytest.MonkeyPatch) -> None:
    call("pipe", "--tool", "curl", stdin=b'{"items": [' + b"1, " * 30_000 + b"1]}")
    handle = call("ls").text.split()[0]
    assert "curl" in call("show", handle).text
    assert call("read", handle, "--all").json["items"][0] == 1
    assert "curl" in call("stats", "--by", "tool").text
    assert call("check", "--read-data").code == 0
    monkeypatch.setenv("TOOL_OUTPUT_RETENTION_DAYS", "1e-9")
    assert call("gc").text.startswith("deleted: 1 results")
    assert call("ls").err == "penstock: nothing is kept\n"
    assert call("read", handle).code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no /bin/sh")
def test_what_was_read_is_not_kept_again() -> None:
    call("pipe", stdin=b"x" * 9_000 + b"\ny\n" * 30_000)
    handle = call("ls", "--json").json["handle"]
    for _ in range(3):
        process("run", "--", sys.executable, "-m", "penstock", "read", handle)
    assert len(call("ls", "--json").jsons) == 1
