from __future__ import annotations

import json

from .conftest import call


def keep(count: int) -> None:
    for number in range(count):
        call("pipe", "--tool", f"tool{number}", stdin=b"%d\n" % number * 30_000)


def test_nothing_kept_is_said() -> None:
    done = call("ls")
    assert (done.code, done.out, done.err) == (0, b"", "penstock: nothing is kept\n")
    assert call("ls", "--json").out == b""


def test_newest_is_first_with_handle_size_lines_and_tool() -> None:
    keep(3)
    rows = call("ls").text.splitlines()
    assert [row.split()[-1] for row in rows] == ["tool2", "tool1", "tool0"]
    assert "60,000 bytes     30,000 lines" in rows[0]
    assert rows[0].startswith("ps-")


def test_limit_says_that_there_are_more() -> None:
    keep(3)
    done = call("ls", "-n", "2")
    assert len(done.text.splitlines()) == 2
    assert "--all lists them" in done.err
    assert len(call("ls", "--all").text.splitlines()) == 3
    assert call("ls", "-n", "3").err == ""


def test_json_lines_have_all_that_is_known() -> None:
    keep(2)
    lines = call("ls", "--json").text.splitlines()
    assert len(lines) == 2
    first = json.loads(lines[0])
    assert (first["tool"], first["bytes"], first["newlines"], first["media"]) == ("tool1", 60_000, 30_000, "text")
    assert first["kept_at"].endswith("Z")
    assert first["path"].endswith("_tool1.txt")


def test_tool_name_cannot_rewrite_the_screen() -> None:
    call("pipe", "--tool", "evil\x1b]0;x\x07\nname", stdin=b"x" * 60_000)
    done = call("ls")
    assert b"\x1b" not in done.out
    assert done.out.count(b"\n") == 1
    assert b"evil\\x1b]0;x\\x07" in done.out
