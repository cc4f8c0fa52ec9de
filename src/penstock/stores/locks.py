"""Locks that the system lets go of when a process dies, so that nothing has to be cleaned up after it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FILE = ".lock"

PATIENCE = 30.0  # seconds to wait for another process; keeping one result takes it milliseconds

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL})


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """In this directory, one process at a time, and one thread.

    A file system without locks is used without one: SQLite's own write lock then keeps every promise but one, that a
    result which expires and is kept again in the same moment has the same name as before.
    """
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(directory / FILE, flags, 0o600)
    try:
        _wait_for(descriptor)
        try:
            yield
        finally:
            _let_go(descriptor)
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    """Not for ever: a process that was stopped with the lock, or frozen with its container, may never go on."""
    until = time.monotonic() + PATIENCE
    pause = 0.0005
    while not lock_if_free(descriptor):
        if time.monotonic() > until:
            raise TimeoutError(errno.ETIMEDOUT, f"another process has had its lock for {PATIENCE:.0f} seconds")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)


if sys.platform == "win32":

    def lock_if_free(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _let_go(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:

    def lock_if_free(descriptor: int) -> bool:
        """Locks the open file; False if another has the lock. True where the file system has no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        return True

    def _let_go(descriptor: int) -> None:
        # Not left to close(): a forked child holds the same open file, and with it the lock.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
