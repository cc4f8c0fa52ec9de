"""The tools that come with Penstock, with what the settings say of each."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from penstock.errors import MissingExtra
from penstock.gate import BareGate
from penstock.tools import grep_search, read_file, repo_structure
from penstock.tools.grep_search import GrepSearch
from penstock.tools.read_file import ReadFile
from penstock.tools.repo_structure import RepoStructure
from penstock.tools.roots import Roots
from penstock.tools.toolset import OfferedTool, Toolset

_log = logging.getLogger("penstock.tools")


class Told(Protocol):
    """What the settings say of one tool."""

    @property
    def show_context(self) -> int | None: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def max_files(self) -> int | None: ...


class Indexes(Protocol):
    @property
    def directory(self) -> Path: ...


class ToolSettings(Protocol):
    @property
    def search(self) -> Indexes: ...
    def tool(self, name: str) -> Told: ...


class Given(NamedTuple):
    """What a tool is made of."""

    gate: BareGate
    roots: Roots
    told: Told
    indexes: Path  # the folder for what tools learn of code


def _read_file(given: Given) -> OfferedTool:
    return ReadFile(given.gate, given.roots)


def _grep_search(given: Given) -> OfferedTool:
    return GrepSearch(given.gate, given.roots, context=given.told.show_context)


def _repo_structure(given: Given) -> OfferedTool:
    return RepoStructure(given.gate, given.roots, depth=given.told.max_depth, files=given.told.max_files)


def _repo_map(given: Given) -> OfferedTool:
    from penstock.tools.repo_map import MAPS, RepoMap  # noqa: PLC0415  # it asks for the extra, which the others need not

    return RepoMap(given.gate, given.roots, given.indexes / MAPS)


TOOLS: Final[Mapping[str, Callable[[Given], OfferedTool]]] = {
    read_file.OFFER.name: _read_file,
    grep_search.OFFER.name: _grep_search,
    repo_structure.OFFER.name: _repo_structure,
    "repo_map": _repo_map,
}


def toolset(gate: BareGate, roots: Roots, settings: ToolSettings, names: Sequence[str] = ()) -> Toolset:
    """The tools with these names; without any name all for which what they need is installed."""
    tools = []
    for name in names or TOOLS:
        try:
            tools.append(TOOLS[name](Given(gate, roots, settings.tool(name), settings.search.directory)))
        except MissingExtra as missing:
            if names:
                raise
            _log.warning("%s is not offered: %s", name, missing)
    return Toolset(gate, tools)
