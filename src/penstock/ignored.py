"""What a tree's own files say is not worth looking at: .gitignore, .ignore, .rgignore and .git/info/exclude.

Each holds for its own folder and what is below; the deepest that says anything of a path decides, and in one file the
last line that does. A file in an ignored folder cannot be wanted again, as its folder is not looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import re2

from penstock.errors import MissingExtra

try:
    from pathspec import GitIgnoreSpec
except ImportError as missing:
    raise MissingExtra("looking through a tree of files", "files") from missing

FILES: Final = (".gitignore", ".ignore", ".rgignore")
_LARGEST: Final = 1_000_000
_LONGEST_LINE: Final = 4_096

# As much as one automaton takes.
_CHARS_MOST: Final = 20_000


class _Rules(NamedTuple):
    at: str  # the folder's path from the root, with / at its end; "" for the root
    spec: GitIgnoreSpec


class Ignored:
    """The rules that hold in one folder. Paths are relative to the root, with `/`."""

    def __init__(self, rules: tuple[_Rules, ...] = ()) -> None:
        self._rules = rules

    @classmethod
    def of_root(cls, root: Path) -> Ignored:
        return cls(_rules("", [root / ".git" / "info" / "exclude"])).inside("", root)

    @classmethod
    def between(cls, root: Path, folder: Path) -> Ignored:
        """The rules for `folder`, which is `root` or below it."""
        rules = cls.of_root(root)
        at = root
        for name in folder.relative_to(root).parts:
            at /= name
            rules = rules.inside(at.relative_to(root).as_posix() + "/", at)
        return rules

    def inside(self, at: str, folder: Path) -> Ignored:
        """With the rules of the folder at the path `at`."""
        own = _rules(at, [folder / name for name in FILES])
        return Ignored((*self._rules, *own)) if own else self

    def hides(self, path: str) -> bool:
        """Whether a file, or a folder when its path ends with `/`, is to be left out."""
        if not path.isascii():
            path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        for rules in reversed(self._rules):
            verdict = rules.spec.check_file(path[len(rules.at) :]).include
            if verdict is not None:
                return verdict
        return False


def matcher(globs: list[str]) -> Callable[[str], bool]:
    """Globs as lines of .gitignore have them; ValueError where one is none."""
    spec = GitIgnoreSpec.from_lines([f"\\{glob}" if glob.startswith(("#", "!")) else glob for glob in globs])
    return spec.match_file


def _rules(at: str, files: list[Path]) -> tuple[_Rules, ...]:
    lines = [line for file in files for line in _lines(file) if len(line) <= _LONGEST_LINE]
    return tuple(_Rules(at, spec) for part in _parts(lines) for spec in _specs(part))


def _parts(lines: list[str]) -> Iterator[list[str]]:
    start, chars = 0, 0
    for number, line in enumerate(lines):
        chars += len(line)
        if chars > _CHARS_MOST:  # a line alone is never as long
            yield lines[start:number]
            start, chars = number, len(line)
    if lines:
        yield lines[start:]


def _specs(lines: list[str]) -> list[GitIgnoreSpec]:
    """In their order, without the lines that are no pattern: git passes over them, too."""
    try:
        return [GitIgnoreSpec.from_lines(lines)]
    except (ValueError, re2.error):
        half = len(lines) // 2
        return _specs(lines[:half]) + _specs(lines[half:]) if half else []


def _lines(file: Path) -> list[str]:
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return []
        return file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
