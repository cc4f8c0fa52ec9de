"""Code in Markdown, where a marker is only shown: spans between equal runs of backticks, and fences.

Rules:
1. A span ends at a run of the same length, or with its paragraph: a lone backtick hides no more than that.
2. A fence begins a line and ends with a line of its own; a run of three that is closed on its line is a span.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SPAN: Final = re.compile(r"`{1,64}|\n[ \t]{0,32}(?:\n|\Z)")
_LINE: Final = re.compile(r"`{1,64}|\n")
_PREFIX: Final = re.compile(r"(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])){0,64}")
_LONGEST_RUN: Final = 64


class Code(NamedTuple):
    letter: str
    size: int
    kind: str  # "span", "fence", or "line" where it may be either

    def step(self, text: str, start: int, end: int, over: bool) -> tuple[int, Code | None, bool]:
        """How far the text is code or its end, what it is in from there on, and whether more is needed to tell."""
        return self._fenced(text, start, end, over) if self.kind == "fence" else self._spanned(text, start, end, over)

    def _spanned(self, text: str, start: int, end: int, over: bool) -> tuple[int, Code | None, bool]:
        pattern = _LINE if self.kind == "line" else _SPAN
        while found := pattern.search(text, start, end):
            start = found.end()
            if found.group()[0] == "\n":
                if self.kind == "line":
                    return start - 1, self._replace(kind="fence"), False
                if text[start - 1] == "\n" and start - found.start() > 1:
                    return start - 1, None, False
                return (end, self, True) if over else (found.start(), self, True)
            if start == end and not over:
                return found.start(), self, True
            if start - found.start() == self.size and self.letter == "`":
                return start, None, False
        return end, self, True

    def _fenced(self, text: str, start: int, end: int, over: bool) -> tuple[int, Code | None, bool]:
        found = _closing(self.letter, self.size).search(text, start, end)
        if found is None:
            return end, self, True
        if text[found.end() - 1] == "\n" and found.end() - found.start() > 1:
            return found.end() - 1, None, False
        return (end, None, True) if over else (found.start(), self, True)


_closings: Final[dict[tuple[str, int], re.Pattern[str]]] = {}


def _closing(letter: str, size: int) -> re.Pattern[str]:
    """The line that closes a fence, or what may become it at the end of the text."""
    key = (letter, size)
    if key not in _closings:
        run = rf"{letter}{{{size},64}}[ \t]{{0,32}}(?:\n|\Z)"
        _closings[key] = re.compile(rf"\n[ \t>]{{0,32}}(?:{run}|{letter}{{0,{size - 1}}}\Z)")
    return _closings[key]


def opened(text: str, place: int, end: int, over: bool, first: bool) -> tuple[int, Code | None, bool]:
    """What the run at a place opens, and how far it goes. `first` says that the stream begins where the text does."""
    letter = text[place]
    run = text[place : min(end, place + _LONGEST_RUN)]
    size = len(run) - len(run.lstrip(letter))
    if place + size == end and not over:
        return place, None, True
    if size >= 3 and _line_begins(text, place, first):
        return place + size, Code(letter, size, "fence" if letter == "~" else "line"), False
    return place + size, Code(letter, size, "span") if letter == "`" else None, False


def _line_begins(text: str, place: int, first: bool) -> bool:
    begin = text.rfind("\n", 0, place) + 1
    if begin == 0 and not first:
        return False
    return place - begin <= 64 and _PREFIX.fullmatch(text, begin, place) is not None
