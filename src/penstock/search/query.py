"""What a query asks for: its words without those that say nothing, the names in it, and other ways to write them.

1. One word is a name: who types `RouterGroup`, `router::Group` or `class RouterGroup` wants where it is defined. So are
   words in a sentence that are written like code: `how nvm_download wraps curl`.
2. In a sentence the words that every question has are left out.
3. Programmers shorten some words always in the same way. A query for `request` finds `req`, and the other way about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from penstock.search.words import is_wide, parts_of, stem, terms_of, words

LONGEST: Final = 2_000  # characters of a query that are looked at
_MOST_WORDS: Final = 40

_IN_EVERY_QUESTION: Final = (
    "a an and any are as at be been being by can could did do does for from had has have how i if in into is it its "
    "let me not of on or our should so than that the their them then there these they this those to use used using via "
    "was we were what when where which while who why will with would you your"
)
_OF_ANY_CODE: Final = (
    "based class code definition definitions feature fix fixed fixes fixing function functions handle handles "
    "handling implement implementation implementations implemented implements internal internals logic method methods "
    "support supported supports work working works"
)
_EMPTY: Final = frozenset(f"{_IN_EVERY_QUESTION} {_OF_ANY_CODE}".split())

_SHORT: Final = (
    "websocket ws, request req, response resp res, configuration config cfg conf, database db, message msg, "
    "authentication auth, authorization auth authz, directory dir, parameter param, argument arg, document doc, "
    "environment env, context ctx, connection conn, string str, number num, function func fn, utility util utils, "
    "error err, exception exc, asynchronous async, synchronous sync, certificate cert, library lib, source src, "
    "destination dst dest, buffer buf, length len, pointer ptr, command cmd, execute exec, identifier id, "
    "address addr, filesystem fs, password passwd pwd, initialize init, initialization init, allocate alloc, "
    "regular regex, regex regexp, temporary tmp temp, previous prev, character char, integer int, boolean bool, "
    "attribute attr, property prop, reference ref, repository repo, administrator admin, application app, "
    "specification spec, statistics stats, object obj, value val, variable var, index idx, image img, button btn, "
    "window win, package pkg, version ver, javascript js, typescript ts, python py, kubernetes k8s, "
    "internationalization i18n, localization l10n, operation op, expression expr, statement stmt, declaration decl, "
    "iterator iter, memory mem, descriptor desc fd, transaction tx txn, receive recv rx, transmit tx, hardware hw, "
    "authorize auth, authenticate auth, markdown md, separator sep, delimiter delim, maximum max, minimum min"
)

# A word that no chunk has weighs half of what the rarest weighs: to find nothing of it should tell, but not decide.
_UNKNOWN: Final = 0.5
_RAREST: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    words: tuple[str, ...]  # the stems that a name or a path is compared with
    terms: tuple[str, ...]  # what the engine looks for: the stems, whole identifiers, and other ways to write them
    names: tuple[str, ...]  # definitions of these are wanted
    is_name: bool  # the query is one name and nothing else


def analysed(text: str) -> Query:
    text = text[:LONGEST].strip()
    found = words(text)[:_MOST_WORDS]
    is_one_word = len(text.split()) == 1
    telling = [word for word in found if is_one_word or word.lower() not in _EMPTY] or found
    stems = list(dict.fromkeys(stem(part) for word in telling for part in parts_of(word)))
    terms = list(dict.fromkeys(term for word in telling for term in terms_of(word)))
    others = sorted({other for term in terms for other in other_ways(term)} - set(terms))
    names = [text, *found] if is_one_word else [word for word in telling if _is_written_like_code(word)]
    is_name = (is_one_word and not is_wide(text)) or telling == names
    return Query(text, tuple(stems), tuple(terms + others), tuple(dict.fromkeys(names)), is_name)


class Weights(NamedTuple):
    of_word: dict[str, float]  # how much each word of a query tells, by how few chunks have it
    known_share: float  # of all that is asked for, how much there is at all


def weights(query: Query, rarity: Mapping[str, float]) -> Weights:
    """`rarity` is the share of all chunks that have a term."""
    of_word = {word: _weight(rarity.get(word, 0.0)) for word in query.words}
    known = sum(of_word[word] for word in query.words if any(rarity.get(way) for way in (word, *other_ways(word))))
    return Weights(of_word, known / (sum(of_word.values()) or 1.0))


@lru_cache(maxsize=1)
def _others() -> dict[str, frozenset[str]]:
    others: dict[str, set[str]] = {}
    for entry in _SHORT.split(", "):
        word, *forms = map(stem, entry.split())
        for form in forms:
            others.setdefault(word, set()).add(form)
            others.setdefault(form, set()).add(word)
    return {word: frozenset(forms) for word, forms in others.items()}


def other_ways(word: str) -> frozenset[str]:
    """The abbreviations of a stem, or what it is one of."""
    return _others().get(word, frozenset())


def _weight(share: float) -> float:
    if share <= 0:
        return _UNKNOWN * math.log1p(1 / _RAREST)
    return math.log1p(1 / max(share, _RAREST))


def _is_written_like_code(word: str) -> bool:
    return "_" in word.strip("_") or len(parts_of(word)) > 1
