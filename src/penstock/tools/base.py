"""What is common to all tools that bound their own output."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from penstock.core.limits import Limits
from penstock.core.policy import Strategy
from penstock.core.view import View
from penstock.gate import QUERY_MOST, BareGate


class BareTool:
    """A tool with a gate. Whatever `execute` returns, sync or async, is bounded before its caller sees it."""

    name: ClassVar[str] = ""  # the class's name when it is empty
    limits: ClassVar[Limits | None] = None  # None: those of the settings for this tool
    strategy: ClassVar[Strategy | None] = None

    def __init__(self, gate: BareGate) -> None:
        self.gate = gate

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "execute" in cls.__dict__:
            cls.execute = _bounded(cls.__dict__["execute"])  # type: ignore[method-assign]  # that is what this base is for

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Do the work and return the whole result."""
        raise TypeError(f"{type(self).__name__} does not define execute")

    def admit(self, output: Any, query: str) -> View:
        """How a result is bounded. Override it for a policy of your own."""
        return self.gate.admit(
            output, tool=self.name or type(self).__name__, query=query, limits=self.limits, strategy=self.strategy
        )

    def bound(self, output: Any, query: str) -> Any:
        """The result as the caller gets it: the same object when it fits."""
        view = self.admit(output, query)
        return view.replacement() if view.truncated else output


def _bounded(execute: Callable[..., Any]) -> Callable[..., Any]:
    """`execute` with its result bounded; a call of a parent's `execute` from inside is left for the outer one."""
    if inspect.iscoroutinefunction(execute):

        @functools.wraps(execute)
        async def waiting(self: BareTool, *args: Any, **kwargs: Any) -> Any:
            output = await execute(self, *args, **kwargs)
            return await asyncio.to_thread(self.bound, output, _asked(args, kwargs))

        return waiting

    @functools.wraps(execute)
    def calling(self: BareTool, *args: Any, **kwargs: Any) -> Any:
        return self.bound(execute(self, *args, **kwargs), _asked(args, kwargs))

    return calling


def _asked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return " ".join(str(value) for value in (*args, *kwargs.values()))[:QUERY_MOST]
