"""The indexes of a folder: one file a project, opened when it is asked for, and again when another file is there."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Final

from penstock.errors import ArgumentError, StoreError
from penstock.search.contract import Index
from penstock.search.sqlite import SqliteIndex
from penstock.search.sqlite_file import delete_file

_ENDING: Final = ".sqlite"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ALLOWED: Final = "1 to 100 of A-Z, a-z, 0-9, '.', '_' and '-', the first a letter or a digit"
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?", re.IGNORECASE)  # whatever ending follows
_MOST_NAMED: Final = 50


class ProjectFolder:
    """Safe for threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, tuple[tuple[int, int], SqliteIndex]] = {}

    def names(self) -> list[str]:
        try:
            found = [path.stem for path in self._folder.iterdir() if path.suffix == _ENDING]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StoreError(f"the folder of indexes {self._folder} cannot be read: {error.strerror}") from error
        return sorted(name for name in found if _ID.fullmatch(name))

    def opened(self, project_id: str) -> Index:
        """The index of a project that is there."""
        path = self._path(project_id)
        with self._lock:
            try:
                found = path.stat()
            except (FileNotFoundError, NotADirectoryError):
                self._shut(project_id)
                raise ArgumentError("project_id", project_id, those_there(self.names())) from None
            except OSError as error:
                raise StoreError(f"the index {path} cannot be read: {error.strerror}") from error
            identity = found.st_dev, found.st_ino
            before = self._open.get(project_id)
            if before is not None and before[0] == identity:
                return before[1]
            self._shut(project_id)
            index = SqliteIndex(path)
            self._open[project_id] = identity, index
            return index

    def made(self, project_id: str) -> Index:
        """The index of a project, new where there is none. It is the caller's to close."""
        path = self._path(project_id)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder of indexes {self._folder} cannot be made: {error.strerror}") from error
        return SqliteIndex(path, create=True)

    def forget(self, project_id: str) -> bool:
        path = self._path(project_id)
        with self._lock:
            self._shut(project_id)
            try:
                if not path.exists():
                    return False
                delete_file(path)
            except OSError as error:
                # Windows deletes no file that a process has open.
                raise StoreError(
                    f"the index {path} cannot be deleted, perhaps as another process has it open: {error.strerror}"
                ) from error
        return True

    def close(self) -> None:
        with self._lock:
            for _, index in self._open.values():
                index.close()
            self._open.clear()

    def _shut(self, project_id: str) -> None:
        """Close what is open of a project that is there no more, or is another one."""
        if project_id in self._open:
            self._open.pop(project_id)[1].close()

    def _path(self, project_id: str) -> Path:
        return self._folder / f"{checked_id(project_id)}{_ENDING}"


def checked_id(project_id: str) -> str:
    if not isinstance(project_id, str) or not _ID.fullmatch(project_id):
        raise ArgumentError("project_id", project_id, _ALLOWED)
    if _DEVICE.fullmatch(project_id):
        raise ArgumentError("project_id", project_id, "no name of a device of Windows, where it could not be copied to")
    return project_id


def those_there(names: list[str]) -> str:
    """What is allowed where a project is not there."""
    if not names:
        command = "`penstock index PATH --project ID`"
        return f"that of an indexed project, and there is none yet: index_repository, or {command}, makes one"
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"one of those that are indexed: {', '.join(names[:_MOST_NAMED])}{more}"
