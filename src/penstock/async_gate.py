"""The gate for asyncio. It decides nothing: every call is the same call of a `Gate`, in a thread where it may wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from penstock.capture import READ
from penstock.configured import Gate
from penstock.core.hits import Hits
from penstock.core.limits import Limits
from penstock.core.messages import Dialect
from penstock.core.offers import Format
from penstock.core.slices import Slice
from penstock.core.value import BoundedValue
from penstock.core.view import View
from penstock.errors import CallerError
from penstock.gate import BareGate
from penstock.stores.contract import Record, Swept


class AsyncGate:
    """Takes a gate, or what a `Gate` takes.

    async with AsyncGate() as gate:
        view = await gate.admit(output, tool="Bash")
    """

    def __init__(self, gate: BareGate | None = None, **options: Any) -> None:
        if gate is not None and options:
            raise CallerError("give a gate, or what a Gate takes, not both")
        self.gate = gate or Gate(**options)

    async def admit(self, output: Any, **options: Any) -> View:
        return await asyncio.to_thread(self.gate.admit, output, **options)

    async def value(self, output: Any, **options: Any) -> BoundedValue:
        return await asyncio.to_thread(self.gate.value, output, **options)

    async def turn(self, results: Sequence[tuple[Any, str]], *, budget: Limits, **options: Any) -> list[View]:
        return await asyncio.to_thread(self.gate.turn, results, budget=budget, **options)

    async def capture(self, source: AsyncIterable[str | bytes] | asyncio.StreamReader, **options: Any) -> View:
        """All that an async iterator or a subprocess's pipe gives, in constant memory."""
        capture = self.gate.open(**options)
        pieces = _pieces(source) if isinstance(source, asyncio.StreamReader) else source
        try:
            async for piece in pieces:
                await asyncio.to_thread(capture.write, piece)
        except BaseException:  # cancellation too: what was captured so far is not a result
            capture.abort()
            raise
        return await asyncio.to_thread(capture.close)

    async def read(self, handle: str, **options: Any) -> Slice:
        return await asyncio.to_thread(self.gate.read, handle, **options)

    async def grep(self, handle: str, pattern: str, **options: Any) -> Hits:
        return await asyncio.to_thread(self.gate.grep, handle, pattern, **options)

    async def unseen(self, handle: str, **options: Any) -> View:
        return await asyncio.to_thread(self.gate.unseen, handle, **options)

    async def call(self, name: str, arguments: Mapping[str, Any] | str, *, agent: str | None = None) -> str:
        return await asyncio.to_thread(self.gate.call, name, arguments, agent=agent)

    async def messages(self, messages: Sequence[Any], *, format: Dialect = "openai", **options: Any) -> list[Any]:  # noqa: A002  # as in Gate
        return await asyncio.to_thread(self.gate.messages, messages, format=format, **options)

    async def records(self) -> list[Record]:
        return await asyncio.to_thread(lambda: list(self.gate.records()))

    async def sweep(self) -> Swept:
        return await asyncio.to_thread(self.gate.sweep)

    def tools(self, format: Format = "openai") -> list[dict[str, Any]]:  # noqa: A002  # as in Gate
        return self.gate.tools(format)

    def tool(self, *args: Any, **options: Any) -> Any:
        """The same decorator: it takes async functions as they are."""
        return self.gate.tool(*args, **options)

    async def aclose(self) -> None:
        await asyncio.to_thread(self.gate.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def _pieces(pipe: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """As it comes: a StreamReader's own iteration is by lines, and fails on long ones."""
    while piece := await pipe.read(READ):
        yield piece
