"""The disk store's steps on the file system, each safe on its own. Nothing here knows of an index.

- A result appears under its name in one step and complete, or not at all: written as a part, then linked.
- A name that is taken is never written over.
- Nothing follows a symbolic link at the last step of a path, and nothing blocks on a planted FIFO.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from penstock.errors import StoreError, StoreFull
from penstock.stores import locks, names
from penstock.stores.locks import lock_if_free

if sys.platform != "win32":
    import fcntl

PART = ".part-"
DAMAGED = ".damaged-"
INDEX = "index.sqlite"
IGNORE = ".gitignore"

_PART_SHAPE = re.compile(r"\.part-[1-9][0-9]*-[0-9a-f]{16}")

_PRIVATE_DIRECTORY = 0o700
_PRIVATE_FILE = 0o600

# Flags that a system does not have cost nothing there.
_NEVER_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)

_FULL = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EMLINK, errno.EXDEV}
)

# A part of this age is a leftover, whatever process has its number now.
_DAY = 86_400.0

STEP = 1024 * 1024  # what is read or written at once


def store_error(doing: str, error: OSError) -> StoreError:
    """What a failure of the system means: one sentence that says what could not be done, and why."""
    if error.errno in _FULL:
        return StoreFull("the disk" if error.errno == errno.ENOSPC else "the room for this user's files")
    where = f" ({error.filename})" if error.filename else ""
    return StoreError(f"{doing} failed: {error.strerror or error}{where}")


def make_directory(directory: Path) -> None:
    """The store's directory, for its owner only."""
    try:
        directory.mkdir(_PRIVATE_DIRECTORY, parents=True)
    except FileExistsError:
        if not directory.is_dir():
            raise


def sync_way_to(directory: Path) -> None:
    """Makes a directory survive a power loss, with all on the way to it, as far as we may ask for it: it can be one
    that was made a moment ago, also by a process that ended before it could see to this.
    """
    device = directory.stat().st_dev
    for above in directory.parents:
        if above.stat().st_dev != device:
            break
        with contextlib.suppress(PermissionError):
            sync_directory(above)


def is_ours_alone(directory: Path) -> bool:
    """Whether nothing else lies there. A directory that we share is not ours to close, or to hide from git."""
    ours = (PART, DAMAGED, locks.FILE, INDEX, IGNORE, names.PREFIX)
    with os.scandir(directory) as entries:
        return all(entry.name.startswith(ours) for entry in entries)


def make_private(directory: Path, at: float, *, durable: bool) -> None:
    """For a directory that is ours alone, also if somebody else made it: closed to others, and kept out of commits."""
    with contextlib.suppress(PermissionError):  # another owner's
        directory.chmod(_PRIVATE_DIRECTORY)
    part = Part(directory)
    try:
        part.write(b"*\n")
        part.settle(at, durable=durable)
        with contextlib.suppress(FileExistsError):
            part.publish(IGNORE)
    finally:
        part.discard()


if sys.platform == "win32":

    def sync(descriptor: int) -> None:
        os.fsync(descriptor)

    def sync_directory(directory: Path) -> None:
        """There is no such call, and none is needed."""

else:

    def sync(descriptor: int) -> None:
        if hasattr(fcntl, "F_FULLFSYNC"):  # macOS, where fsync leaves the data in the drive's cache
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def sync_directory(directory: Path) -> None:
        """Makes the names in a directory survive a power loss."""
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            sync(descriptor)
        finally:
            os.close(descriptor)


class Part:
    """A file on its way in, invisible to readers. `discard` ends it in every case.

    It is locked as long as it is open: so another process can tell it from a dead one's even where process numbers
    say nothing, in another container on the same directory.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / f"{PART}{os.getpid()}-{secrets.token_hex(8)}"
        self.published = ""  # the name that it has now
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NEVER_FOLLOW
        self._descriptor = os.open(self.path, flags, _PRIVATE_FILE)
        if os.name != "nt":  # where an open file cannot be deleted anyway, and a lock would stop the writing
            lock_if_free(self._descriptor)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def settle(self, at: float, *, durable: bool) -> None:
        """Nothing more is written. The date is what an index that is made anew goes by."""
        set_date(self._descriptor, self.path, at)
        if durable:
            sync(self._descriptor)
        else:
            # Network file systems say only at a close that there was no room.
            os.close(os.dup(self._descriptor))

    def publish(self, name: str) -> None:
        """Gives it its name, or raises FileExistsError. Where links work the part stays, until it is discarded."""
        target = self.path.with_name(name)
        if sys.platform == "win32":
            self._close()
            self.path.rename(target)  # refuses a name that is taken
        else:
            try:
                os.link(self.path, target)
            except FileExistsError:
                raise
            except OSError as error:
                if error.errno not in _NO_HARD_LINKS:
                    raise
                self._publish_without_links(target)
        self.published = name

    def _publish_without_links(self, target: Path) -> None:
        """FAT, some FUSE and network file systems: takes the name first, then replaces what took it."""
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _NEVER_FOLLOW, _PRIVATE_FILE))
        try:
            self.path.replace(target)
        except OSError:
            target.unlink()
            raise

    def withdraw(self) -> None:
        """Undoes `publish`."""
        target = self.path.with_name(self.published)
        if self.path.exists():
            target.unlink(missing_ok=True)
        else:
            target.replace(self.path)
        self.published = ""

    def discard(self) -> None:
        self._close()
        self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def set_date(descriptor: int, path: Path, at: float) -> None:
    """Sets the date of the open file, which is at `path`."""
    date = date_of(at)
    os.utime(descriptor if os.utime in os.supports_fd else path, ns=(date, date))


def date_of(at: float) -> int:
    """The modification time, in nanoseconds, of a file that was kept at Unix time `at`."""
    return int(at * 1e9)


class NotARegularFile(OSError):
    """A link, directory, FIFO or device in the place of a file of ours."""

    def __init__(self, why: str, path: Path) -> None:
        super().__init__(errno.EINVAL, why, str(path))
        self.why = why


def open_file(path: Path) -> int:
    """A descriptor of a regular file, for reading."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NEVER_FOLLOW | _NEVER_WAIT)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotARegularFile("it is a symbolic link", path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotARegularFile("it is not a regular file", path)
    return descriptor


def read_at(descriptor: int, offset: int, size: int) -> bytes:
    """`size` bytes from `offset`; fewer only at the end of the file."""
    pieces = []
    os.lseek(descriptor, offset, os.SEEK_SET)
    while size > 0 and (piece := os.read(descriptor, size)):
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def chunks(descriptor: int) -> Iterator[bytes]:
    """All of it, in steps: memory stays constant."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    while piece := os.read(descriptor, STEP):
        yield piece


def move_aside(path: Path, *, at: float) -> None:
    """What stands in the place of a result gets a name that is not served. Its data is kept a while longer."""
    aside = path.with_name(f"{DAMAGED}{path.name}")
    number = 2
    while os.path.lexists(aside):
        aside = path.with_name(f"{DAMAGED}{path.name}_{number}")
        number += 1
    path.rename(aside)
    if os.utime in os.supports_follow_symlinks:
        os.utime(aside, ns=(date_of(at), date_of(at)), follow_symlinks=False)


def is_part(name: str) -> bool:
    return _PART_SHAPE.fullmatch(name) is not None


def abandoned(part: Path, now: float) -> bool:
    """Whether the process that wrote this part is gone."""
    if os.name == "nt":
        return True  # an open file cannot be deleted there, so trying to is the test
    try:
        descriptor = open_file(part)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # not a file that we wrote
    try:
        if not lock_if_free(descriptor):
            return False
        old = now - os.fstat(descriptor).st_mtime > _DAY
    finally:
        os.close(descriptor)
    return old or not _runs(part.name)


def _runs(part: str) -> bool:
    number = part.removeprefix(PART).partition("-")[0]
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
