"""What happened at the gate, as values: one Entry for each admission, one ReadBack for each read of kept output.

The core makes them, without a time; the gate adds when it was and how long it took; the ledger keeps them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from penstock.core.handle import Handle
from penstock.core.measure import Size, Unit

# Why a result was cut, or why it was not.
Reason = Literal["fits", "skip"] | Unit


@dataclass(frozen=True, slots=True)
class Entry:
    """One admission."""

    tool: str
    agent: str
    kind: str  # what the content was taken for
    strategy: str  # what chose the spans; "" where nothing was cut
    reason: Reason
    before: Size
    after: Size
    handle: Handle | None = None
    failure: str = ""  # why the whole could not be kept; "" when it was, or when nothing had to be
    shown: tuple[tuple[int, int], ...] = ()  # byte ranges of the original that the view shows

    @property
    def truncated(self) -> bool:
        return self.reason not in ("fits", "skip")


@dataclass(frozen=True, slots=True)
class ReadBack:
    """One bounded read of kept output."""

    handle: Handle
    action: Literal["read", "grep", "unseen"]
    tool: str  # the tool whose output it was
    agent: str
    after: Size
    shown: tuple[tuple[int, int], ...] = ()
