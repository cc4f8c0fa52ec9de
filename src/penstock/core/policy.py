"""How one result is to be shown: a value, so that a view is a function of (content, policy, query)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from penstock.core.limits import DEFAULT_LIMITS, Limits
from penstock.core.tokens import Estimate, TokenCounter
from penstock.errors import LimitError

Strategy = Literal["auto", "head", "tail", "head_tail", "summarize"]
Reader = Literal["penstock", "files", "task", "cli", "none"]
Language = Literal["en", "zh"]
Place = Literal["end", "head"]
Arrangement = Literal["auto", "verbatim"]

STRATEGIES: Final = get_args(Strategy)
READERS: Final = get_args(Reader)
LANGUAGES: Final = get_args(Language)
PLACES: Final = get_args(Place)
ARRANGEMENTS: Final = get_args(Arrangement)


@dataclass(frozen=True, slots=True)
class Policy:
    limits: Limits = DEFAULT_LIMITS
    strategy: Strategy = "auto"
    ratio: float = 0.5  # the head's share where head and tail are shown
    reader: Reader = "penstock"
    language: Language = "en"
    notice: Place = "end"
    layout: Arrangement = "auto"  # whether what repeats may be shown once
    counter: TokenCounter = field(default_factory=Estimate)
    trust_skip: bool = True  # whether `context.truncation_skip` of an envelope is obeyed
    media_bytes: int | None = 20 * 1024 * 1024  # images, audio and resources of one result

    def __post_init__(self) -> None:
        for name, allowed in (
            ("strategy", STRATEGIES), ("reader", READERS), ("language", LANGUAGES), ("notice", PLACES),
            ("layout", ARRANGEMENTS),
        ):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise LimitError(name, getattr(self, name), "one of " + ", ".join(allowed))
        if isinstance(self.ratio, bool) or not isinstance(self.ratio, int | float) or not 0 <= self.ratio <= 1:
            raise LimitError("ratio", self.ratio, "a number from 0 to 1")
        if self.media_bytes is not None and (type(self.media_bytes) is not int or self.media_bytes < 0):
            raise LimitError("media_bytes", self.media_bytes, "a whole number from 0 on, or None")

    def tightened(self, limits: Limits | None) -> Policy:
        return self if limits is None else replace(self, limits=self.limits & limits)
