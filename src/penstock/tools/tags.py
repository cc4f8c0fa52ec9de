"""What the map keeps of a file: its definitions, with the lines of their signatures, and the names it uses.

1. Names are kept as digests of 8 bytes: the map asks only whether a name that is used is one that is defined.
2. A name counts in its family of languages: what Python calls `append` no Rust file defines.
3. Comments and texts in quotes use no names. What a file defines itself it uses of no other.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from penstock.search.grammars import Outline, outline
from penstock.search.walk import Source

VERSION: Final = 1  # another one makes caches anew

MOST_DEFINITIONS: Final = 2_000
MOST_NAMES: Final = 20_000
LONGEST_LINE: Final = 160
_LONGEST_NAME: Final = 100

_WORD: Final = re.compile(r"[^\W\d]\w*")
_FAMILIES: Final = (
    ("javascript", "typescript", "tsx", "vue", "svelte"),
    ("c", "cpp", "objc"),
    ("java", "kotlin", "scala", "groovy"),
    ("css", "scss"),
    ("clojure", "scheme", "racket"),
)
_FAMILY: Final = {language: family[0] for family in _FAMILIES for language in family}


class Tag(msgspec.Struct, frozen=True, array_like=True):
    name: str
    key: int
    line: int  # of the name, from 1 on
    signature: tuple[str, ...]  # the lines of it, from `line` on
    parent: int  # the definition of the file that it is inside of; -1 for none
    strong: bool  # a type or a function; not a value
    local: bool  # inside of a function


class FileTags(msgspec.Struct, frozen=True, array_like=True):
    definitions: tuple[Tag, ...] = ()
    keys: bytes = b""  # of the names that are used, 8 bytes each
    counts: bytes = b""  # how often each is, up to 255
    lack: str = ""  # why there is nothing: what the file was left out for, or the language that has no grammar

    def uses(self) -> Iterator[tuple[int, int]]:
        keys = array("Q")
        keys.frombytes(self.keys)
        return zip(keys, self.counts, strict=True)


@lru_cache(maxsize=262_144)
def key_of(name: str, family: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{family}:{name}".encode(), digest_size=8).digest(), "little")


def tags_of(source: Source, until: float) -> FileTags:
    """The tags of a text; TimeoutError when they are not known at the time `until` of the monotonic clock."""
    language = source.language.name
    data = source.text.encode("utf-8", "replace")
    found = outline(language, data, until)
    if found is None:
        return FileTags(lack=f"no grammar for {language}")
    family = _FAMILY.get(language, language)
    definitions = _tags(found, source.text.split("\n"), family)
    own = {tag.name for tag in definitions}
    uses = Counter(word for word in _WORD.findall(_said(data, found)) if 2 < len(word) <= _LONGEST_NAME)
    often = sorted(uses.items(), key=lambda use: (-use[1], use[0]))[:MOST_NAMES]
    told = sorted((key_of(name, family), min(255, count)) for name, count in often if name not in own)
    keys = array("Q", [key for key, _ in told])
    return FileTags(definitions, keys.tobytes(), bytes(count for _, count in told))


def _tags(found: Outline, lines: Sequence[str], family: str) -> tuple[Tag, ...]:
    return tuple(
        Tag(
            outlined.found.name,
            key_of(outlined.found.name, family),
            outlined.found.row + 1,
            tuple(_brief(line) for line in lines[outlined.found.row : outlined.stop]),
            outlined.parent,
            outlined.found.strong,
            outlined.local,
        )
        for outlined in found.definitions[:MOST_DEFINITIONS]
    )


def _brief(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}[... {len(line) - LONGEST_LINE} characters]"


def _said(data: bytes, found: Outline) -> str:
    """The text without what is silent."""
    parts = []
    place = 0
    for start, end in found.silent:
        if start > place:
            parts.append(data[place:start])
        place = max(place, end)
    parts.append(data[place:])
    return b" ".join(parts).decode("utf-8", "replace")
