"""The tools of one server: what they are called, and a call of one by name with the arguments that a model wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from penstock.core.offers import OFFERS, Offer, checked
from penstock.errors import PenstockError
from penstock.gate import BareGate
from penstock.readback import answer, arguments_of


class OfferedTool(Protocol):
    """A tool that says what a model may call it with."""

    offer: Offer

    @property
    def execute(self) -> Callable[..., Any]: ...


class Answer(NamedTuple):
    text: str
    failed: bool = False


class Toolset:
    """Some tools, and those that read on in what their answers left out."""

    def __init__(self, gate: BareGate, tools: Iterable[OfferedTool]) -> None:
        self.gate = gate
        self._tools = {tool.offer.name: tool for tool in tools}
        self.offers = (*(tool.offer for tool in self._tools.values()), *OFFERS)

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> Answer:
        """Run a tool. What went wrong is told in the answer, also that there is no such tool."""
        try:
            given = checked(name, arguments_of(arguments), self.offers)
            tool = self._tools.get(name)
            return Answer(answer(self.gate, name, given, None) if tool is None else str(tool.execute(**given)))
        except PenstockError as error:
            return Answer(self.gate.admit(f"Error: {error}", tool=name).text, failed=True)
