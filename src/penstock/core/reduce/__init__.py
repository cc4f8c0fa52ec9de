"""What to show of content that is too long. The kinds are this literal list; the last one always fits."""

from __future__ import annotations

from typing import Final

from penstock.core.content import Content
from penstock.core.policy import Strategy
from penstock.core.reduce.binary import BINARY
from penstock.core.reduce.build_log import BUILD_LOG
from penstock.core.reduce.contract import Reducer, Sample
from penstock.core.reduce.diff import DIFF
from penstock.core.reduce.grep import GREP
from penstock.core.reduce.head import HEAD
from penstock.core.reduce.head_tail import HEAD_TAIL
from penstock.core.reduce.json import JSON
from penstock.core.reduce.listing import LISTING
from penstock.core.reduce.page import PAGE
from penstock.core.reduce.prose import PROSE
from penstock.core.reduce.server_log import SERVER_LOG
from penstock.core.reduce.source import SOURCE
from penstock.core.reduce.stack_trace import STACK_TRACE
from penstock.core.reduce.table import TABLE
from penstock.core.reduce.tail import TAIL
from penstock.core.reduce.test_run import TEST_RUN

KINDS: Final[tuple[Reducer, ...]] = (
    JSON,
    DIFF,
    STACK_TRACE,
    TEST_RUN,
    BUILD_LOG,
    SERVER_LOG,
    GREP,
    TABLE,
    LISTING,
    SOURCE,
    PAGE,
    BINARY,
    PROSE,
    HEAD_TAIL,
)

EXPLICIT: Final = {"head": HEAD, "tail": TAIL, "head_tail": HEAD_TAIL}

# What of the start, the middle and the end is looked at: enough to see what something is, and little enough to cost
# microseconds.
SAMPLED: Final = (16 * 1024, 4 * 1024, 4 * 1024)


def reducer_for(strategy: Strategy, content: Content, media: str) -> Reducer:
    """The reducer that was asked for, or with "auto" the one that fits the content best; the earlier one on a tie."""
    if strategy in EXPLICIT:
        return EXPLICIT[strategy]
    sample = sample_of(content, media)
    return max(KINDS, key=lambda kind: kind.fit(sample))


def sample_of(content: Content, media: str) -> Sample:
    data = content.data
    start, middle, end = SAMPLED
    half = len(data) // 2
    # The middle begins with a line, the end too, so that what a kind knows lines by is found in them.
    return Sample(
        data=data[:start],
        media=media,
        middle=_lines_from(data, half, middle) if len(data) > start + middle + end else b"",
        end=_lines_from(data, max(start, len(data) - end), end),
        size=content.original_bytes,
    )


def _lines_from(data: bytes, place: int, size: int) -> bytes:
    part = data[place : place + size]
    return part[part.find(b"\n") + 1 :]
