"""A tree of files in the order of its names, without what is hidden or ignored. Links are told, never followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from penstock.ignored import Ignored
from penstock.tools.globs import Globs
from penstock.tools.roots import Roots, readable

# Deeper trees are made by accident, or by somebody who means ill.
_DEEPEST: Final = 200

# What nobody wants to see of a repository, whatever else is wanted.
_NEVER: Final = frozenset({".git", ".hg", ".svn"})


class Found(NamedTuple):
    path: Path
    told: str  # relative to the place that was walked, with /; that of a folder ends with one
    depth: int  # 0 for what is directly in it
    is_folder: bool
    is_link: bool = False


def walked(place: Path, roots: Roots, *, everything: bool = False) -> Iterator[Found]:
    """What is in a folder and below. A folder comes before what is in it."""
    root = roots.of(place)
    ignored = Ignored() if everything else _rules_for(root, place)
    at = "" if place == root else place.relative_to(root).as_posix() + "/"
    return _walked(place, "", at, 0, ignored, everything=everything)


def files_under(place: Path, roots: Roots, globs: Globs, *, everything: bool = False) -> Iterator[Path]:
    """The regular files that are wanted; `place` itself, where it is one."""
    if not place.is_dir():
        yield place
        return
    for found in walked(place, roots, everything=everything):
        if not found.is_folder and not found.is_link and globs.wants(found.told) and found.path.is_file():
            yield found.path


def is_hidden(place: Path, roots: Roots) -> bool:
    """Whether the ignore files above a folder say that it is to be left out."""
    root = roots.of(place)
    return any(
        Ignored.between(root, folder.parent).hides(folder.relative_to(root).as_posix() + "/")
        for folder in (place, *place.parents)
        if folder != root and folder.is_relative_to(root)
    )


def _rules_for(root: Path, place: Path) -> Ignored:
    """The rules for what is in a folder: where it is to be left out itself and was asked for, only its own."""
    if is_hidden(place, Roots([root])):
        at = place.relative_to(root).as_posix() + "/"
        return Ignored().inside(at, place)
    return Ignored.between(root, place)


def _walked(folder: Path, told: str, at: str, depth: int, ignored: Ignored, *, everything: bool) -> Iterator[Found]:
    """`told` and `at` are the folder's path from the place that is walked, and from its root."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return  # as every such tool does with what it may not look into
    for entry in entries:
        if entry.name in _NEVER or (entry.name.startswith(".") and not everything):
            continue
        is_link = entry.is_symlink()
        is_folder = not is_link and entry.is_dir(follow_symlinks=False)
        end = "/" if is_folder else ""
        if not everything and ignored.hides(at + entry.name + end):
            continue
        path = Path(entry.path)
        yield Found(path, told + readable(entry.name) + end, depth, is_folder, is_link)
        if is_folder and depth < _DEEPEST:
            name = entry.name + "/"
            inner = ignored if everything else ignored.inside(at + name, path)
            yield from _walked(path, told + readable(name), at + name, depth + 1, inner, everything=everything)
