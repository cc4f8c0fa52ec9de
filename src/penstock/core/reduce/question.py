"""What was asked, as words that can be looked for: which units of content speak of it?

Lexical, like BM25: a word that few units have says more than one that many have. Identifiers count whole and, for less,
in their parts; words lose their endings, and are found inside of others, so "parsing" finds `parse_args`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Effort

# What of a question is read, and how many words of it are looked for.
READ: Final = 4_000
TERMS: Final = 32

_WORD: Final = re_pattern(r"[^\W_](?:[\w.\-/:@#$+]*\w)?")
_PART: Final = re_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_CJK: Final = re_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_ENDING: Final = re_pattern(r"(?:ies|ings?|edly|ed|es|ers?|ions?|ly|s)$")

_STOP_WORDS: Final = (
    "a about after all also an and any are as at be because been before but by can cause caused causes could did do"
    " does done each for from get give given gives had has have here how if in into is it its just later least let list"
    " made make many may me more most my no not of on only or other our out please report reported reports see should"
    " show so some such tell than that the their them then there these they thing things this those to under until up"
    " us use used uses using want was we were what when where which while who whom whose why will with would you your"
    " defined details file files line lines main text find found happened row rows"
    " change changed changes fix fixed fixes fixing"
)
_STOP: Final = frozenset(_STOP_WORDS.split())


class Term(NamedTuple):
    text: bytes  # lower case
    weight: float


class Question:
    """A query. It is falsy when there is nothing in it to look for."""

    def __init__(self, query: str) -> None:
        self.text = query[:READ]

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        weights: dict[str, float] = {}
        for match in _WORD.finditer(self.text):
            for word, weight in _words_of(match[0]):
                weights[word] = max(weight, weights.get(word, 0.0))
        terms = [Term(word.encode("utf-8", "surrogatepass"), weight) for word, weight in weights.items()]
        return tuple(terms[:TERMS])

    def __bool__(self) -> bool:
        return bool(self.terms)

    def scores(self, units: Sequence[bytes], effort: Effort) -> dict[int, float]:
        """How well units speak of the question, by index; those that do not are left out.

        `units` are in lower case. What half of them have says nothing.
        """
        found: dict[int, float] = {}
        for text, weight in self.terms:
            effort.spend(len(units) // 8)
            having = [index for index, unit in enumerate(units) if text in unit]
            _add(found, having, weight, len(units))
        return found

    def scores_in(self, data: bytes, starts: Sequence[int], effort: Effort) -> dict[int, float]:
        """The same of units that touch: each is `data` from its start up to the next one's.

        Faster than `scores` where there are many units, because most words are in few of them.
        """
        found: dict[int, float] = {}
        stops = [*starts[1:], len(data)]
        for text, weight in self.terms:
            effort.spend(1 + len(starts) // 32)
            having: list[int] = []
            place = data.find(text, starts[0] if starts else len(data))
            while place >= 0 and 2 * len(having) <= max(2, len(starts)):
                unit = bisect_right(starts, place) - 1
                if place + len(text) <= stops[unit]:
                    having.append(unit)
                    place = stops[unit] - 1
                place = data.find(text, place + 1)
            effort.spend(len(having) // 2)
            _add(found, having, weight, len(starts))
        return found


def _add(found: dict[int, float], having: Sequence[int], weight: float, units: int) -> None:
    """Add what a word says of the units that have it: nothing where half of them do."""
    worth = weight * math.log((units + 1) / (len(having) + 0.5))
    if worth > 0 and 2 * len(having) <= max(2, units):
        for index in having:
            found[index] = found.get(index, 0.0) + worth


def _words_of(word: str) -> list[tuple[str, float]]:
    """What is looked for of one word as it was written, with what each is worth."""
    lower = word.lower()
    if lower in _STOP or len(word) < 2:
        return []
    parts = [part.lower() for part in _PART.findall(word)]
    words: list[tuple[str, float]] = []
    plain = len(parts) == 1 and word.isalpha()
    if plain:
        words.append((_stem(lower), 1.0))
    else:
        words.append((lower, 2.0))
        pieces = [part for part in parts if part not in _STOP and len(part) > 1]
        words += [(_stem(part), 1.0 if len(part) > 3 else 0.3) for part in pieces if part != lower]
    for run in _CJK.findall(word):
        # No spaces between words: pairs of characters stand for them.
        words += [(run[i : i + 2], 1.0) for i in range(len(run) - 1)]
    return words


def _stem(word: str) -> str:
    """The word without its ending, as long as enough of it is left to tell something."""
    stem = _ENDING.sub("", word) if word.isascii() else word
    return stem if len(stem) >= 4 else word
