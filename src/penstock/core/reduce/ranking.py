"""In which order records are shown: what speaks of the question, what tells of errors, what is rare, what is extreme.

Each sort may fill the room up to a share of it, so that something is left for the sorts behind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from penstock.core.reduce.contract import Effort
from penstock.core.reduce.oddities import ERROR
from penstock.core.reduce.question import Question

# How full the room may be once each sort is shown.
HITS_SHARE: Final = 0.75
MANY_HITS_SHARE: Final = 0.6
ERRORS_SHARE: Final = 0.85
RARE_SHARE: Final = 0.35
EXTREMES_SHARE: Final = 0.15

# What has less than this part of the best score is no answer; what has this much is as good as the best.
WEAK: Final = 0.55
EQUAL: Final = 0.9

# More answers that are as good as the best than this show that the question is a loose one.
PRECISE: Final = 3

# So many answers that are as good as the best share the room for answers.
EQUALS: Final = 12

# From this worth on a record is rare, or far out; under it is only the largest or the smallest.
RARE: Final = 2.5


class Sort(NamedTuple):
    """Records of one sort, the best first."""

    indices: list[int]
    share: float  # how full the room may be with them
    answers: bool = False


class Worth(NamedTuple):
    sorts: list[Sort]
    best: frozenset[int]  # the answers that are as good as the best
    share: float  # how full the room may be with answers

    @property
    def each(self) -> float:
        """How much of the room one answer may take."""
        return self.share / max(1, len(self.best))


def worth_of(data: bytes, starts: Sequence[int], question: Question, odd: Mapping[int, float], effort: Effort) -> Worth:
    """Each record is `data` from its start up to the next one's; `odd` says how odd some of them are."""
    scores = _scores(data, starts, question, effort) if question else {}
    best = max(scores.values(), default=0.0)
    ranked = sorted(scores, key=lambda index: (-scores[index], index))
    answers = [index for index in ranked if scores[index] >= WEAK * best]
    weak = ranked[len(answers) :]
    oddest = sorted(odd, key=lambda index: (-odd[index], index))
    errors = [index for index in oddest if odd[index] >= ERROR]
    rare = [index for index in oddest if RARE <= odd[index] < ERROR]
    extreme = [index for index in oddest if odd[index] < RARE]
    equal = [index for index in answers if scores[index] >= EQUAL * best]
    share = HITS_SHARE if len(equal) <= PRECISE else MANY_HITS_SHARE
    sorts = [
        Sort(answers, share, answers=True),
        Sort(errors, ERRORS_SHARE),
        Sort(rare, ERRORS_SHARE if answers else RARE_SHARE),
        Sort(weak, ERRORS_SHARE),
        Sort(extreme, EXTREMES_SHARE),
    ]
    return Worth([sort for sort in sorts if sort.indices], frozenset(equal[:EQUALS]), share)


def _scores(data: bytes, starts: Sequence[int], question: Question, effort: Effort) -> dict[int, float]:
    """How well each speaks of the question; what is long has many words, and has to have more of the asked ones."""
    scores = question.scores_in(data.lower(), starts, effort)
    usual = max(1.0, (len(data) - starts[0]) / len(starts)) if starts else 1.0
    stops = [*starts[1:], len(data)]
    return {
        index: score / (0.8 + 0.2 * math.sqrt((stops[index] - starts[index]) / usual))
        for index, score in scores.items()
    }
