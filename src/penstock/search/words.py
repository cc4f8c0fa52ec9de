"""Text as the terms that are indexed and searched for: identifiers in their parts, words without their endings.

1. `HTTPServerError` and `http_server_error` give the same terms: http, server, error, and the whole as one word, so
   that who types a name finds the name.
2. Endings are cut as far as code needs it: route, router, routes, routing and routed are one term. It is no grammar,
   only the same for text and query.
3. Chinese, Japanese and Korean have no spaces: pairs of neighbouring characters are their terms.
4. A change here changes what an index holds: raise VERSION, and indexes are built anew.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

# The tables of Unicode decide what a word is, so they belong to the version.
VERSION: Final = f"1/{unicodedata.unidata_version}"

# Longer ones are data: keys, digests, base64.
LONGEST: Final = 64

_WORD: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_WIDE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_DIGITS: Final = "0123456789"

# What is cut, from the longest on; then what is put in its place, and how much has to remain.
_ENDINGS: Final = (
    ("izations", "iz", 3),
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ations", "", 4),
    ("ation", "", 4),
    ("ators", "", 4),
    ("ator", "", 4),
    ("ating", "", 4),
    ("ated", "", 4),
    ("ates", "", 4),
    ("ate", "", 4),
    ("ions", "", 4),
    ("ion", "", 4),
    ("ings", "", 3),
    ("ing", "", 3),
    ("ers", "", 4),
    ("er", "", 4),
    ("ors", "", 4),
    ("or", "", 4),
    ("ies", "y", 2),
    ("ied", "y", 2),
    ("ed", "", 3),
    ("es", "", 3),
    ("ly", "", 4),
)
_VOWELS: Final = frozenset("aeiouy")


def terms(text: str) -> list[str]:
    """All terms of a text, in order."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found += terms_of(word)
    return found


@lru_cache(maxsize=65_536)
def terms_of(word: str) -> tuple[str, ...]:
    """The terms of one word or identifier; the whole comes last where there are several parts."""
    if len(word) > LONGEST:
        return ()
    if not word.isascii():
        return tuple(_of_any_script(word))
    parts = _PART.findall(word)
    found = [stem(part.lower()) for part in parts]
    # utf8 is asked for as utf, too
    found += [stem(bare) for part in parts if (bare := part.rstrip(_DIGITS).lower()) != part.lower() and len(bare) > 1]
    if len(parts) > 1:
        found.append(stem("".join(parts).lower()))
    return tuple(found)


def words(text: str) -> list[str]:
    """The words as they stand, for what wants names and not terms."""
    return _WORD.findall(text)


def parts_of(word: str) -> list[str]:
    """The parts of an identifier, in lower case and with their endings; of Chinese, rule 3."""
    return [part.lower() for part in _PART.findall(word)] if word.isascii() else list(_of_any_script(word))


def is_wide(text: str) -> bool:
    """Whether it is in a script without spaces, where one word may be a whole sentence."""
    return _WIDE.search(text) is not None


def _of_any_script(word: str) -> Iterator[str]:
    place = 0
    for run in _WIDE.finditer(word):
        yield from (part for part in word[place : run.start()].lower().split("_") if part)
        wide = run.group()
        yield from (wide[i : i + 2] for i in range(max(1, len(wide) - 1)))
        place = run.end()
    yield from (part for part in word[place:].lower().split("_") if part)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without its ending; the word has to be in lower case. Other languages than English have other endings."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _without_plural(word)
    for ending, instead, least in _ENDINGS:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if len(rest) >= least and not _VOWELS.isdisjoint(rest):
                return _simple(rest + instead)
    return _simple(word)


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "ias")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ses", "xes", "zes", "ches", "shes")) else word[:-1]


def _simple(word: str) -> str:
    """Without the e that comes and goes (route, routing) and the doubled consonant (formatting)."""
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in _VOWELS and word[-1] not in "ls":
        word = word[:-1]
    if len(word) > 2 and word[-1] == "i":
        word = word[:-1] + "y"
    return word
