"""A diff, read: where its commits, files and hunks begin.

Unified and combined diffs as git, svn, hg and `diff -u` print them, `git log` with `-p` or `--stat`, patches as mail.
Inside a hunk every line is content, whatever it looks like, but for what can only begin a file or a commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from penstock.core.patterns import re_pattern

_COMMIT: Final = re_pattern(rb"(?:[*|\\/ ]{0,20} )?commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} |# HG changeset patch")
_SHORT_COMMIT: Final = re_pattern(rb"[0-9a-f]{7,40} \S")
_BODY: Final = b" +-\\"
_FILE: Final = (b"diff --git ", b"diff --cc ", b"diff --combined ", b"Index: ", b"diff -")
_STAT: Final = re_pattern(rb" \S.* \| +(?:\d+|Bin)\b| \d+ files? changed")
_PREFIXES: Final = (b"a/", b"b/", b"i/", b"w/", b"c/", b"o/")


class Commit(NamedTuple):
    first: int
    subject: int  # the line of its subject, or `first`


class File(NamedTuple):
    first: int
    name: int  # the line that names it best
    path: bytes
    commit: int  # -1: in none


class Hunk(NamedTuple):
    first: int
    stop: int
    file: int  # -1: of no file that was seen


@dataclass(slots=True)
class Patch:
    commits: list[Commit] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    stats: list[int] = field(default_factory=list)  # lines that say how much of a file changed


def read_patch(texts: Sequence[bytes]) -> Patch:
    reader = _Reader(texts)
    count = len(texts)
    index = 0
    while index < count:
        text = texts[index]
        if reader.in_hunk and text[:1] in _BODY and text[:4] != b"--- ":
            index += 1
            continue
        index = reader.read(index, text)
    reader.close(count)
    return reader.patch


class _Reader:
    def __init__(self, texts: Sequence[bytes]) -> None:
        self.texts = texts
        self.patch = Patch()
        self.in_hunk = False
        self._named = True  # whether the file that is open has its `---` line

    def read(self, index: int, text: bytes) -> int:
        """Takes in a line that may begin something; gives the next line to be read."""
        if text[:2] == b"@@":
            self.close(index)
            self.in_hunk = True
            self.patch.hunks.append(Hunk(index, index, len(self.patch.files) - 1))
        elif text[:4] == b"--- ":
            return self._names(index)
        elif text[:1] in b"dI" and text.startswith(_FILE):
            self.close(index)
            self._open(index, _path_in(text))
            self._named = False
        elif _COMMIT.match(text) or (not self.in_hunk and _SHORT_COMMIT.match(text)):
            self.close(index)
            self.patch.commits.append(Commit(index, self._subject(index)))
        elif not self.in_hunk and _STAT.match(text, 0, 300):
            self.patch.stats.append(index)
        elif self.in_hunk and text:
            self.close(index)
        return index + 1

    def close(self, index: int) -> None:
        """The hunk that is open ends before this line."""
        if self.in_hunk:
            hunk = self.patch.hunks[-1]
            self.patch.hunks[-1] = hunk._replace(stop=index)
            self.in_hunk = False

    def _names(self, index: int) -> int:
        """A line that begins with three dashes: the old name of a file, where its new name comes next."""
        texts = self.texts
        after = texts[index + 1] if index + 1 < len(texts) else b""
        if after[:4] != b"+++ " or (self.in_hunk and not self._hunk_at(index + 2)):
            return index + 1
        old, new = _path_in(texts[index]), _path_in(after)
        self.close(index)
        if self._named:
            self._open(index, b"")
        gone = new == b"/dev/null"
        files = self.patch.files
        files[-1] = files[-1]._replace(name=index if gone else index + 1, path=old if gone else new)
        self._named = True
        return index + 2

    def _hunk_at(self, index: int) -> bool:
        return index < len(self.texts) and self.texts[index][:2] == b"@@"

    def _open(self, index: int, path: bytes) -> None:
        self.patch.files.append(File(index, index, path, len(self.patch.commits) - 1))

    def _subject(self, index: int) -> int:
        """In what follows the line of a commit: the first line that is indented, or says that it is the subject."""
        for place in range(index + 1, min(index + 12, len(self.texts))):
            text = self.texts[place]
            if text.startswith((b"    ", b"Subject: ", b"|     ")) and text.strip(b"| "):
                return place
            if text.startswith(_FILE):
                break
        return index


def _path_in(line: bytes) -> bytes:
    """The path in a line that names a file: the last one where there are two."""
    name = line.split(b"\t", 1)[0].rstrip()
    _, found, path = name.rpartition(b" b/")
    if not found:
        path = name.rpartition(b" ")[2] if not name.startswith((b"--- ", b"+++ ")) else name[4:]
    path = path.strip(b'"')
    return path[2:] if path.startswith(_PREFIXES) else path
