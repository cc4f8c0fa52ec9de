"""What these tests need of the machine, and what is said where it is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from amnesia import Amnesia
from worker import started

MEMORY = Path("/dev/shm")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """A test that fails early leaves workers, which would go on writing into what is deleted next."""
    while started:
        worker = started.pop()
        if worker.poll() is None:
            worker.kill()
            worker.communicate()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An empty directory where an fsync costs nothing, for faults that are not about the platter."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


@pytest.fixture
def amnesia(tmp_path: Path) -> Iterator[Amnesia]:
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse is absent or not permitted: power losses cannot be tried here")
    mountpoint = tmp_path / "disk"
    mountpoint.mkdir()
    with ExitStack() as mounted:
        try:
            served = mounted.enter_context(Amnesia(mountpoint))
        except OSError as failure:
            pytest.skip(f"{failure} (needs root, or `unshare -rm`): power losses cannot be tried here")
        yield served


@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts a small disk of its own: `tmpfs("size=2m")`."""
    with ExitStack() as mounted:

        def mount(options: str) -> Path:
            target = tmp_path / f"tmpfs-{options.replace('=', '-')}"
            target.mkdir()
            command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(target)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no tmpfs can be mounted (needs root, or `unshare -rm`): {done.stderr.splitlines()[0]}")
            mounted.callback(subprocess.run, ["umount", "-l", str(target)], check=False)
            return target

        yield mount


@pytest.fixture(scope="session")
def strace() -> str:
    """The path of strace, which makes system calls fail or kills at them."""
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed: no system call can be made to fail here")
    command = [found, "-f", "--seccomp-bpf", "-o", "/dev/null", sys.executable, "-c", ""]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("strace may not trace here (ptrace is not permitted): no system call can be made to fail")
    return found
