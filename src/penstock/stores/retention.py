"""How long results are kept, and how much of them: the same rule in every store."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.errors import LimitError, StoreFull

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Retention:
    seconds: float
    quota: int | None  # bytes of all results together

    @classmethod
    def of(cls, days: float, quota: int | None) -> Retention:
        if not days > 0:  # also for what is not a number
            raise LimitError("retention_days", days, "a number of days above 0")
        if quota is not None and quota < 1:
            raise LimitError("quota_bytes", quota)
        return cls(days * _DAY, quota)

    def expired(self, kept_at: float, now: float) -> bool:
        return kept_at < self.horizon(now)

    def horizon(self, now: float) -> float:
        """What was kept before then has expired."""
        return now - self.seconds

    def check_room(self, size: int) -> None:
        """Refuses a single result that is over the quota: deleting all others would not make room for it."""
        if self.quota is not None and size > self.quota:
            raise StoreFull("the store's quota", size, self.quota)
