"""The tools that come with Penstock, with what the settings say of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from penstock.gate import BareGate
from penstock.tools import grep_search, read_file, repo_structure
from penstock.tools.grep_search import GrepSearch
from penstock.tools.read_file import ReadFile
from penstock.tools.repo_structure import RepoStructure
from penstock.tools.roots import Roots
from penstock.tools.toolset import OfferedTool, Toolset


class Told(Protocol):
    """What the settings say of one tool."""

    @property
    def show_context(self) -> int | None: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def max_files(self) -> int | None: ...


class ToolSettings(Protocol):
    def tool(self, name: str) -> Told: ...


def _grep_search(gate: BareGate, roots: Roots, told: Told) -> OfferedTool:
    return GrepSearch(gate, roots, context=told.show_context)


def _repo_structure(gate: BareGate, roots: Roots, told: Told) -> OfferedTool:
    return RepoStructure(gate, roots, depth=told.max_depth, files=told.max_files)


TOOLS: Final[Mapping[str, Callable[[BareGate, Roots, Told], OfferedTool]]] = {
    read_file.OFFER.name: lambda gate, roots, told: ReadFile(gate, roots),  # noqa: ARG005  # nothing is set for it
    grep_search.OFFER.name: _grep_search,
    repo_structure.OFFER.name: _repo_structure,
}


def toolset(gate: BareGate, roots: Roots, settings: ToolSettings, names: Sequence[str]) -> Toolset:
    return Toolset(gate, [TOOLS[name](gate, roots, settings.tool(name)) for name in names])
