"""What the parts of a stream ask of one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.core.stream.events import Event


class Filter(Protocol):
    """`ToolCallFilter`, or what stands in for it."""

    def feed(self, chunk: str, /) -> list[Event]: ...

    def finish(self) -> list[Event]: ...


NewFilter = Callable[[], Filter]
NewId = Callable[[str, int, str], str]  # from the id of the answer, the number of the call in it, and the filter's id
