"""What a ledger promises: every admission and every read-back, and the questions that people ask of them.

A ledger is a record, not the thing recorded: where writing it fails, the gate says so in the log and goes on. Entries
may be buffered for a moment and are written in batches; `flush` and `close` write all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from penstock.core.entry import Entry, ReadBack
from penstock.core.handle import Handle

By = Literal["all", "tool", "agent", "kind", "day"]


@dataclass(frozen=True, slots=True)
class Totals:
    """The answers for one group (one tool, one day, ...)."""

    group: str  # "" for all
    admissions: int
    truncated: int
    failed: int  # truncated, and the whole could not be kept
    bytes_before: int
    bytes_after: int
    tokens_before: int  # of the truncated results only: what fits is not counted
    tokens_after: int
    read_backs: int
    regretted: int  # truncated results that were read, searched or listed afterwards
    seconds: float

    @property
    def truncation_rate(self) -> float:
        return self.truncated / self.admissions if self.admissions else 0.0

    @property
    def tokens_saved(self) -> int:
        return self.tokens_before - self.tokens_after

    @property
    def regret(self) -> float:
        """The share of truncated results that the model came back for."""
        return self.regretted / self.truncated if self.truncated else 0.0


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the ledger, as `penstock stats --recent` lists it."""

    at: float
    seconds: float
    what: Entry | ReadBack


class Ledger(Protocol):
    def admitted(self, entry: Entry, *, at: float, seconds: float) -> None: ...

    def read_back(self, read: ReadBack, *, at: float, seconds: float) -> None: ...

    def totals(self, by: By = "all", *, since: float | None = None) -> list[Totals]:
        """One row a group, most truncated first; "day" in the order of days (UTC, YYYY-MM-DD)."""
        ...

    def recent(self, count: int = 20) -> list[Event]: ...

    def shown(self, handle: Handle) -> list[tuple[int, int]]:
        """The byte ranges of this result that any view or read-back has shown, merged and in order."""
        ...

    def flush(self) -> None: ...

    def close(self) -> None: ...
