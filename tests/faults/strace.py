"""Makes one system call of a worker fail, or kills or interrupts (Ctrl-C) the worker as it comes to it.

A first run is traced, so that it is known which calls concern the store; then each of them meets its fate in a
run of its own. `retval=` is not used: it skips the call, and a short write that wrote nothing is no short write.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from judge import History, faults_of
from worker import lines_of, start

from penstock.errors import PenstockError

CREATE = {"openat", "mkdir", "mkdirat", "fallocate", "ftruncate"}
WRITE = {"write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync"}
NAME = {"rename", "renameat", "renameat2", "link", "linkat", "symlink", "unlink", "unlinkat", "rmdir"}
MARK = {"chmod", "fchmod", "fchmodat", "utimensat", "flock"}
READ = {"read", "pread64", "lseek", "getdents64"}  # not mmap: how often Python calls it varies
ASK = {"newfstatat", "fstat", "statx", "access", "faccessat2"}
KILL, INTERRUPT = "signal=SIGKILL", "signal=SIGINT"
CHANGING = CREATE | WRITE | NAME | MARK

CALL = re.compile(r"(?:\d+ +)?(\w+)\((.*)")
Point = tuple[str, int, str]  # this call, counted from the start of the process, meets that fate


def calls_on(place: Path, strace: str, steps: str, trace: set[str]) -> list[tuple[str, int, str]]:
    """The calls of these kinds on the store: name, number among those of that name, and line of the trace."""
    directory, log = place / "traced", place / "trace"
    names = ",".join(f"?{name}" for name in sorted(trace))
    command = [strace, "-f", "--seccomp-bpf", "-y", "-o", str(log), "-e", f"trace={names}"]
    worker = start(directory, steps, before=command)
    assert not any("error" in line for line in lines_of(worker))
    seen: Counter[str] = Counter()
    found = []
    for match in filter(None, map(CALL.match, log.read_text().splitlines())):
        name, rest = match.groups()
        seen[name] += 1
        if str(directory) in rest:
            found.append((name, seen[name], rest))
    return found


def fates(name: str, rest: str) -> Iterator[str]:
    if name in CHANGING:
        yield KILL
        yield INTERRUPT
    yield "error=EIO"
    if name in CREATE | WRITE and (name != "openat" or "O_CREAT" in rest):
        yield "error=ENOSPC"
    if name in ("openat", "mkdir"):
        yield "error=EACCES"
    if name == "openat":
        yield "error=EMFILE"
    if name == "flock":
        yield "error=ENOLCK"


def points(place: Path, strace: str, steps: str, trace: set[str]) -> list[Point]:
    calls = calls_on(place, strace, steps, trace)
    return [(name, number, fate) for name, number, rest in calls for fate in fates(name, rest)]


def meet(place: Path, strace: str, steps: str, point: Point, *, refusals: bool = True) -> list[str]:
    """What is wrong after the steps were done and that call met its fate; `refusals` are right or wrong."""
    name, number, fate = point
    directory, log = place / f"{name}-{number}-{fate}", place / "log"
    # With --seccomp-bpf strace 6.1 delivers no signals, without a word; for errors it is three times as fast.
    command = [strace, "-f", "-o", str(log)] + ([] if "signal" in fate else ["--seccomp-bpf"])
    inject = ["-e", f"trace={name}", "-e", f"inject={name}:{fate}:when={number}"]
    worker = start(directory, steps, before=[*command, *inject])
    try:
        history = History().add(lines_of(worker, killed=fate == KILL))
        came = fate == KILL or ("SIGINT" if fate == INTERRUPT else "(INJECTED)") in log.read_text()
        wrong = faults_of(directory, history) if came else ["it was not met at all"]
        wrong += [line for line in history.refused if not refusals and "KeyboardInterrupt" not in line]
    except (PenstockError, AssertionError) as failure:
        wrong = [str(failure)]
    shutil.rmtree(directory, ignore_errors=True)
    return [f"{point}: {sentence}" for sentence in wrong]
