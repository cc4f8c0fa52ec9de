"""Literals to look for in a stream: one search finds the first that stands there, or the start of one at the end.

The literals become one pattern shaped like a tree of their letters, so the cost does not grow with their number, and a
literal that the chunk cuts in two is found as a prefix that touches the end of what is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


class Markers:
    """A set of literals. `find` gives the place and the literal; the literal is "" where only a prefix is there yet."""

    __slots__ = ("_match", "_search", "words")

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        pattern = re.compile(_tree(sorted(self.words)) if self.words else r"(?!)")
        self._search = pattern.search
        self._match = pattern.match

    def find(self, text: str, start: int, end: int, over: bool) -> tuple[int, str]:
        """Where the first literal stands, or else where its prefix begins; `end` and "" where there is neither.

        With `over` nothing follows the end, and a prefix there is a prefix of nothing.
        """
        while found := self._search(text, start, end):
            word = found.group()
            if word in self.words and (over or found.end() < end or not self._longer(word)):
                return found.start(), word
            if not over:
                return found.start(), ""
            start = found.start() + 1
        return end, ""

    def at(self, text: str, start: int, end: int, over: bool) -> str | None:
        """The literal that stands at a place, "" where none does, None where more is needed to tell."""
        found = self._match(text, start, end)
        if found is None:
            return None if start == end and not over else ""
        word = found.group()
        if word in self.words and (over or found.end() < end or not self._longer(word)):
            return word
        return "" if over else None

    def _longer(self, word: str) -> bool:
        return any(other.startswith(word) and other != word for other in self.words)


def _tree(words: list[str]) -> str:
    """A pattern for sorted words: the longest that stands there, or a prefix of one that touches the end."""
    branches: list[str] = []
    while words and words[0]:
        letter = words[0][0]
        same = [word[1:] for word in words if word[:1] == letter]
        words = [word for word in words if word[:1] != letter and word]
        branches.append(re.escape(letter) + _rest(same))
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _rest(tails: list[str]) -> str:
    longer = [tail for tail in tails if tail]
    if not longer:
        return ""
    return rf"(?:{_tree(longer)}|\Z{'|' if len(longer) < len(tails) else ''})"
