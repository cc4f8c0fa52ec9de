"""The tools that come with Penstock. Each is loaded when it is wanted, as some need optional packages."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final

from penstock.errors import MissingExtra
from penstock.tools.toolset import OfferedTool, Toolset, Workshop

# Where each is made, by a function `made`.
TOOLS: Final[dict[str, str]] = {
    "read_file": "penstock.tools.read_file",
    "grep_search": "penstock.tools.grep_search",
    "get_repo_structure": "penstock.tools.repo_structure",
    "repo_map": "penstock.tools.repo_map",
    "search_code": "penstock.tools.search_code",
    "index_repository": "penstock.tools.index_repository",
}


def toolset(of: Workshop, names: Sequence[str] = ()) -> tuple[Toolset, list[MissingExtra]]:
    """The named tools; without names, all whose packages are installed, with what the others need."""
    tools: list[OfferedTool] = []
    missing: list[MissingExtra] = []
    for name in names or TOOLS:
        try:
            tools.append(import_module(TOOLS[name]).made(of))
        except MissingExtra as error:
            if names:
                raise
            missing.append(error)
    return Toolset(of.gate, tools), missing
