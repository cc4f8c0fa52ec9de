"""The folders that tools may look into, and nothing besides.

Rules:
1. A path counts by where it really is: `..` and symbolic links are followed first. What is then outside of every root
   is refused, whether it exists or not.
2. Only regular files are opened. A device or a FIFO could block for ever, or never end.
3. The answer names paths as the model may write them: relative to the root, with `/` on every system. What is
   not UTF-8 in a name, or a control character, is told as U+FFFD, and found by that, where no other name is told so.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from penstock.errors import CallerError, ToolError

UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"

_TOLD: Final = 200

# Not there on Windows, which has neither FIFOs in folders nor the race that O_NOFOLLOW closes.
_FLAGS: Final = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))

# A line break or an escape sequence in the name of a file would be taken for something else.
_CONTROL: Final = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), UNREADABLE)


class Roots:
    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        self.folders = tuple(dict.fromkeys(_real_folder(Path(folder)) for folder in folders))
        if not self.folders:
            raise CallerError("no folder was given that tools may look into")

    def file(self, given: str) -> Path:
        """The regular file that a path means."""
        path = self.path(given)
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise CallerError(f"{_brief(given)} is a folder, not a file")
        if not stat.S_ISREG(mode):
            raise CallerError(f"{_brief(given)} is not a regular file: {_kind(mode)} is never read")
        return path

    def folder(self, given: str) -> Path:
        path = self.path(given)
        if not path.is_dir():
            raise CallerError(f"{_brief(given)} is a file, not a folder")
        return path

    def path(self, given: str) -> Path:
        """Where a path really is: absolute, or relative to the first root that has it."""
        if "\0" in given:
            raise CallerError(f"{_brief(given)} is no path: it holds a NUL")
        outside = False
        for root in self.folders:
            try:
                real = Path(os.path.realpath(root / given))
                inside = self._holds(real)
                if inside and not os.path.lexists(real) and UNREADABLE in given:
                    real = self._meant(root / given)
                if inside and os.path.lexists(real):
                    real.stat()
                    return real
            except (OSError, ValueError) as error:
                raise CallerError(f"{_brief(given)} cannot be looked at: {_why(error)}") from None
            outside |= not inside
        where = ", ".join(map(str, self.folders))
        if outside:
            raise CallerError(f"{_brief(given)} is outside of what may be read: {where}")
        raise CallerError(f"there is no {_brief(given)} in {where}")

    def of(self, path: Path) -> Path:
        """The root that a path is in."""
        return next(root for root in self.folders if path.is_relative_to(root))

    def told(self, path: Path) -> str:
        """A path inside a root, as a model may give it back."""
        root = self.of(path)
        told = path.relative_to(root).as_posix()
        # With several roots a relative path may mean a file of an earlier one.
        earlier = self.folders[: self.folders.index(root)]
        return path.as_posix() if any(os.path.lexists(folder / told) for folder in earlier) else told

    def _holds(self, real: Path) -> bool:
        return any(real.is_relative_to(folder) for folder in self.folders)

    def _meant(self, path: Path) -> Path:
        """A path with the names that it has on disk for those that could be told with U+FFFD only."""
        at = Path(path.anchor)
        for part in path.parts[1:]:
            real = Path(os.path.realpath(at))
            alike = []
            if UNREADABLE in part and self._holds(real) and not os.path.lexists(at / part):
                alike = [entry.name for entry in real.iterdir() if readable(entry.name) == part]
            at /= alike[0] if len(alike) == 1 else part
        real = Path(os.path.realpath(at))
        return real if self._holds(real) else path


def opened(path: Path) -> BinaryIO:
    """A regular file, opened for reading; never what a link or a FIFO was put there for in the meantime."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    except OSError as error:
        raise ToolError(f"{path.name} cannot be read: {_why(error)}") from None
    file = os.fdopen(descriptor, "rb")
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        file.close()
        raise CallerError(f"{path.name} is not a regular file: {_kind(mode)} is never read")
    return file


def readable(name: str) -> str:
    """A name as one line of text: what is not UTF-8 in it, or a control character, stands as U+FFFD."""
    if name.isascii() and name.isprintable():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").translate(_CONTROL)


def _real_folder(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    if not real.is_dir():
        raise CallerError(f"{folder} is not a folder: tools can look into folders only")
    return real


def _kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return kinds.get(stat.S_IFMT(mode), "a thing of this kind")


def _why(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _brief(given: str) -> str:
    told = repr(given)
    return told if len(told) <= _TOLD else f"{told[:_TOLD]}..."
