"""Patterns that are compiled when they are first used.

All of them take 20 ms to compile, a third of what it takes to import the gate. What fits its limits needs none of them,
and what does not needs those by which kinds are told and those of its kind.

1. `re_pattern` is for short text and for patterns that are surely linear, `re2_pattern` for bytes of any length.
2. After its first use a method is found where the next use looks for it: from then on nothing stands between.
3. Threads may use one at the same time. Where two of them compile it, either result is kept: they are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

import re2


def re_pattern(source: AnyStr) -> re.Pattern[AnyStr]:
    return cast("re.Pattern[AnyStr]", _Later(lambda: re.compile(source)))


def re2_pattern(source: bytes) -> re.Pattern[bytes]:
    return cast("re.Pattern[bytes]", _Later(lambda: re2.compile(source)))


class _Later:
    """Stands for a pattern; its methods are the pattern's own."""

    def __init__(self, compiled: Callable[[], Any]) -> None:
        self._compiled = compiled

    def __getattr__(self, name: str) -> Any:
        """Asked only for what is not here yet."""
        method = getattr(self._compiled(), name)
        setattr(self, name, method)
        return method
