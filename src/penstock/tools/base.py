"""What is common to all tools that bound their own output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from penstock.core.limits import Limits
from penstock.core.policy import Strategy
from penstock.core.view import View
from penstock.gate import BareGate
from penstock.wrapping import asked, bounding

_BOUNDED = "__penstock_bounded__"


class BareTool:
    """A tool with a gate. Whatever `execute` returns, sync or async, is bounded before its caller sees it.

    A subclass that calls `super().execute()` gets the whole result of its parent: only what leaves the tool is bounded.
    """

    name: ClassVar[str] = ""  # the class's name when it is empty
    limits: ClassVar[Limits | None] = None  # None: those of the settings for this tool
    strategy: ClassVar[Strategy | None] = None

    execute: Callable[..., Any]  # what the tool does; written by the subclass as a method, sync or async

    def __init__(self, gate: BareGate) -> None:
        if not hasattr(type(self), "execute"):
            raise TypeError(f"{type(self).__name__} does not define execute")
        self.gate = gate

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        execute = getattr(cls, "execute", None)  # also that of a mixin, which knows nothing of gates
        if execute is not None and not hasattr(execute, _BOUNDED):
            if isinstance(cls.__dict__.get("execute"), staticmethod | classmethod):
                raise TypeError(f"{cls.__name__}.execute has to be a method, as the gate is that of the object")
            cls.execute = _bounded(execute)

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
    def finish(output: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        tool, *rest = args
        if type(tool).execute is not wrapped:  # called by the `execute` of a subclass, which is bounded itself
            return output
        return tool.bound(output, asked(tuple(rest), kwargs))

    wrapped = bounding(execute, finish)
    setattr(wrapped, _BOUNDED, True)
    return wrapped
