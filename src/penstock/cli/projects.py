"""The indexes of code as the command line has them: where the settings put them, answers within their limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from penstock.cli.opening import settings
from penstock.core.records import RECORD_LIMITS
from penstock.counters import counter_named
from penstock.search.code_search import CodeSearch

TOOL: Final = "search_code"


@contextmanager
def opened_search() -> Iterator[CodeSearch]:
    chosen = settings()
    search = CodeSearch(
        chosen.search.directory,
        limits=RECORD_LIMITS.override(chosen.limits_for(TOOL)),
        counter=None if chosen.counter == "estimate" else counter_named(chosen.counter),
        language=chosen.language,
    )
    with search:
        yield search
