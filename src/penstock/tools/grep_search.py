"""`grep_search`: the lines of a tree's files that match, with how many there are in all.

Files come in the order of their paths, each with a heading, and under it what matches with the lines around. What does
not fit is counted: the last lines tell how many matches there are, in which other files, and how to go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from penstock.core.grep import Found, Matcher, matcher, search
from penstock.core.hits import Hits, render
from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.offers import Offer
from penstock.errors import ArgumentError, PenstockError
from penstock.gate import BareGate
from penstock.tools.base import BareTool
from penstock.tools.ripgrep import Counted, Wanted, count_lines
from penstock.tools.roots import Roots, opened, readable
from penstock.tools.textfile import PROBED, is_text, open_text
from penstock.tools.toolset import Workshop

CONTEXT: Final = 2
SECONDS: Final = 10.0

# Of each limit, what is kept for the counts of files that are not shown.
COUNTS: Final = 0.2

OFFER: Final = Offer(
    "grep_search",
    "Search the files of a folder for a pattern (RE2 syntax). Answers with file names, line numbers and the lines"
    " around each match, and tells how many matches there are in all and how to see the rest. Hidden files and those"
    " that .gitignore names are left out.",
    {
        "pattern": {
            "type": "string",
            "description": "What to look for: an RE2 regular expression, or plain text with fixed=true.",
        },
        "path": {"type": "string", "description": "The folder or file to search; the whole root by default."},
        "glob": {"type": "string", "description": "Only files like this, such as *.py or src/**; !*.js leaves out."},
        "ignore_case": {
            "type": "boolean",
            "description": "Whether upper and lower case are the same; false by default.",
        },
        "fixed": {"type": "boolean", "description": "Whether the pattern is plain text; false by default."},
        "context": {
            "type": "integer",
            "minimum": 0,
            "description": "Lines to show before and after each match; 2 by default.",
        },
        "limit": {"type": "integer", "minimum": 1, "description": "How many matching lines to show at most."},
        "skip": {
            "type": "integer",
            "minimum": 0,
            "description": "How many matching lines to pass over: the number of those already seen.",
        },
        "everything": {
            "type": "boolean",
            "description": "Whether hidden and ignored files are searched too; false by default.",
        },
    },
    ("pattern",),
)


class GrepSearch(BareTool):
    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, roots: Roots, *, context: int | None = None) -> None:
        super().__init__(gate)
        self.roots = roots
        self._context = CONTEXT if context is None else context

    def execute(
        self,
        pattern: str,
        *,
        path: str = ".",
        glob: str | None = None,
        ignore_case: bool = False,
        fixed: bool = False,
        context: int | None = None,
        limit: int | None = None,
        skip: int = 0,
        everything: bool = False,
    ) -> str:
        match = matcher(pattern, fixed=fixed, ignore_case=ignore_case)
        for name, value, least in (("context", context, 0), ("limit", limit, 1), ("skip", skip, 0)):
            if value is not None and (type(value) is not int or value < least):
                raise ArgumentError(name, value, f"a whole number from {least} on")
        place = self.roots.path(path)
        if not place.is_dir() and not _is_text(self.roots.file(path)):
            return f"[{readable(self.roots.told(place))} is no text; read_file tells what it is]"
        wanted = Wanted(pattern, ignore_case, fixed, glob, everything)
        counted = count_lines(place, self.roots, wanted, SECONDS)
        limits = self.gate.policy(self.name, limits=self.limits).limits
        until = time.monotonic() + SECONDS
        page = _Page(limits, self.gate.rules.policy.counter.count, match, pattern, until)
        around = self._context if context is None else context
        return page.filled(counted, self.roots, around, skip, limit)


@dataclass(slots=True)
class _Page:
    limits: Limits
    count: Callable[[str], int]
    match: Matcher
    pattern: str
    until: float

    def filled(self, counted: Counted, roots: Roots, context: int, skip: int, limit: int | None) -> str:
        blocks: list[str] = []
        shown, gone = 0, 0
        seen: set[Path] = set()
        room = self.limits.part(1 - COUNTS)
        passed = skip
        for path, many in list(counted.lines.items()):
            if passed >= many:
                passed -= many
                seen.add(path)
                continue
            most = many - passed if limit is None else min(many - passed, limit - shown)
            heading = f"{readable(roots.told(path))} ({_matches(many)})"
            left = _less(room, [*blocks, heading, ""])
            if left is None or most < 1:
                break
            found, hits = self._hits(path, passed, most, context, left)
            counted.complete &= found.ended != "time"
            if not found.ended and len(found.hits) < many:
                # It changed meanwhile, or ripgrep found more in it than RE2 does.
                gone += many - len(found.hits)
                many = counted.lines[path] = len(found.hits)
                heading = f"{readable(roots.told(path))} ({_matches(many)})"
            if hits is not None and hits.hits:
                blocks.append("\n".join([heading, hits.text.removesuffix(hits.note).rstrip("\n")]))
                shown += len(hits)
                seen.add(path)
            if hits is not None and len(hits) < many - passed:
                break
            passed = 0
        counted.lines = {path: many for path, many in counted.lines.items() if many}
        return self._closed(blocks, counted, roots, (skip, shown, gone), seen)

    def _hits(self, path: Path, skip: int, most: int, context: int, room: Limits) -> tuple[Found, Hits | None]:
        """What matches in one file, and of it what is behind the first `skip`, as much as there is room for."""
        try:
            text = open_text(path)
        except PenstockError:
            text = None
        if text is None:
            return Found([], 0, ""), None
        with text:
            found = search(text, self.match, most=skip + most, expired=lambda: time.monotonic() > self.until)
            rest = Found(found.hits[skip:], text.size, "", 1, found.line)
            return found, render(text, rest, context, room, self.count, self.pattern)

    def _closed(
        self, blocks: list[str], counted: Counted, roots: Roots, numbers: tuple[int, int, int], seen: set[Path]
    ) -> str:
        """The page with its last lines: what there is in all, where, and how to go on.

        `numbers` are how many matches were seen before, how many are shown, and how many were counted and are none.
        """
        skip, shown, gone = numbers
        total = sum(counted.lines.values())
        if not total:
            return "[no match]" if counted.complete else "[no match in the files searched; stopped by the time limit]"
        least = "" if counted.complete and counted.exact else "at least "
        files = len(counted.lines)
        what = f"{_matches(shown)}" if shown == total else f"matches {skip + 1:,}-{skip + shown:,} of {least}{total:,}"
        what += f" in {least if shown == total else ''}{files:,} file{'' if files == 1 else 's'}"
        if shown == 0:
            where = f"{least}{_matches(total)} in {files:,} file{'' if files == 1 else 's'}"
            why = "no room to show any of" if counted.complete else "none shown of"
            what = f"nothing behind skip={skip}: {where}" if skip >= total else f"{why} {where}"
        if not counted.complete:
            what += "; stopped by the time limit"
        if 0 < shown < total - skip:
            what += f"; next: skip={skip + shown + gone}"
        text = "\n\n".join([*blocks, f"[{what}]"])
        rest = [f"{readable(roots.told(path))}: {many:,}" for path, many in counted.lines.items() if path not in seen]
        for index, line in enumerate(rest):
            more = f"[and {len(rest) - index:,} more files]"
            if not self._fits(f"{text}\n{line}\n{more}"):
                return f"{text}\n{more}" if self._fits(f"{text}\n{more}") else text
            text = f"{text}\n{line}"
        return text

    def _fits(self, text: str) -> bool:
        size = measure(text)
        if self.limits.tokens is not None:
            size = size._replace(tokens=self.count(text))
        return size.over(self.limits) is None


def _is_text(path: Path) -> bool:
    with opened(path) as file:
        return is_text(file.read(PROBED))


def _matches(many: int) -> str:
    return f"{many:,} match{'' if many == 1 else 'es'}"


def _less(limits: Limits, blocks: list[str]) -> Limits | None:
    """What these blocks leave of the limits; None where that is next to nothing."""
    taken = measure("\n\n".join(blocks))
    left = limits.less(chars=taken.chars, lines=taken.lines, bytes=taken.bytes)
    if min(left.chars or 1_000, left.bytes or 1_000) < 80 or (left.lines or 10) < 2:
        return None
    return left if left.tokens is None else replace(left, tokens=max(1, left.tokens - taken.bytes // 3))


def made(of: Workshop) -> GrepSearch:
    return GrepSearch(of.gate, of.roots, context=of.told(OFFER.name).show_context)
