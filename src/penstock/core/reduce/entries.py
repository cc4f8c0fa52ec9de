"""A listing of files, read: the path of each line, and the line under which it stands.

Flat: a path a line, alone (`find`, `git ls-files`, `tar tf`) or behind what else is known of it (`ls -l`, `du`,
`unzip -l`, `git ls-tree`). Under headings: `ls -R`. As a tree: `tree`, or names that are indented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock.core.content import Span

NONE: Final = -1

# What of a listing its form is told from, and how far a line is read.
SAMPLED: Final = 300
READ: Final = 1_000

TREE: Final = re.compile(rb"[ \xa0\xc2\t|]*(?:\xe2\x94[\x82\x9c\x94]|\|-- |`-- |\+--- ?|\\--- ?)")
HEADING: Final = re.compile(rb"[^\s:][^:]*:\r?$|[A-Za-z]:[\\/][^:]*:\r?$|/[^:]*:\r?$|\.:\r?$")
BULLET: Final = re.compile(rb"[ \t]*(?:[-*] |\[(?:DIR|FILE|D|F)\] )?")
# What stands before a path: modes, sizes, dates. The path begins behind the time, the year, the size or the tab.
MODE: Final = re.compile(rb"[-dlbcps][-rwxsStT]{9}[.+@]? ")
BEFORE: Final = re.compile(
    rb"[-dlbcps][-rwxsStT]{9}[.+@]? .*?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+\-]\d{4})?|[A-Z][a-z]{2} +\d{1,2} +\d{4})[ \t]+"
    rb"|[ \t]*\d+[ \t]+\d{2,4}-\d\d-\d{2,4}[ \t]+\d\d:\d\d[ \t]+"
    rb"|[ \t]*\d+(?:\.\d+)?[KMGTkB]?i?B?\t"
    rb"|[ \t]*\d+(?:\.\d+)?[KMGT]?[ \t]+(?=[./])"
    rb"|\d{6} (?:blob|tree|commit) [0-9a-f]{40,64}[^\t]*\t"
    rb"|\d{6} [0-9a-f]{40,64} \d\t"
    rb"|(?:[ MADRCU?!]{2}|[MADRCTU]\d*) ?[ \t](?=\S)"
)
_FRAME: Final = "│├└─|`+\\- \t\xa0"


@dataclass(slots=True)
class Entries:
    paths: list[bytes] = field(default_factory=list)  # of each line; empty where it has none
    folders: list[int] = field(default_factory=list)  # of each line: a number of `names`, or NONE
    names: list[bytes] = field(default_factory=list)  # of each run of lines in the same folder
    above: list[int] = field(default_factory=list)  # of each line: the line under which it stands, or NONE
    left_out: list[Span] = field(default_factory=list)  # flat: where in each line its folder stands
    bare: bool = False  # a line is nothing but a path

    def folder(self, name: bytes) -> int:
        if not self.names or self.names[-1] != name:
            self.names.append(name)
        return len(self.names) - 1


def read_entries(texts: Sequence[bytes]) -> Entries:
    sample = [text for text in texts[:SAMPLED] if text.strip()]
    if any(TREE.match(text) for text in sample) or 2 * sum(
        text[:2] == b"  " and not BEFORE.match(text, 0, READ) for text in sample
    ) > len(sample):
        return _tree(texts)
    if any(HEADING.match(text, 0, READ) for text in sample) and b"" in texts:
        return _under_headings(texts)
    return _flat(texts, _separator(sample))


def _separator(sample: Sequence[bytes]) -> bytes:
    return b"\\" if sum(b"\\" in text for text in sample) > sum(b"/" in text for text in sample) else b"/"


def _flat(texts: Sequence[bytes], separator: bytes) -> Entries:
    bare = not any(BEFORE.match(text, 0, READ) for text in texts[:SAMPLED])
    entries = Entries(bare=bare)
    root = b"." + separator
    before, number = b"\n", NONE
    for text in texts:
        at = 0
        if not bare:
            found = BEFORE.match(text, 0, READ)
            at = found.end() if found else 0
        # A folder that is listed itself, with a separator behind its name, is an entry of the one above it.
        folder_end = text.rfind(separator, at, len(text.rstrip(b" \r/\\"))) + 1 or at
        folder = text[at:folder_end] or root
        if folder != before:
            before, number = folder, entries.folder(folder)
        entries.paths.append(text[at:])
        entries.folders.append(number if text else NONE)
        entries.left_out.append(Span(at, folder_end))
    entries.above = [NONE] * len(texts)
    return entries


def _under_headings(texts: Sequence[bytes]) -> Entries:
    entries = Entries()
    folder, number, above = b"", NONE, NONE
    for index, text in enumerate(texts):
        if HEADING.match(text, 0, READ) and (index == 0 or not texts[index - 1].strip()):
            folder, above = text.rstrip(b":\r").rstrip(b"/") + b"/", index
            number = entries.folder(folder)
            _add(entries, folder, number, NONE)
            continue
        found = BEFORE.match(text, 0, READ)
        name = text[found.end() :] if found else text
        _add(entries, folder + name if text else b"", number if text else NONE, above)
    return entries


def _tree(texts: Sequence[bytes]) -> Entries:
    entries = Entries()
    stack: list[tuple[int, int, bytes]] = []  # columns, lines and paths of what the line stands under
    for index, text in enumerate(texts):
        start = text[:READ].decode("utf-8", "replace")
        name = start.lstrip(_FRAME)
        column = len(start) - len(name)
        while stack and stack[-1][0] >= column:
            stack.pop()
        _, above, folder = stack[-1] if stack else (0, NONE, b"")
        path = folder + name.rstrip("/\r ").encode() if name else b""
        _add(entries, path, entries.folder(folder) if name else NONE, above if name else NONE)
        if name:
            stack.append((column, index, path + b"/"))
    return entries


def _add(entries: Entries, path: bytes, folder: int, above: int) -> None:
    entries.paths.append(path)
    entries.folders.append(folder)
    entries.above.append(above)
    entries.left_out.append(Span(0, 0))
