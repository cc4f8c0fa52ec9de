"""The results of a search, read: which line is a match, which is context, in which file, where its own text begins.

Two ways to print them. Flat: `path:12:text`, or `path:12:7:text`, with `-` for `:` in lines of context. Under headings:
a line with the path, below it `12:text`. Windows paths have a colon of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from penstock.core.patterns import re_pattern
from penstock.core.reduce.groups import NO_GROUP

# A line is read this far for its path and number.
READ: Final = 1_000

MATCH: Final = re_pattern(rb"((?:[A-Za-z]:(?=[\\/]))?[^:\n]+?):(\d+):(?:(\d+):(?!\d))?")
FLAT: Final = re_pattern(rb"((?:[A-Za-z]:(?=[\\/]))?[^:\n]+?)([:\-])(\d+)[:\-](?:\d+:(?!\d))?")
_NO_PATH: Final = re_pattern(rb"[\s(\[{\"'=,;]")
BARE: Final = re_pattern(rb"([^:\s][^:\n]*[^:\s\d]):(?!\d|//)")
UNDER: Final = re_pattern(rb"[ \t]*(?:Line |L)?(\d{1,7})([:\-|])(?:(\d+)[:\-](?!\d))?")
_HEADING: Final = re_pattern(rb"(?:File: )?[\w.\-/\\@+~$()\[\]: ]+$")


def is_heading(line: bytes) -> bool:
    """Whether a line may be the path above some hits."""
    if len(line) > READ or _HEADING.match(line) is None or UNDER.match(line):
        return False
    name = line.removeprefix(b"File: ").rstrip(b":")
    return b" " not in name or any(sign in name for sign in (b".", b"/", b"\\"))


class Hit(NamedTuple):
    group: int  # NO_GROUP: it belongs to no file
    own: int  # in the line: where what is its own begins, which is its number
    text: int  # in the line: where the text begins
    matches: bool
    column: int = 0  # of the match in the text, where it is told


@dataclass(slots=True)
class Hits:
    lines: list[Hit] = field(default_factory=list)
    paths: list[bytes] = field(default_factory=list)  # of each group
    heads: list[int] = field(default_factory=list)  # the line that is the heading of each group, or -1
    counts: list[int] = field(default_factory=list)  # of each group: its rows

    def opened(self, path: bytes, head: int) -> int:
        self.paths.append(path)
        self.heads.append(head)
        self.counts.append(0)
        return len(self.paths) - 1


_OUTSIDE: Final = Hit(NO_GROUP, 0, 0, matches=False)


def read_hits(texts: Sequence[bytes]) -> Hits:
    """Each line as a hit. What is neither match nor context is outside of every group."""
    return _under_headings(texts) if _has_headings(texts) else _flat(texts)


def _has_headings(texts: Sequence[bytes]) -> bool:
    sample = [text[:READ] for text in texts[:400]]
    flat = sum(FLAT.match(text) is not None and UNDER.match(text) is None for text in sample)
    under = sum(UNDER.match(text) is not None for text in sample)
    return under > flat


def _flat(texts: Sequence[bytes]) -> Hits:
    hits = Hits()
    add = hits.lines.append
    group, path, prefix = NO_GROUP, b"\n", b"\n"
    read = _read_numbered if any(FLAT.match(text, 0, READ) for text in texts[:50]) else _read_bare
    known: set[bytes] = set()
    for text in texts:
        # Most lines are of the file of the line before, and most have no column.
        if text.startswith(prefix):
            begin = len(prefix)
            end = text.find(b":", begin, begin + 8)
            if text[begin:end].isdigit() and not text[end + 1 : end + 2].isdigit():
                hits.counts[group] += 1
                add(Hit(group, begin, end + 1, matches=True))
                continue
        hit = read(text, path, known)
        if hit is None:
            add(_OUTSIDE)
            continue
        if text[: hit.own - 1] != path:
            path = text[: hit.own - 1]
            group = hits.opened(path, -1)
            known.add(path)
            prefix = path + b":"
        hits.counts[group] += 1
        add(hit._replace(group=group))
    return hits


def _read_bare(text: bytes, path: bytes, known: set[bytes]) -> Hit | None:
    found = BARE.match(text, 0, READ)
    return None if found is None else Hit(NO_GROUP, found.end(), found.end(), matches=True)


def _read_numbered(text: bytes, path: bytes, known: set[bytes]) -> Hit | None:
    match = MATCH.match(text, 0, READ)
    if match is not None and not _NO_PATH.search(match[1]):
        return _match(match)
    # A line of context, in which something may look like a match, or a path with spaces.
    own = _own_of_context(text, path, known)
    found = FLAT.match(text, 0, READ) if own == 0 else None
    if found is not None:
        own = found.end(1) + 1
        if match is not None and match.end(1) == found.end(1):
            return _match(match)
    return Hit(NO_GROUP, own, text.find(b"-", own) + 1, matches=False) if own else None


def _match(found: re.Match[bytes]) -> Hit:
    return Hit(NO_GROUP, found.end(1) + 1, found.end(), matches=True, column=int(found[3] or 0))


def _own_of_context(text: bytes, path: bytes, known: set[bytes]) -> int:
    """Where the number begins in `a-1-b.py-12-text`: after a path that is known, or 0."""
    if text.startswith(path + b"-"):
        return len(path) + 1
    place = text.find(b"-", 0, READ)
    while place > 0:
        if text[:place] in known:
            return place + 1
        place = text.find(b"-", place + 1, READ)
    return 0


def _under_headings(texts: Sequence[bytes]) -> Hits:
    hits = Hits()
    add = hits.lines.append
    group = NO_GROUP
    for index, text in enumerate(texts):
        found = UNDER.match(text, 0, READ)
        if found is not None:
            if group == NO_GROUP:
                group = hits.opened(b"", -1)
            hits.counts[group] += 1
            add(Hit(group, found.start(1), found.end(), found[2] != b"-", int(found[3] or 0)))
            continue
        add(_OUTSIDE)
        if is_heading(text.rstrip(b"\r")):
            group = hits.opened(text.removeprefix(b"File: ").rstrip(b":\r"), index)
    return hits
