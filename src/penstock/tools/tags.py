"""What the map keeps of a file: its definitions, with the lines of their signatures, and the names it uses.

1. Names are kept as digests of 8 bytes: the map asks only whether a name that is used is one that is defined.
2. A name counts in its family of languages: what Python calls `append` no Rust file defines.
3. Comments and texts in quotes use no names. What a file defines itself it uses of no other.
4. A plain word such as `value` is mostly a variable: it counts as a name where it is called. Called behind a dot it is
   a method, and a function otherwise: `list(x)` calls no method `list` of anybody.
"""

from __future__ import annotations

import hashlib
import math
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
_OFTEN: Final = 255

_WORD: Final = re.compile(r"[^\W\d]\w*")
_CALLED: Final = re.compile(r"(?:\.|->)?[^\W\d]\w*(?=\()")
_IMPORTED: Final = re.compile(r"=\s*(?:await )?(?:require|import)\b")
_TESTS: Final = ("test", "tests")
_CALL: Final = 9  # as many plain uses say as much as a call
METHOD: Final = "."  # before the name of one that is a plain word
_FAMILIES: Final = (
    ("javascript", "typescript", "tsx", "vue", "svelte"),
    ("c", "cpp", "objc"),
    ("java", "kotlin", "scala", "groovy"),
    ("css", "scss"),
    ("clojure", "scheme", "racket"),
)
_CALLS_WITHOUT_PARENTHESES: Final = (
    "bash batch clojure cmake elixir fish haskell just lisp make nix ocaml perl powershell racket ruby scala scheme "
    "sql tcl vim wat"
)
_WITHOUT_PARENTHESES: Final = frozenset(_CALLS_WITHOUT_PARENTHESES.split())
_FAMILY: Final = {language: family[0] for family in _FAMILIES for language in family}


class Tag(msgspec.Struct, frozen=True, array_like=True):
    name: str
    key: int
    line: int  # of the name, from 1 on
    signature: tuple[str, ...]  # the lines of it, from `line` on
    parent: int  # the definition of the file that it is inside of; -1 for none
    strong: bool  # a type or a function; not a value
    local: bool  # inside of a function, or what others define under another name


class FileTags(msgspec.Struct, frozen=True, array_like=True):
    definitions: tuple[Tag, ...] = ()
    keys: bytes = b""  # of the names that are used, 8 bytes each
    counts: bytes = b""  # how often each is, up to 255
    lack: str = ""  # why there is nothing, or not all: what it was left out for, which language has no grammar

    def uses(self) -> Iterator[tuple[int, int]]:
        keys = array("Q")
        keys.frombytes(self.keys)
        return zip(keys, self.counts, strict=True)


@lru_cache(maxsize=262_144)
def key_of(name: str, family: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{family}:{name}".encode(), digest_size=8).digest(), "little")


def tags_of(source: Source, until: float = math.inf) -> FileTags:
    """The tags of a text; TimeoutError when they are not known at the time `until` of the monotonic clock."""
    language = source.language.name
    data = source.text.encode("utf-8", "replace")
    found = outline(language, data, until)
    if found is None:
        return FileTags(lack=f"no grammar for {language}")
    family = _FAMILY.get(language, language)
    calls_only = language not in _WITHOUT_PARENTHESES
    definitions = _tags(found, source.text.split("\n"), language, calls_only=calls_only)
    own = {tag.name for tag in definitions}
    uses = _uses(_said(data, found), calls_only=calls_only)
    often = sorted(uses.items(), key=lambda use: (-use[1], use[0]))[:MOST_NAMES]
    told = sorted(
        (key_of(name, family), min(_OFTEN, count)) for name, count in often if name.removeprefix(METHOD) not in own
    )
    keys = array("Q", [key for key, _ in told])
    lack = f"more than {MOST_DEFINITIONS:,} definitions" if len(found.definitions) > MOST_DEFINITIONS else ""
    return FileTags(definitions, keys.tobytes(), bytes(count for _, count in told), lack)


def _tags(found: Outline, lines: Sequence[str], language: str, *, calls_only: bool) -> tuple[Tag, ...]:
    family = _FAMILY.get(language, language)
    tags: list[Tag] = []
    tests: set[int] = set()  # modules of tests beside the code, as Rust has them, and what is in them
    for outlined in found.definitions[:MOST_DEFINITIONS]:
        name = outlined.found.name
        is_method = calls_only and _is_plain(name) and outlined.parent >= 0 and outlined.found.strong
        signature = tuple(_brief(line) for line in lines[outlined.found.row : outlined.stop])
        is_import = not outlined.found.strong and _IMPORTED.search(signature[0]) is not None
        if outlined.parent in tests or (name in _TESTS and language == "rust"):
            tests.add(len(tags))
        tags.append(
            Tag(
                name,
                key_of(METHOD + name if is_method else name, family),
                outlined.found.row + 1,
                signature,
                outlined.parent,
                outlined.found.strong,
                outlined.local or is_import or len(tags) in tests,
            )
        )
    return tuple(tags)


def _is_plain(name: str) -> bool:
    return name.islower() and "_" not in name


def _uses(said: str, *, calls_only: bool) -> Counter[str]:
    """The names of a text, with how much each use says: most, where it is called or a type."""
    words = Counter(_WORD.findall(said))
    if not calls_only:
        return _of_length(words)
    uses = Counter(
        {word: count * (_CALL if word[0].isupper() else 1) for word, count in words.items() if not _is_plain(word)}
    )
    for called in _CALLED.findall(said):
        name = called.lstrip(".->")
        if not _is_plain(name):
            uses[name] += _CALL - 1
        else:
            uses[name if name == called else METHOD + name] += _CALL
    return _of_length(uses)


def _of_length(uses: Counter[str]) -> Counter[str]:
    return Counter({word: count for word, count in uses.items() if 2 < len(word) <= _LONGEST_NAME})


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
