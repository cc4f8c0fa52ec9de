"""Which files of a tree are wanted, as a glob says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Self

from penstock.errors import ArgumentError
from penstock.ignored import matcher

_ALTERNATIVES_MOST: Final = 100
_LONGEST: Final = 1_000


class Globs:
    """Wanted files, as `rg --glob` has it: `*.py`, `*.{ts,tsx}`, `src/**`, `!*.min.js`.

    A glob without a slash is asked of the name of a file, `name_glob`, any other of its path.
    """

    def __init__(self, glob: str | None) -> None:
        self.excludes = glob is not None and glob.startswith("!")
        bare = None if glob is None else glob.removeprefix("!")
        self.name_glob = None if bare is None or "/" in bare else bare
        self._matches = None if glob is None else _matcher(glob)

    @classmethod
    def of(cls, glob: str | None) -> Self:
        return cls(glob or None)

    def wants(self, told: str) -> bool:
        if self._matches is None:
            return True
        asked = told if self.name_glob is None else told.rpartition("/")[2]
        return self._matches(asked) != self.excludes


def _matcher(glob: str) -> Callable[[str], bool]:
    try:
        told = _alternatives(glob.removeprefix("!")) if len(glob) <= _LONGEST else []
        if not told or not all(told):
            raise ValueError(glob)
        return matcher(told)
    except ValueError:
        raise ArgumentError("glob", glob[:80], "a pattern of paths such as *.py, *.{ts,tsx}, src/** or !*.js") from None


def _alternatives(glob: str) -> list[str]:
    """`*.{a,b}` as `*.a` and `*.b`; ValueError where braces or brackets are not closed."""
    before, brace, rest = glob.partition("{")
    if not brace:
        if "}" in glob or glob.count("[") > glob.count("]"):
            raise ValueError(glob)
        return [glob]
    depth, start, parts = 1, 0, []
    for place, character in enumerate(rest):
        depth += (character == "{") - (character == "}")
        if depth == 0 or (depth == 1 and character == ","):
            parts.append(rest[start:place])
            start = place + 1
        if depth == 0:
            break
    if depth:
        raise ValueError(glob)
    told = [one for part in parts for one in _alternatives(before + part + rest[start:])]
    if len(told) > _ALTERNATIVES_MOST:
        raise ValueError(glob)
    return told
