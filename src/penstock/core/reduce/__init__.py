"""What to show of content that is too long. The kinds are this literal list; the last one always fits."""

from __future__ import annotations

from typing import Final

from penstock.core.content import Content
from penstock.core.policy import Strategy
from penstock.core.reduce.contract import Reducer, Sample
from penstock.core.reduce.head import HEAD
from penstock.core.reduce.head_tail import HEAD_TAIL
from penstock.core.reduce.tail import TAIL

KINDS: Final[tuple[Reducer, ...]] = (HEAD_TAIL,)

EXPLICIT: Final = {"head": HEAD, "tail": TAIL, "head_tail": HEAD_TAIL}

# Enough to see what something is; little enough to cost microseconds.
SAMPLED = 16 * 1024


def reducer_for(strategy: Strategy, content: Content, media: str) -> Reducer:
    """The reducer that was asked for, or with "auto" the one that fits the content best; the earlier one on a tie."""
    if strategy in EXPLICIT:
        return EXPLICIT[strategy]
    sample = Sample(content.data[:SAMPLED], media)
    return max(KINDS, key=lambda kind: kind.fit(sample))
