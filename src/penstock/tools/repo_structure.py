"""`get_repo_structure`: the folders and files of a tree, with counts for what is folded.

What is near the root comes first: where there are more files than may be listed, those of the deepest folders are
counted instead.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from penstock.core.offers import Offer
from penstock.errors import ArgumentError, CallerError
from penstock.gate import BareGate
from penstock.tools.base import BareTool
from penstock.tools.roots import Roots, readable
from penstock.tools.toolset import Workshop
from penstock.tools.walk import Found, walked

DEPTH: Final = 3
FILES: Final = 500
SECONDS: Final = 10.0

OFFER: Final = Offer(
    "get_repo_structure",
    "List the folders and files of a tree, some levels deep. Deeper folders are shown with the number of files in them."
    " Hidden files and those that .gitignore names are left out.",
    {
        "path": {"type": "string", "description": "The folder to list; the whole (first) root by default."},
        "depth": {"type": "integer", "minimum": 1, "description": "How many levels to show; 3 by default."},
        "files": {"type": "integer", "minimum": 1, "description": "How many files to list at most; 500 by default."},
        "everything": {
            "type": "boolean",
            "description": "Whether hidden and ignored files are listed too; false by default.",
        },
    },
)


@dataclass(slots=True)
class _Folder:
    name: str
    depth: int
    folders: list[_Folder] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    total: int = 0  # files in it and below
    listed: int = 0  # of its own files and folders, how many are shown
    open: bool = False


class RepoStructure(BareTool):
    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, roots: Roots, *, depth: int | None = None, files: int | None = None) -> None:
        super().__init__(gate)
        self.roots = roots
        self._depth = depth or DEPTH
        self._files = files or FILES

    def execute(
        self, path: str = ".", *, depth: int | None = None, files: int | None = None, everything: bool = False
    ) -> str:
        for name, value in (("depth", depth), ("files", files)):
            if value is not None and (type(value) is not int or value < 1):
                raise ArgumentError(name, value, "a whole number from 1 on")
        place = self.roots.path(path)
        if not place.is_dir():
            raise CallerError(f"{path!r} is a file: read_file shows it")
        top, complete = _read(place, self.roots, everything=everything)
        _open(top, depth or self._depth, files or self._files)
        told = self.roots.told(place)
        lines = [f"{place.name if told == '.' else told}/ ({_files(top)})", *_lines(top)]
        if path in ("", ".") and len(self.roots.folders) > 1:
            lines.append(f"[other roots: {', '.join(map(str, self.roots.folders[1:]))}]")
        if not complete:
            lines.append(f"[not all of it was looked at within {SECONDS:g} seconds; the counts are at least these]")
        return "\n".join(lines)


def _read(place: Path, roots: Roots, *, everything: bool) -> tuple[_Folder, bool]:
    until = time.monotonic() + SECONDS
    top = _Folder(place.name, 0)
    way = [top]  # the folders from the top to where the walk is
    for number, found in enumerate(walked(place, roots, everything=everything)):
        if number % 1_000 == 0 and time.monotonic() > until:
            return top, False
        del way[found.depth + 1 :]
        if found.is_folder:
            way[-1].folders.append(inner := _Folder(readable(found.path.name), found.depth + 1))
            way.append(inner)
        else:
            way[-1].files.append(_told(found))
            for folder in way:
                folder.total += 1
    return top, True


def _told(found: Found) -> str:
    name = readable(found.path.name)
    return f"{name} (a link)" if found.is_link else name


def _open(top: _Folder, depth: int, most: int) -> None:
    """Decide what is listed: level by level, as long as `most` entries have not been."""
    waiting = deque([top])
    while waiting and most > 0:
        folder = waiting.popleft()
        if folder.depth >= depth:
            continue
        folder.open = True
        folder.listed = min(most, len(folder.folders) + len(folder.files))
        most -= folder.listed
        waiting.extend(folder.folders[: folder.listed])


def _lines(folder: _Folder) -> list[str]:
    """What is in an open folder: folders first, then files, each two columns deeper than the folder."""
    indent = "  " * (folder.depth + 1)
    lines: list[str] = []
    for inner in folder.folders[: folder.listed]:
        folded = not inner.open or (not inner.listed and inner.total)
        lines.append(f"{indent}{inner.name}/" + (f" ({_files(inner)})" if folded else ""))
        lines += _lines(inner) if inner.open else []
    shown = max(0, folder.listed - len(folder.folders))
    lines += [indent + name for name in folder.files[:shown]]
    if rest := folder.folders[folder.listed :]:
        lines.append(f"{indent}... {len(rest):,} more folders ({sum(inner.total for inner in rest):,} files)")
    if more := len(folder.files) - shown:
        lines.append(f"{indent}... {more:,} more file{'' if more == 1 else 's'}")
    return lines


def _files(folder: _Folder) -> str:
    return f"{folder.total:,} file{'' if folder.total == 1 else 's'}"


def made(of: Workshop) -> RepoStructure:
    told = of.told(OFFER.name)
    return RepoStructure(of.gate, of.roots, depth=told.max_depth, files=told.max_files)
