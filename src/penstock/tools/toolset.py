"""The tools of one server: what they are called, and a call of one by name with the arguments that a model wrote."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from penstock.core.offers import OFFERS, Offer, checked
from penstock.errors import PenstockError
from penstock.gate import BareGate
from penstock.readback import answer, arguments_of
from penstock.tools.roots import Roots

if TYPE_CHECKING:
    from penstock.search.code_search import CodeSearch

_log = logging.getLogger("penstock.tools")

# How far a long call is, and in words.
Progress = Callable[[float, str], None]


def silent(_: float, __: str) -> None:
    """No progress is asked for."""


class OfferedTool(Protocol):
    """A tool that says what a model may call it with. One that takes long has `execute` take a `progress`."""

    offer: Offer

    @property
    def execute(self) -> Callable[..., Any]: ...


class Told(Protocol):
    """What the settings say of one tool."""

    @property
    def show_context(self) -> int | None: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def max_files(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Workshop:
    """What tools are made of."""

    gate: BareGate
    roots: Roots
    told: Callable[[str], Told]  # of a tool, by its name
    search: Callable[[], CodeSearch]
    indexes: Path  # the folder for what tools learn of code


class Answer(NamedTuple):
    text: str
    failed: bool = False
    notes: tuple[tuple[str, str], ...] = ()  # for the client's log: level and text


class Toolset:
    """Some tools, and those that read on in what their answers left out."""

    def __init__(self, gate: BareGate, tools: Iterable[OfferedTool]) -> None:
        self.gate = gate
        self._tools = {tool.offer.name: tool for tool in tools}
        self.offers = (*(tool.offer for tool in self._tools.values()), *OFFERS)

    def changes(self, name: str) -> bool:
        """Whether a tool changes anything."""
        return getattr(self._tools.get(name), "changes", False)

    def call(self, name: str, arguments: Mapping[str, Any] | str, progress: Progress = silent) -> Answer:
        """Run a tool. What went wrong is told in the answer, also that there is no such tool."""
        try:
            given = checked(name, arguments_of(arguments), self.offers)
            tool = self._tools.get(name)
            if tool is None:
                return Answer(answer(self.gate, name, given, None))
            if "progress" in inspect.signature(tool.execute).parameters:
                given["progress"] = progress
            output = tool.execute(**given)
            return output if isinstance(output, Answer) else Answer(str(output))
        except PenstockError as error:
            return self._failed(name, str(error))
        except Exception as error:  # noqa: BLE001  # a client waits for an answer, and others for their calls
            _log.error("%s broke down: %r", name, error, exc_info=error)
            return self._failed(name, f"something went wrong inside Penstock ({type(error).__name__}: {error})")

    def _failed(self, name: str, why: str) -> Answer:
        return Answer(self.gate.admit(f"Error: {why}", tool=name).text, failed=True)
