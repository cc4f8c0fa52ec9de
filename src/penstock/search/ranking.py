"""Which candidates answer a query best. What BM25 found is the ground; what is known of code goes on top of it.

1. A file is a topic. The more of its chunks match, the better each of them is.
2. A file that is called after what is asked for is the place to look, and the more so, the more of its name is in the
   query: `router.go` answers "router", `router_group_options.go` less. Where its text says little of what is asked
   for, its name counts less, too.
3. A chunk that defines a name that is asked for goes before those that use it.
4. Tests, examples, prose and data follow the code that they are about; tests do not where tests are asked for.
5. Different files first: each further chunk of one file counts a third of the one before.
6. What a vector finds adds to the ground by its place, not by its distance, which differs from model to model: the
   reciprocal of the place, as in reciprocal rank fusion. Ranks alone would lose how much better BM25's best is.

The weights were found on labelled queries over public repositories (bench/search.py), then on what was committed in
others (bench/commits.py): on half of the repositories, and what gained nothing on the other half was left out. Each can
be halved or doubled at a loss of at most .02.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from penstock.search.contract import Candidate
from penstock.search.paths import PathNames, names_of
from penstock.search.query import Query, Weights, other_ways
from penstock.search.words import parts_of, stem

BEST_SYMBOL: Final = 0.5  # the defined name that has most of the query's words, and least besides
NAME_IN_SENTENCE: Final = 0.5
NAME_ALONE: Final = 3.0
REST_OF_FILE: Final = 0.5
FILE_NAME: Final = 5.0  # words in the file's name, by weight
FILE_NAME_EVENLY: Final = 2.0  # the same, all words alike
FILE_NAME_ALONE: Final = 0.5  # so much of both counts where the text says nothing
FOLDERS: Final = 1.2
NEAR: Final = 0.3  # the chunk whose vector is the nearest

_OTHER_CHUNKS: Final = 8
_FADING: Final = 0.7  # each further chunk of a file adds so much of what the one before added
_NEXT_OF_FILE: Final = 0.3
_OF_TESTS: Final = frozenset(map(stem, ("test", "spec", "fixture")))
_ABBREVIATED: Final = 0.9
_BEGINS_ALIKE: Final = 0.9
_ANY_CASE: Final = 0.6
_HALFWAY: Final = 2.0  # the score that is told as a similarity of a half
_PLACES: Final = 60  # so many places further the reciprocal is about a half


class Ranked(NamedTuple):
    similarity: float  # from 0 to 1
    candidate: Candidate


def ranked(query: Query, weights: Weights, found: Sequence[Candidate], near: Sequence[Candidate] = ()) -> list[Ranked]:
    """All candidates, the best first. `near` are those that vectors found, the nearest first."""
    known = {candidate.id for candidate in found}
    candidates = [*found, *(candidate for candidate in near if candidate.id not in known)]
    if not candidates:
        return []
    judge = _Judge(query, weights)
    most = max(candidate.bm25 for candidate in candidates) or 1.0
    place = {candidate.id: at for at, candidate in enumerate(near)}
    own = [
        candidate.bm25 / most + _nearness(place.get(candidate.id)) + judge.symbols(candidate)
        for candidate in candidates
    ]
    of_file: dict[tuple[str, str], list[float]] = {}
    for candidate, score in zip(candidates, own, strict=True):
        of_file.setdefault(_file(candidate), []).append(score)
    files = {file: judge.file(file[1], scores) for file, scores in of_file.items()}
    scored = [
        ((score + judge.wanted(candidate) + files[_file(candidate)]) * judge.factor(candidate.path), candidate)
        for candidate, score in zip(candidates, own, strict=True)
    ]
    # Words that the code does not have say less against what was found by its meaning.
    sure = (1 + weights.known_share) / 2 if near else weights.known_share
    return [Ranked(round(sure * score / (score + _HALFWAY), 4), candidate) for score, candidate in _spread(scored)]


def _nearness(place: int | None) -> float:
    """Rule 6."""
    return 0.0 if place is None else NEAR * (_PLACES + 1) / (_PLACES + 1 + place)


def _spread(scored: Sequence[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """Rule 5."""
    seen: dict[tuple[str, str], float] = {}
    spread = []
    for score, candidate in sorted(scored, key=_order):
        share = seen.get(_file(candidate), 1.0)
        seen[_file(candidate)] = share * _NEXT_OF_FILE
        spread.append((score * share, candidate))
    return sorted(spread, key=_order)


def _order(scored: tuple[float, Candidate]) -> tuple[float, str, str, int]:
    """Equals in the order of their places, so that the same query gives the same answer."""
    score, candidate = scored
    return -score, candidate.repository, candidate.path, candidate.start_line


def _file(candidate: Candidate) -> tuple[str, str]:
    return candidate.repository, candidate.path


class _Judge:
    def __init__(self, query: Query, weights: Weights) -> None:
        self._query = query
        self._words = frozenset(query.words)
        self._terms = frozenset((*query.words, *query.terms))
        self._weights = weights.of_word
        self._total = sum(weights.of_word.values()) or 1.0
        self._asks_for_tests = not self._words.isdisjoint(_OF_TESTS)
        self._names = frozenset(query.names)
        self._names_in_any_case = frozenset(name.lower() for name in query.names)

    def symbols(self, candidate: Candidate) -> float:
        """Rule 3, as far as words go."""
        best = 0.0
        for name in candidate.symbols:
            stems = stems_of(name)
            shared = stems & self._words
            if shared:
                best = max(best, self._share(shared) * (len(shared) / len(stems)) ** 2)
        score = BEST_SYMBOL * best
        return score if self._query.is_name else score + NAME_IN_SENTENCE * self._defines(candidate)

    def wanted(self, candidate: Candidate) -> float:
        """Rule 3, for a query that is a name."""
        return NAME_ALONE * self._defines(candidate) if self._query.is_name else 0.0

    def file(self, path: str, scores: list[float]) -> float:
        """Rules 1 and 2."""
        scores.sort(reverse=True)
        others = sum(score * _FADING**place for place, score in enumerate(scores[1 : _OTHER_CHUNKS + 1]))
        names = names_of(path)
        folders = self._share(self._words & names.folders)
        borne_out = FILE_NAME_ALONE + (1 - FILE_NAME_ALONE) * min(1.0, scores[0])
        return REST_OF_FILE * others + self._file_name(names) * borne_out + FOLDERS * folders

    def factor(self, path: str) -> float:
        """Rule 4."""
        names = names_of(path)
        return names.factor_for_tests if self._asks_for_tests else names.factor

    def _file_name(self, names: PathNames) -> float:
        met = {word: 1.0 if word == names.whole else _nearest(word, names.name) for word in self._words}
        if not any(met.values()):
            return 0.0
        by_weight = sum(self._weights[word] * near for word, near in met.items()) / self._total
        evenly = sum(met.values()) / len(met)
        covered = 1.0
        if names.whole not in self._terms:
            covered = sum(_nearest(part, self._terms) for part in names.name) / len(names.name)
        return (FILE_NAME * by_weight + FILE_NAME_EVENLY * evenly) * covered**2

    def _defines(self, candidate: Candidate) -> float:
        if not self._names:
            return 0.0
        if not self._names.isdisjoint(candidate.symbols):
            return 1.0
        any_case = not self._names_in_any_case.isdisjoint(name.lower() for name in candidate.symbols)
        return _ANY_CASE if any_case else 0.0

    def _share(self, words: frozenset[str]) -> float:
        return sum(self._weights[word] for word in words) / self._total


def _nearest(word: str, others: frozenset[str] | tuple[str, ...]) -> float:
    if word in others:
        return 1.0
    if not other_ways(word).isdisjoint(others):
        return _ABBREVIATED
    # `fields` and `fieldset`: with fewer than three letters it is chance
    if len(word) >= 3 and any(len(o) >= 3 and (o.startswith(word) or word.startswith(o)) for o in others):
        return _BEGINS_ALIKE
    return 0.0


@lru_cache(maxsize=65_536)
def stems_of(name: str) -> frozenset[str]:
    return frozenset(map(stem, parts_of(name)))
