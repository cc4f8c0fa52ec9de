from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .conftest import LONG, call, kept_files, process


@pytest.fixture
def files(project: Path) -> list[str]:
    (project / "small").write_bytes(b"small\n")
    (project / "bare").write_bytes(b"no newline")
    (project / "long").write_bytes(LONG)
    (project / "longer").write_bytes(LONG * 20)
    return ["small", "bare", "long", "longer"]


def test_file_that_fits_is_printed_as_it_is(files: list[str], project: Path) -> None:
    (project / "bytes").write_bytes(b"\xff\x00\r\n\x1b[")
    for name in ("small", "bare", "bytes"):
        assert call("admit", name).out == (project / name).read_bytes()
    assert not kept_files(project)


def test_file_that_does_not_fit_is_kept_and_cut(files: list[str], project: Path) -> None:
    done = call("admit", "longer", "--max-bytes", "700")
    assert len(done.out) <= 700
    assert kept_files(project)[0].read_bytes() == LONG * 20


def test_several_files_are_together_within_the_limits(files: list[str], project: Path) -> None:
    done = call("admit", *files, "--max-bytes", "5000", "--max-lines", "2000")
    assert len(done.out) <= 5_000
    assert done.out.count(b"\n") <= 2_000
    assert done.out.startswith(b"==> small <==\nsmall\n==> bare <==\nno newline\n==> long <==\nline 1\n")
    assert len(done.out) > 4_000  # what the small ones leave, the large ones get
    assert {file.read_bytes() for file in kept_files(project)} == {LONG, LONG * 20}


def test_several_files_that_fit_are_all_printed_whole(files: list[str]) -> None:
    assert call("admit", "small", "bare").out == b"==> small <==\nsmall\n==> bare <==\nno newline\n"


def test_json_lines_are_together_within_the_limits(files: list[str]) -> None:
    done = call("admit", *files, "--json", "--max-bytes", "6000")
    assert len(done.out) <= 6_000
    small, bare, long, longer = done.jsons
    assert (small["text"], bare["text"]) == ("small\n", "no newline")
    assert long["status"] == longer["status"] == "partial"


def test_envelopes_of_several_files_share_lines_by_what_they_show(files: list[str]) -> None:
    done = call("admit", *files, "--json", "--max-bytes", "6000")
    _, _, long, longer = done.jsons
    assert len(done.out) > 5_000
    assert long["data"]["truncation"]["kept_lines"] > 100
    assert longer["data"]["truncation"]["kept_lines"] > 100


def test_tokens_are_shared_too(files: list[str]) -> None:
    done = call("admit", *files, "--max-tokens", "2000")
    assert b"Truncated" in done.out
    assert len(done.out) < 12_000


def test_limits_without_room_for_all_are_refused(files: list[str]) -> None:
    done = call("admit", *files, "--max-lines", "5")
    assert (done.code, done.out) == (2, b"")
    assert "no room for 4 files" in done.err


def test_unreadable_file_does_not_keep_the_others_from_being_printed(files: list[str]) -> None:
    done = call("admit", "missing", "small", ".")
    assert (done.code, done.out) == (1, b"==> small <==\nsmall\n")
    assert done.err == (
        "penstock: missing cannot be read: No such file or directory\npenstock: . cannot be read: Is a directory\n"
    )
    alone = call("admit", "missing")
    assert (alone.code, alone.out, alone.err) == (
        1,
        b"",
        "penstock: missing cannot be read: No such file or directory\n",
    )


def test_nothing_readable_prints_nothing() -> None:
    done = call("admit", "a", "b")
    assert (done.code, done.out) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_names_of_any_bytes_are_read_and_made_visible(project: Path) -> None:
    name = b"x\xff\x1b[31m\n"
    (project / os.fsdecode(name)).write_bytes(b"content\n")
    done = process("admit", name, name)
    assert done.out == b"==> x\\udcff\\x1b[31m\\n <==\ncontent\n" * 2


def test_dash_is_stdin() -> None:
    assert call("admit", "-", stdin=b"in\n").out == b"in\n"
    (Path.cwd() / "small").write_bytes(b"small\n")
    assert call("admit", "-", "small", stdin=b"in\n").out == b"==> - <==\nin\n==> small <==\nsmall\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipe_among_several_files_is_read_once(project: Path) -> None:
    done = process("admit", "/dev/stdin", "/dev/null", stdin=b"through\n")
    assert done.out == b"==> /dev/stdin <==\nthrough\n==> /dev/null <==\n\n"
