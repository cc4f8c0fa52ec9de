from __future__ import annotations

from penstock.ledger.memory import MemoryLedger

from .events import HANDLES, cut, fits


def test_memory_ledger_forgets_the_oldest_past_its_bound() -> None:
    ledger = MemoryLedger(most=100)
    for at in range(1_000):
        ledger.admitted(fits(), at=float(at), seconds=0.0)
    (row,) = ledger.totals()
    assert 100 <= row.admissions <= 110
    assert ledger.recent(1)[0].at == 999.0


def test_memory_ledgers_share_nothing() -> None:
    one, other = MemoryLedger(), MemoryLedger()
    one.admitted(cut(), at=1.0, seconds=0.0)
    assert other.recent() == []
    assert other.shown(HANDLES[0]) == []
