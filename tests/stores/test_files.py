from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.errors import StoreError, StoreFull
from penstock.stores import files
from penstock.stores.files import Part, abandoned, move_aside, open_file, read_at, store_error

RESULT = "tool_20251118_120000_Bash.txt"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_room_is_told_as_a_full_store(code: int) -> None:
    assert isinstance(store_error("keeping", OSError(code, os.strerror(code))), StoreFull)


def test_another_failure_is_one_sentence_with_what_why_and_where() -> None:
    error = store_error("keeping the result", OSError(errno.EIO, "Input/output error", "/a/b"))
    assert type(error) is StoreError
    assert str(error) == "keeping the result failed: Input/output error (/a/b)"


def part_in(directory: Path, data: bytes = b"content") -> Part:
    part = Part(directory)
    part.write(data)
    part.settle(1_000_000_000.5, durable=False)
    return part


@pytest.fixture(params=["links", "no links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def refuse(*names: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    if request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)
    return str(request.param)


@pytest.mark.usefixtures("links")
def test_part_is_published_complete_private_and_dated(tmp_path: Path) -> None:
    part = part_in(tmp_path)
    assert [files.is_part(path.name) for path in tmp_path.iterdir()] == [True]
    part.publish(RESULT)
    part.discard()
    target = tmp_path / RESULT
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == b"content"
    assert (target.stat().st_mode & 0o777, target.stat().st_mtime) == (0o600, 1_000_000_000.5)


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("there", ["file", "directory", "dangling link"])
def test_part_takes_no_name_that_is_taken(tmp_path: Path, there: str) -> None:
    target = tmp_path / RESULT
    if there == "file":
        target.write_bytes(b"other")
    elif there == "directory":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    part = part_in(tmp_path)
    with pytest.raises(FileExistsError):
        part.publish(RESULT)
    part.discard()
    assert list(tmp_path.iterdir()) == [target]
    assert there != "file" or target.read_bytes() == b"other"


@pytest.mark.usefixtures("links")
def test_withdrawn_part_can_be_published_again(tmp_path: Path) -> None:
    part = part_in(tmp_path)
    part.publish(RESULT)
    part.withdraw()
    assert not (tmp_path / RESULT).exists()
    part.publish("tool_20251118_120000_Other.txt")
    part.discard()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"content"]


def test_a_name_that_was_only_reserved_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    part = part_in(tmp_path)
    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="not permitted"):
        part.publish(RESULT)
    part.discard()
    assert list(tmp_path.iterdir()) == []


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
    data = os.urandom(1000)
    part = part_in(tmp_path, data)
    assert part.path.read_bytes() == data
    part.discard()


def test_short_reads_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(200)))
    descriptor = open_file(path)
    real = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: real(descriptor, min(size, 7)))
    assert read_at(descriptor, 50, 100) == bytes(range(50, 150))
    assert read_at(descriptor, 190, 100) == bytes(range(190, 200))
    assert read_at(descriptor, 300, 100) == b""
    os.close(descriptor)


def test_part_of_this_process_is_not_abandoned_however_old(tmp_path: Path) -> None:
    part = part_in(tmp_path)
    assert not abandoned(part.path, time.time() + 10**9)
    part.discard()
    assert not abandoned(part.path, time.time())  # it is gone


def test_part_without_a_writer_is_abandoned(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead = tmp_path / f".part-{ended.pid}-0123456789abcdef"
    dead.touch()
    assert abandoned(dead, time.time())


def test_part_with_the_number_of_a_running_process_is_left_for_a_day(tmp_path: Path) -> None:
    unlocked = tmp_path / f".part-{os.getpid()}-0123456789abcdef"
    unlocked.touch()
    assert not abandoned(unlocked, time.time())
    assert abandoned(unlocked, time.time() + 86_500)


def test_part_of_a_writer_in_another_container_is_not_abandoned(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    part = tmp_path / f".part-{ended.pid}-0123456789abcdef"  # a number that says nothing here
    with part.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert not abandoned(part, time.time() + 10**9)


@pytest.mark.parametrize(
    "name", [".part-", ".part-1", ".part-x-0123456789abcdef", ".part-1-0123", ".partial", "part-1-0123456789abcdef"]
)
def test_what_only_looks_like_a_part_is_none(name: str) -> None:
    assert not files.is_part(name)


def test_what_is_moved_aside_keeps_its_bytes_and_no_other(tmp_path: Path) -> None:
    for data in (b"one", b"two", b"three"):
        (tmp_path / RESULT).write_bytes(data)
        move_aside(tmp_path / RESULT, at=5.0)
    moved = sorted(tmp_path.iterdir())
    assert [path.read_bytes() for path in moved] == [b"one", b"two", b"three"]
    assert all(path.name.startswith(f".damaged-{RESULT}") and path.stat().st_mtime == 5 for path in moved)
