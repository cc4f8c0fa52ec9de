"""A listing of files, read: the path of each line, and the line under which it stands.

Flat: a path a line, alone (`find`, `git ls-files`, `tar tf`) or behind what else is known of it (`ls -l`, `du`,
`unzip -l`, `git ls-tree`). Under headings: `ls -R`. As a tree: `tree`, or names that are indented.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock.core.patterns import re_pattern

NONE: Final = -1

# What of a listing its form is told from, and how far a line is read.
SAMPLED: Final = 300
READ: Final = 1_000

TREE: Final = re_pattern(rb"[ \xa0\xc2\t|]*(?:\xe2\x94[\x82\x9c\x94]|\|-- |`-- |\+--- ?|\\--- ?)")
HEADING: Final = re_pattern(rb"[^\s:][^:]*:\r?$|[A-Za-z]:[\\/][^:]*:\r?$|/[^:]*:\r?$|\.:\r?$")
BULLET: Final = re_pattern(rb"[ \t]*(?:[-*] |\[(?:DIR|FILE|D|F)\] )?")
# What stands before a path: modes, sizes, dates. The path begins behind the time, the year, the size or the tab.
MODE: Final = re_pattern(rb"(?:[ \t]*\d+[ \t]+\d+[ \t]+)?[-dlbcps][-rwxsStT]{9}[.+@]? ")
BEFORE: Final = re_pattern(
    rb"(?:[ \t]*\d+[ \t]+\d+[ \t]+)?[-dlbcps][-rwxsStT]{9}[.+@]? "
    rb".*?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [+\-]\d{4})?|[A-Z][a-z]{2} +\d{1,2} +\d{4})[ \t]+"
    rb"|[ \t]*\d+[ \t]+\d{2,4}-\d\d-\d{2,4}[ \t]+\d\d:\d\d[ \t]+"
    rb"|[ \t]*\d+(?:\.\d+)?[KMGTkB]?i?B?\t"
    rb"|[ \t]*\d+(?:\.\d+)?[KMGT]?[ \t]+(?=[./])"
    rb"|\d{6} (?:blob|tree|commit) [0-9a-f]{40,64}[^\t]*\t"
    rb"|\d{6} [0-9a-f]{40,64} \d\t"
    rb"|(?:[MADRCTU?!][ MADRCTU?!]| [MADRCTU]) (?=\S)|[MADRCTU]\d*\t"
)
_FRAME: Final = "│├└─\xa0".encode() + b" |`+\\-\t"


@dataclass(slots=True)
class Entries:
    paths: list[bytes] = field(default_factory=list)  # of each line; empty where it has none
    runs: list[int] = field(default_factory=list)  # of each line: a number of `folders`, or NONE
    folders: list[bytes] = field(default_factory=list)  # of each run of lines: the folder that they are in
    above: list[int] = field(
        default_factory=list
    )  # of each line: the line under which it stands; empty: all under none
    bare: bool = False  # a line is nothing but a path

    def run(self, folder: bytes) -> int:
        if not self.folders or self.folders[-1] != folder:
            self.folders.append(folder)
        return len(self.folders) - 1


def read_entries(texts: Sequence[bytes]) -> Entries:
    sample = [text for text in texts[:SAMPLED] if text.strip()]
    indented = sum(text[:2] == b"  " and not BEFORE.match(text, 0, READ) for text in sample)
    if 2 * indented > len(sample) or any(TREE.match(text) for text in sample):
        return _tree(texts)
    if any(HEADING.match(text, 0, READ) for text in sample) and b"" in texts:
        return _under_headings(texts)
    return _flat(texts, sample)


def _flat(texts: Sequence[bytes], sample: Sequence[bytes]) -> Entries:
    separator = b"\\" if sum(b"\\" in text for text in sample) > sum(b"/" in text for text in sample) else b"/"
    bare = not any(BEFORE.match(text, 0, READ) for text in sample)
    entries = Entries(texts if isinstance(texts, list) and bare else [_path_of(text) for text in texts], bare=bare)
    add, root = entries.runs.append, b"." + separator
    before, run = b"\n", NONE
    for path in entries.paths:
        if not path:
            add(NONE)
            continue
        # A folder that is listed itself, with a separator behind its name, is an entry of the one above it.
        folder = path.rstrip(b" \r/\\").rpartition(separator)[0]
        if folder != before:
            before, run = folder, entries.run(folder + separator if folder or path[:1] == separator else root)
        add(run)
    return entries


def _path_of(text: bytes) -> bytes:
    found = BEFORE.match(text, 0, READ)
    return text[found.end() :] if found else text


def _under_headings(texts: Sequence[bytes]) -> Entries:
    entries = Entries()
    folder, run, above = b"", NONE, NONE
    for index, text in enumerate(texts):
        if (index == 0 or not texts[index - 1].strip()) and HEADING.match(text, 0, READ):
            folder, above = text.rstrip(b":\r").rstrip(b"/") + b"/", index
            run = entries.run(folder)
            _add(entries, folder, run, NONE)
        elif text:
            _add(entries, folder + _path_of(text), run, above)
        else:
            _add(entries, b"", NONE, NONE)
    return entries


def _tree(texts: Sequence[bytes]) -> Entries:
    entries = Entries()
    last: tuple[int, int, bytes] | None = None  # column, line and path of the last entry
    stack: list[tuple[int, int, bytes]] = []  # the same of what it stands under
    before, column, run, above, folder = b"", -1, NONE, NONE, b""
    for index, text in enumerate(texts):
        bare = text.lstrip(_FRAME)
        name = bare.rstrip(b"/\r ")
        if not name:
            _add(entries, b"", NONE, NONE)
            continue
        frame = text[: len(text) - len(bare)]
        if frame != before or last is None:  # else it stands under the same as the last one
            # Characters of the frame take three bytes, spaces that do not break two.
            before, column = frame, len(frame) - 2 * frame.count(b"\xe2") - frame.count(b"\xc2")
            stack += [last] if last is not None else []
            while stack and stack[-1][0] >= column:
                stack.pop()
            above, folder = (stack[-1][1], stack[-1][2] + b"/") if stack else (NONE, b"")
            run = entries.run(folder)
        _add(entries, folder + name, run, above)
        last = (column, index, folder + name)
    return entries


def _add(entries: Entries, path: bytes, run: int, above: int) -> None:
    entries.paths.append(path)
    entries.runs.append(run)
    entries.above.append(above)
