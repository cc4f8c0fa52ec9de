"""Closing in on limits: how much room there is for content, and the fullest text that fits where only trying shows it.

Characters and bytes of plain text are known beforehand, so the first try fits. Tokens, and what JSON makes of
characters, show only in the finished text: each try there comes within a few percent of the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from penstock.core.limits import UNITS, Limits
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.tokens import estimate_tokens

TRIES: Final = 8

# A text that fills this much of its room needs no better one; a try aims a little higher.
GOOD: Final = 0.95
AIM: Final = 0.98

# What of content is looked at for the bytes that one of its tokens takes.
SAMPLED: Final = 32 * 1024


class Sized(Protocol):
    @property
    def size(self) -> Size: ...


T = TypeVar("T", bound=Sized)


def room_within(limits: Limits, fixed: Size, data: bytes, mark: Size, ratio: float = 0.5) -> Room:
    """What `fixed` leaves of the limits, with a limit on tokens told in bytes of such data."""
    most = None if limits.bytes is None else max(0, limits.bytes - fixed.bytes)
    if limits.tokens is not None:
        sample = data if len(data) <= 2 * SAMPLED else data[:SAMPLED] + data[-SAMPLED:]
        of_a_token = len(sample) / max(1, estimate_tokens(sample))
        by_tokens = int(max(0, limits.tokens - (fixed.tokens or 0)) * of_a_token)
        most = by_tokens if most is None else min(most, by_tokens)
    return Room(
        chars=None if limits.chars is None else max(0, limits.chars - fixed.chars),
        lines=None if limits.lines is None else max(0, limits.lines - fixed.lines),
        bytes=most,
        mark=mark,
        ratio=ratio,
    )


def fullest(make: Callable[[float], T], limits: Limits, fixed: Size, *, elastic: bool, grows: bool) -> T | None:
    """What `make` gives for the largest part of the room that still fits; None where nothing did.

    `elastic` says that the size of the text is not the size of what is in it, so a first try may be far off; `grows`,
    that it may have been too small, and more than the room was can fit.
    """
    best: T | None = None
    low, high = 0.0, float("inf")
    part = 1.0
    before: Size | None = None
    for _ in range(TRIES):
        made = make(part)
        filled = _filled(made.size, fixed, limits)
        same, before = made.size == before, made.size
        if made.size.over(limits) is None:
            best, low = made, part
            if not elastic or filled >= GOOD or (part >= 1 and (same or not grows)):
                break
        else:
            high = part
        # Where another part gave the same, the room is not what binds: then its size says nothing of the next part.
        part = part * AIM / filled if filled and not same else 2 * part
        if not low < part < high:
            part = (low + high) / 2
    return best


def _filled(size: Size, fixed: Size, limits: Limits) -> float:
    """How much of the tightest limit's room is used: over 1 when it is too much."""
    most = 0.0
    for unit in UNITS:
        limit, used, taken = getattr(limits, unit), getattr(size, unit), getattr(fixed, unit) or 0
        if limit is not None and used is not None:
            most = max(most, (used - taken) / max(1, limit - taken))
    return most
