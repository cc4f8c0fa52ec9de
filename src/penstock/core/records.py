"""Packing of scored records, such as search results: whole records, best first, as many as fit.

Rules:
1. The whole response is JSON, and its text is within the limits. They are used up to a margin (80 %), because whoever
   sends the text may wrap it, and because tokens may be an estimate.
2. A record is shown whole or not at all; none is shown before a better one. Equal scores keep their order.
3. The first record of a page is the exception where it alone is too large: its long fields are shown by their ends, and
   a warning says so. Where even that is too large the record is passed over, and a warning says so.
4. Where the limits are too small for all that is told beside the records, it gives way in steps, as a notice does.
5. Sizes are exact: they are those of the text, including the numbers that tell them. Tokens are what the counter says.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, overload

from penstock.core.fields import elastic
from penstock.core.jsontext import to_json
from penstock.core.limits import Limits
from penstock.core.measure import utf8_length
from penstock.core.notice import RESULT_IN_PART, RESULT_LEFT_OUT, Step
from penstock.core.packed import Note, Packed, Reason, TruncationInfo, notes_of, share_of
from penstock.core.paging import Ranked, shown_before, token_after
from penstock.core.policy import Language
from penstock.core.sampling import SampledEstimate
from penstock.core.tokens import MOST_BYTES_PER_TOKEN, TokenCounter
from penstock.errors import CallerError, LimitError

__all__ = [
    "MARGIN",
    "RECORD_LIMITS",
    "Note",
    "Packed",
    "Reason",
    "SampledEstimate",
    "Scored",
    "TruncationInfo",
    "by_field",
    "pack",
]

RECORD_LIMITS: Final = Limits(chars=100_000, tokens=25_000)
MARGIN: Final = 0.8

# From this share of the tokens on they are counted again in the finished text.
NEARLY: Final = 0.8

GUESSES: Final = 4
MOST_BYTES_PER_CHAR: Final = 4

OWN_FIELDS: Final = frozenset(
    {
        *("results", "total_count", "skipped_count", "returned_count", "truncated", "truncation_info"),
        *("continuation", "warnings"),
    }
)


class Scored(NamedTuple):
    score: float
    record: Any  # a mapping, as a rule; anything that has a JSON form


def by_field(records: Iterable[Mapping[str, Any]], name: str = "similarity_score") -> list[Scored]:
    """Records that hold their own score."""
    scored = []
    for place, record in enumerate(records):
        score = record.get(name)
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise CallerError(f"record {place} has no number as its {name!r}: {score!r:.80}")
        scored.append(Scored(score, record))
    return scored


def pack(
    scored: Iterable[Scored],
    *,
    limits: Limits = RECORD_LIMITS,
    margin: float = MARGIN,
    query: str = "",
    continuation: str | None = None,
    extra: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
    counter: TokenCounter | None = None,
    language: Language = "en",
) -> Packed:
    """The best of these results that fit, as one response.

    `continuation` is what an earlier page gave; give the same `query` and the same results with it. `query` is whatever
    decides which results there are: filters belong to it. `extra` are further fields of the response, `warnings` what
    whoever reads it should know of how it came about. Without a `counter`, tokens are an estimate from a sample.
    """
    if not 0 < margin <= 1:
        raise LimitError("margin", margin, "a number over 0 and at most 1")
    ranking = _Ranking(scored)
    before = shown_before(continuation, query, ranking) if continuation is not None else set()
    job = _Job(
        ranking=ranking,
        before=before,
        left=[place for place in range(len(ranking)) if place not in before],
        limits=limits.part(margin),
        # An exact count takes its time, and only a limit needs it.
        counter=SampledEstimate() if counter is None or limits.tokens is None else counter,
        query=query,
        extra=_checked(extra or {}),
        warnings=tuple(warnings),
        language=language,
    )
    empty: Packed | None = None
    for step in (Step.FULL, Step.SHORT, Step.BARE):
        page = job.whole(step) or job.in_part(step)
        if page is not None:
            return page
        empty = empty or job.left_out(step)
    return empty or job.nothing()


class _Ranking(Sequence[Ranked]):
    """The results, best first. They become JSON when they are asked for: of thousands, a page needs a few."""

    def __init__(self, scored: Iterable[Scored]) -> None:
        # Not a number is no merit.
        given = [(score if score == score else -math.inf, record) for score, record in scored]
        self.records = sorted(given, key=lambda pair: -pair[0])  # sorting is stable: equals keep their order
        self._made: list[Ranked | None] = [None] * len(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, place: int) -> Ranked: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ranked]: ...
    def __getitem__(self, place: int | slice) -> Ranked | list[Ranked]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        made = self._made[place]
        if made is None:
            score, record = self.records[place]
            made = self._made[place] = Ranked(score, to_json(record))
        return made


class _Try(NamedTuple):
    """A response, and how full it is: over 1 means too large, then by `over`."""

    text: str
    beside: dict[str, Any]
    info: TruncationInfo
    filled: float
    over: Reason = "character_limit"
    continuation: str | None = None

    @property
    def fits(self) -> bool:
        return self.filled <= 1


@dataclass(frozen=True, slots=True)
class _Job:
    """All that decides a page."""

    ranking: _Ranking
    before: set[int]
    left: list[int]  # places in the ranking, best first
    limits: Limits
    counter: TokenCounter
    query: str
    extra: Mapping[str, Any]
    warnings: tuple[str, ...]
    language: Language

    # -- what a page can be --------------------------------------------------------------------------------------------

    def whole(self, step: Step) -> Packed | None:
        """As many whole results as fit; None where there are some and not even the first does."""
        texts, ends = self._candidates()
        tries: dict[int, _Try] = {}
        over: Reason = "character_limit"  # which limit the last one that did not fit is over

        def attempt(count: int) -> _Try:
            return self._try(step, texts[:count], count, over if count < len(self.left) else None)

        def filled(count: int) -> float:
            nonlocal over
            made = tries[count] = attempt(count)
            if not made.fits:
                over = made.over
            return made.filled

        count = _most(filled, ends)
        if count == 0 and self.left:
            return None
        # The one after the most that fit was the last that did not, so only now its reason is sure to be the right one.
        made = tries[count] if count in tries and tries[count].info.reason in (None, over) else attempt(count)
        while not self._surely_fits(made):
            count -= 1
            if count < 1:
                return None
            made = attempt(count)
        return self._page(made, [self.ranking.records[place][1] for place in self.left[:count]])

    def in_part(self, step: Step) -> Packed | None:
        """The first result, with its long fields cut as little as the limits allow."""
        if not self.left:
            return None
        first = self.left[0]
        record = elastic(self.ranking.records[first][1], self.language)
        warning = RESULT_IN_PART[self.language].format(rank=first + 1)

        def attempt(most: int) -> tuple[Any, _Try]:
            shown = record.at(most)
            return shown, self._try(step, [to_json(shown)], 1, "single_result_too_large", warning)

        best = attempt(0)
        if record.longest == 0 or not self._surely_fits(best[1]):
            return None
        low, high = 0, min(record.longest, _most_bytes(self.limits) + 1)
        while high - low > 1:
            middle = (low + high) // 2
            made = attempt(middle)
            if self._surely_fits(made[1]):
                best, low = made, middle
            else:
                high = middle
        return self._page(best[1], [best[0]], warning)

    def left_out(self, step: Step) -> Packed | None:
        """No result: the first is too large however it is cut, and the next page goes on behind it."""
        if not self.left:
            return None
        warning = RESULT_LEFT_OUT[self.language].format(rank=self.left[0] + 1)
        made = self._try(step, [], 1, "single_result_too_large", warning)
        return self._page(made, [], warning) if self._surely_fits(made) else None

    def nothing(self) -> Packed:
        """The limits leave no room for a response."""
        return self._page(_Try("", {}, self._info("character_limit" if self.left else None, 0, 0, 0), 0), [])

    # -- inside --------------------------------------------------------------------------------------------------------

    def _candidates(self) -> tuple[list[str], list[int]]:
        """The results that could fit by their characters alone, and how long they are together up to each."""
        texts: list[str] = []
        ends: list[int] = []
        end = 0
        for place in self.left:
            text = self.ranking[place].text
            end += len(text) + 1
            if end > _most_chars(self.limits):
                break
            texts.append(text)
            ends.append(end)
        return texts, ends

    def _try(self, step: Step, texts: Sequence[str], settled: int, reason: Reason | None, warning: str = "") -> _Try:
        """The response of these results; `settled` of those left are done with after it."""
        body = '{"results":[' + ",".join(texts) + "]"
        token = self._continuation(settled)

        def told(chars: int, tokens: int) -> tuple[str, dict[str, Any], TruncationInfo]:
            info = self._info(reason, len(texts), chars, tokens)
            beside = self._beside(step, info, token, warning)
            return body + ("," + to_json(beside)[1:] if beside else "}"), beside, info

        text, beside, info = told(0, 0)
        full = self._full(text)
        if full > 1:
            return _Try(text, beside, info, full, continuation=token)
        tokens = self.counter.count(text)
        # The two numbers take the place of two zeros; only in full are they told.
        length = _counting_itself(len(text) - 2 + len(str(tokens))) if step is Step.FULL else len(text)
        text, beside, info = told(length, tokens)
        full = self._full(text)
        by_tokens = share_of(tokens, self.limits.tokens)
        over: Reason = "character_limit" if full > 1 else "token_estimate"
        return _Try(text, beside, info, max(full, by_tokens), over, token)

    def _surely_fits(self, made: _Try) -> bool:
        """Whether a response fits with the numbers in it: they are tokens too, and they move what an estimate sees."""
        if not made.fits or share_of(made.info.estimated_tokens, self.limits.tokens) < NEARLY:
            return made.fits
        return share_of(self.counter.count(made.text), self.limits.tokens) <= 1

    def _full(self, text: str) -> float:
        """Of characters and bytes."""
        by_bytes = 0.0 if self.limits.bytes is None else utf8_length(text) / self.limits.bytes
        return max(by_bytes, share_of(len(text), self.limits.chars))

    def _info(self, reason: Reason | None, returned: int, chars: int, tokens: int) -> TruncationInfo:
        return TruncationInfo(reason, len(self.ranking), returned, chars, self.limits.chars, tokens, self.limits.tokens)

    def _beside(self, step: Step, info: TruncationInfo, token: str | None, warning: str) -> dict[str, Any]:
        """What the response tells beside the results."""
        truncated = {"truncated": info.reason is not None}
        if step is Step.BARE:
            return truncated if info.reason else {}
        onward = {"continuation": token} if token else {}
        if step is Step.SHORT:
            return {**truncated, **onward}
        return {
            "total_count": info.original_count,
            **({"skipped_count": len(self.before)} if self.before else {}),
            "returned_count": info.returned_count,
            **truncated,
            "truncation_info": info.as_dict(),
            **onward,
            **({"warnings": [*warnings]} if (warnings := self._warnings(warning)) else {}),
            **self.extra,
        }

    def _warnings(self, warning: str) -> tuple[str, ...]:
        return (*self.warnings, warning) if warning else self.warnings

    def _continuation(self, settled: int) -> str | None:
        if settled >= len(self.left):
            return None
        shown = sorted([*self.before, *self.left[:settled]])
        return token_after([self.ranking[place] for place in shown], self.ranking[self.left[settled]], self.query)

    def _page(self, made: _Try, results: Sequence[Any], warning: str = "") -> Packed:
        info = made.info
        return Packed(
            text=made.text,
            results=tuple(results),
            info=info,
            continuation=made.continuation,
            skipped=len(self.before),
            warnings=self._warnings(warning),
            notes=tuple(notes_of(info, len(self.left), warning)),
            beside=made.beside,
        )


def _most(filled: Callable[[int], float], ends: Sequence[int]) -> int:
    """The largest count that fits: guessed from how far the one before was off, and halved where guesses fail."""
    low, high = 0, len(ends) + 1
    guess = len(ends)
    tried = 0
    while high - low > 1:
        full = filled(guess)
        tried += 1
        if full <= 1:
            low, guess = guess, guess + 1
        else:
            high, guess = guess, bisect_right(ends, ends[guess - 1] / full)
        if tried > GUESSES:
            guess = (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
    return low


def _counting_itself(length: int) -> int:
    """The length of a text of so many characters with that length written in it."""
    digits = len(str(length))
    return length + (digits if len(str(length + digits)) == digits else digits + 1)


def _most_chars(limits: Limits) -> float:
    """The characters that a text within these limits can have: a byte holds at most one."""
    return min(math.inf if most is None else most for most in (limits.chars, limits.bytes))


def _most_bytes(limits: Limits) -> int:
    """The bytes that a text within these limits can have."""
    by_unit = ((limits.chars, MOST_BYTES_PER_CHAR), (limits.bytes, 1), (limits.tokens, MOST_BYTES_PER_TOKEN))
    return min(most * size for most, size in by_unit if most is not None)


def _checked(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    taken = sorted(OWN_FIELDS.intersection(extra))
    if taken:
        raise CallerError(f"the response has fields of its own by these names: {', '.join(taken)}")
    return extra
