"""Where settings files and data are looked for. The environment comes in as a mapping, so that tests need no other."""

from __future__ import annotations

import logging
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from penstock.settings.refusal import refusal

FILES: Final = ("penstock.yaml", "penstock.yml")
OUTPUT: Final = "tool-output"
INDEXES: Final = "code-search"

_log = logging.getLogger("penstock.settings")


def settings_file(start: Path, environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """The nearest upward from `start`, or else the user's own."""
    for folder in (start, *start.parents, *_config_folders(environ, platform)):
        for name in FILES:
            path = folder / name
            if _is_file(path) and not _is_planted(path):
                return path
            if _is_file(path):
                _log.warning("%s is not read: it is another user's, in a folder that everybody can write to", path)
    return None


def project_root(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        # `.git` is a folder, or in a work tree a file.
        marks = [folder / name for name in FILES if _is_file(folder / name)]
        marks += [folder / ".git"] if os.path.lexists(folder / ".git") else []
        if any(not _is_planted(mark) for mark in marks):
            return folder
    return None


def output_folder(root: Path | None, start: Path, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Where results are kept while no setting says so."""
    if root is not None:
        return root / OUTPUT
    data = _data_folder(environ, platform)
    return start / OUTPUT if data is None else data / "penstock" / OUTPUT


def index_folder(start: Path, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Where indexes of code are, while no setting says so: not at a project's root, as a project may have several."""
    data = _data_folder(environ, platform)
    return start / INDEXES if data is None else data / "penstock" / INDEXES


def absolute(path: Path, base: Path, environ: Mapping[str, str], source: str, key: str) -> Path:
    """`path` with its `~` filled in, relative to `base`."""
    first = path.parts[0] if path.parts else ""
    if first == "~":
        home = _home(environ)
        if home is None:
            raise refusal(source, key, str(path), "a folder without ~, as the home folder is not known")
        path = home.joinpath(*path.parts[1:])
    elif first.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError:
            raise refusal(source, key, str(path), f"a folder; there is no user {first[1:]}") from None
    return Path(os.path.normpath(base / path))


def is_readable(path: Path) -> bool:
    """Not only regular files: /dev/null and the pipe of a shell's <(...) are as good."""
    try:
        return not stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False  # a folder on the way up that we may not look into holds no settings for us


def _is_planted(path: Path) -> bool:
    """Whether somebody else laid it into a folder where anybody may, as /tmp: it could send our output to them."""
    if sys.platform == "win32":
        return False
    anybody_may = path.parent.stat().st_mode & stat.S_IWOTH
    return bool(anybody_may) and path.lstat().st_uid not in (0, os.getuid())


def _config_folders(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    home = _home(environ)
    if platform == "win32":
        if folder := environ.get("APPDATA"):
            yield Path(folder, "penstock")
        return
    # The XDG specification: a relative path is to be ignored.
    folder = environ.get("XDG_CONFIG_HOME", "")
    if Path(folder).is_absolute():
        yield Path(folder, "penstock")
    elif home:
        yield home / ".config" / "penstock"
    if home and platform == "darwin":
        yield home / "Library" / "Application Support" / "penstock"


def _data_folder(environ: Mapping[str, str], platform: str) -> Path | None:
    home = _home(environ)
    if platform == "win32":
        folder = environ.get("LOCALAPPDATA") or environ.get("APPDATA")
        return Path(folder) if folder else home
    folder = environ.get("XDG_DATA_HOME", "")
    if Path(folder).is_absolute():
        return Path(folder)
    if home and platform == "darwin":
        return home / "Library" / "Application Support"
    return home and home / ".local" / "share"


def _home(environ: Mapping[str, str]) -> Path | None:
    """None where there is none, as for the nameless users of some containers."""
    for name in ("HOME", "USERPROFILE"):
        if Path(environ.get(name, "")).is_absolute():
            return Path(environ[name])
    try:
        return Path.home()
    except RuntimeError:
        return None
