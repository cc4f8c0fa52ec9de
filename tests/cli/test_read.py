from __future__ import annotations

import base64
import re
import shlex
from pathlib import Path

import pytest

from .conftest import LONG, Done, call, kept_files


def keep(data: bytes, tool: str = "it") -> str:
    call("pipe", "--tool", tool, stdin=data)
    return str(call("ls", "--json").jsons[0]["handle"])


def following(done: Done) -> list[str] | None:
    """The arguments of the next call, as the note tells them."""
    said = re.search(r"next: penstock (.*)\n", done.err)
    return shlex.split(said[1]) if said else None


def test_page_is_bytes_on_stdout_and_a_note_on_stderr(kept: str) -> None:
    done = call("read", kept, "--start", "201", "--limit", "3")
    assert (done.code, done.out) == (0, b"line 201\nline 202\nline 203\n")
    assert done.err == f"penstock: lines 201-203 of 9,000; next: penstock read {kept} --start 204\n"


@pytest.mark.parametrize(
    "data",
    [
        LONG,
        LONG.removesuffix(b"\n"),
        b"x" * 60_000,
        "中文👩\u200d👩\u200d👧".encode() * 4_000,
        b"\xff\xfe\x00" * 25_000,
        b"\n" * 4_000,
        b"short\n" + b"long " * 20_000 + b"\nshort\n",
    ],
)
def test_following_the_notes_gives_every_byte(data: bytes) -> None:
    handle = keep(data)
    arguments: list[str] | None = ["read", handle]
    pages = []
    while arguments:
        done = call(*arguments)
        assert done.code == 0
        assert 0 < len(done.out.decode("utf-8", "replace")) <= 8_000
        pages.append(done.out)
        arguments = following(done)
    assert b"".join(pages) == data


def test_all_streams_the_whole(kept: str) -> None:
    done = call("read", kept, "--all")
    assert (done.out, done.err) == (LONG, "")


def test_tail_is_the_end(kept: str) -> None:
    done = call("read", kept, "--tail", "--limit", "2")
    assert done.out == b"line 8999\nline 9000\n"
    assert done.err.endswith("; end\n")


def test_bytes_are_read_from_any_byte(kept: str) -> None:
    assert call("read", kept, "--offset", "5", "--limit", "4", "--unit", "bytes").out == LONG[5:9]
    assert call("read", kept, "--offset", "5", "--limit", "4").out == LONG[5:9]
    assert call("read", kept, "--unit", "bytes", "--tail", "--limit", "9").out == LONG[-9:]


def test_past_the_end_is_said(kept: str) -> None:
    done = call("read", kept, "--start", "9001")
    assert (done.code, done.out) == (0, b"")
    assert done.err == f"penstock: past the end: 9,000 lines, {len(LONG):,} bytes\n"


def test_json_has_text_place_and_next(kept: str) -> None:
    page = call("read", kept, "--limit", "2", "--json").json
    assert page["text"] == "line 1\nline 2\n"
    assert (page["first_line"], page["last_line"], page["start"], page["stop"]) == (1, 2, 0, 14)
    assert (page["handle"], page["total_lines"], page["next"]) == (kept, 9_000, {"start": 3})


def test_json_has_the_bytes_that_are_no_text() -> None:
    handle = keep(b"a\xffb\x9b\n" * 20_000)
    page = call("read", handle, "--limit", "1", "--json").json
    assert page["text"] == "a\ufffdb\ufffd\n"
    assert base64.b64decode(page["base64"]) == b"a\xffb\x9b\n"


@pytest.mark.parametrize(
    "options",
    ["--all --tail", "--all --json", "--all --start 3", "--tail --start 3", "--tail --offset 3", "--start 3 --offset 3",
     "--start 3 --unit bytes", "--start 0", "--limit 0", "--offset -1", "--unit words", "--start x"],
)  # fmt: skip
def test_contradictions_are_misuse(options: str, kept: str) -> None:
    done = call("read", kept, *options.split())
    assert (done.code, done.out) == (2, b"")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("handle", "code", "told"),
    [
        ("ps-aaaaaaaaaaaaaaaa", 1, "is unknown"),
        ("../../etc/passwd", 2, "is not a handle"),
        ("ps-\x1b[31m", 2, "is not a handle"),
        ("\udcff", 2, "UTF-8"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--all"]])
def test_wrong_handle_is_told_in_a_sentence(handle: str, code: int, told: str, options: list[str]) -> None:
    done = call("read", handle, *options)
    assert (done.code, done.out) == (code, b"")
    assert told in done.err
    assert "\x1b" not in done.err


def test_damage_is_told_and_no_wrong_byte_is_printed(kept: str, project: Path) -> None:
    (file,) = kept_files(project)
    file.chmod(0o600)
    file.write_bytes(LONG.replace(b"line 5\n", b"LINE 5\n"))
    for options in ([], ["--all"]):
        done = call("read", kept, *options)
        assert (done.code, done.out) == (1, b"")
        assert "is damaged" in done.err


def test_kept_output_that_has_expired_is_told_so(kept: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_OUTPUT_RETENTION_DAYS", "1e-9")
    done = call("read", kept)
    assert done.code == 1
    assert "has expired" in done.err
