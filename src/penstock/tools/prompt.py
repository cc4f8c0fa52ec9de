"""What a prompt says of a map: the words, names and paths in it, and the files that its reader has already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from penstock.search.paths import names_of
from penstock.search.query import LONGEST, analysed, other_ways

_PATH: Final = re.compile(r"[\w@+~.-]+(?:/[\w@+~.-]+)*")
_MOST_PATHS: Final = 100

# How much more a reader starts at a file: one that the prompt names, one that is called after all of its words.
_NAMED: Final = 50.0
_CALLED: Final = 10.0


class Prompt:
    def __init__(self, text: str = "", files: Iterable[str] = ()) -> None:
        asked = analysed(text)
        self.words = {way for word in asked.words for way in (word, *other_ways(word))}
        self.names = {name.lower() for name in asked.names}
        self._stems = frozenset(asked.words)
        self._paths = [
            "/" + path for path in _PATH.findall(text[:LONGEST])[:_MOST_PATHS] if "/" in path or "." in path.strip(".")
        ]
        self._files = frozenset(files)

    def has(self, path: str) -> bool:
        """Whether the reader has a file already."""
        return path in self._files

    def likes(self, path: str) -> float:
        """How much more a file counts for this prompt than any other; 0 for not at all."""
        if not self._stems and not self._paths:
            return 0.0
        whole = "/" + path
        if any(whole.endswith(named) or f"{named}/" in whole for named in self._paths):
            return _NAMED
        called = names_of(path)
        own = [word for word in called.name if word in self.words]
        above = [word for word in self._stems if word in called.folders]
        share = (len(own) + 0.3 * len(above)) / max(1, len(self._stems))
        return _CALLED * min(1.0, share)
