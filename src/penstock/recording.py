"""What a gate tells its ledger. A ledger is a record: where it fails, the result is still shown."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal

from penstock.core.entry import Entry, ReadBack
from penstock.core.handle import Handle
from penstock.core.measure import Size
from penstock.core.tokens import estimate_tokens
from penstock.core.view import View
from penstock.errors import StoreError
from penstock.ledger.contract import Ledger
from penstock.stores.contract import Record

log = logging.getLogger("penstock")

Action = Literal["read", "grep", "unseen"]


class Recorder:
    def __init__(self, ledger: Ledger | None, clock: Callable[[], float]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._failing = False

    def admitted(self, view: View, tool: str, agent: str, began: float) -> None:
        """One admission, which began at `time.perf_counter() == began`."""
        if self._ledger is None:
            return
        if view.truncated:
            before = view.original._replace(tokens=view.tokens)
            after = view.size._replace(tokens=estimate_tokens(view.text.encode("utf-8", "surrogatepass")))
            how = view.kind or view.form, view.strategy
        else:
            before, after, how = view.original, view.size, (view.form, "")
        entry = Entry(tool, agent, *how, view.reason, before, after, view.handle, view.failure, view.spans)
        try:
            self._ledger.admitted(entry, at=self._clock(), seconds=time.perf_counter() - began)
        except StoreError as error:
            self.blame(error)
        else:
            self._failing = False

    def read_back(
        self, action: Action, record: Record, agent: str, after: Size, shown: tuple[tuple[int, int], ...], began: float
    ) -> None:
        if self._ledger is None:
            return
        read = ReadBack(record.handle, action, record.tool, agent, after, shown)
        try:
            self._ledger.read_back(read, at=self._clock(), seconds=time.perf_counter() - began)
        except StoreError as error:
            self.blame(error)

    def shown(self, handle: Handle) -> list[tuple[int, int]] | None:
        """What has been shown of an output; None where nobody can tell."""
        if self._ledger is None:
            return None
        try:
            return self._ledger.shown(handle)
        except StoreError as error:
            self.blame(error)
            return None

    def close(self) -> None:
        if self._ledger is None:
            return
        try:
            self._ledger.close()
        except StoreError as error:
            self.blame(error)

    def blame(self, error: StoreError) -> None:
        """Said once for each time that the ledger stops working, not for each result."""
        if not self._failing:
            self._failing = True
            log.warning("the ledger fails: %s", error)
