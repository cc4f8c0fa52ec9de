"""Search hits as text: line numbers as grep writes them, lines around each hit, a window around it in a long line.

A search result is a hit with the lines around it. It is shown whole or not at all, except that a single one which is
too long for the limits is shown with less around it, so that going on always gets somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from penstock.core.census import Census
from penstock.core.content import LOOK
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.grep import Found, Hit
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.notice import gap_mark
from penstock.core.source import Source, line_start, text_of

# Of a long line so many bytes are shown on each side of the match; of a long line beside it, twice as many.
WINDOW: Final = 240
# With what a hit is tried that does not fit alone: lines around it as asked for or none, and a window.
NARROWER: Final = (WINDOW, WINDOW // 4, WINDOW // 16, 1)

# Hits are near one another, so what is read for one serves the next.
NEAR: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to a search. `str(hits)` is its text."""

    text: str
    handle: Handle
    hits: list[Hit]  # those that the text shows
    complete: bool  # the text shows all matches from the line on that the search began with
    ended: str  # "", "matches", "time" or "room": what stopped the search or its display
    searched: int  # bytes
    next: dict[str, Any] | None  # the arguments that go on
    shown: tuple[tuple[int, int], ...]  # byte ranges of the original

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.hits)


def render(
    source: Source,
    found: Found,
    context: int,
    limits: Limits,
    count: Callable[[str], int],
    pattern: str,
    options: Mapping[str, Any] | None = None,
) -> Hits:
    """As many results as fit, with a last line that says how many there are and how to go on.

    `options` are further arguments that `next` repeats.
    """
    page = _Page(source, found, {"pattern": pattern, **(options or {})})
    results = _results(source, found.hits, context, limits)

    def fits(hits: Hits) -> bool:
        size = measure(hits.text)
        if limits.tokens is not None:
            size = size._replace(tokens=count(hits.text))
        return size.over(limits) is None

    # `low` results fit, or it is 0; `high` do not, or there are not so many.
    low, high, best = 0, len(results) + 1, page.hits([])
    while high - low > 1:
        middle = (low + high) // 2
        tried = page.hits(results[:middle])
        if fits(tried):
            low, best = middle, tried
        else:
            high = middle
    if low > 0 or not found.hits:
        return best if fits(best) else page.bare([])
    lines = _Lines(source)
    for window in NARROWER:
        tried = page.hits([[lines.hit(found.hits[0], window)]])
        if fits(tried):
            return tried
    passed = page.passed_over()
    return passed if fits(passed) else page.bare([found.hits[0]])
