"""What the library logs, on stderr: warnings always, the rest when it is asked for."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.cli import console


class _ToStderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # A logger that raises would end the work that it only tells of.
        try:
            console.note(record.getMessage())
        except Exception:  # noqa: BLE001
            self.handleError(record)


@contextmanager
def told(*, verbose: bool) -> Iterator[None]:
    log = logging.getLogger("penstock")
    handler, level = _ToStderr(), log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG if verbose else logging.WARNING)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
