from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.errors import MissingExtra
from penstock.gate import BareGate
from penstock.settings import load_settings
from penstock.tools import builtin
from penstock.tools.builtin import TOOLS, Given, toolset
from penstock.tools.roots import Roots


def test_all_tools_are_offered_by_the_names_of_their_offers(gate: BareGate, roots: Roots, tmp_path: Path) -> None:
    tools = toolset(gate, roots, load_settings(tmp_path, {"XDG_DATA_HOME": str(tmp_path)}))
    assert [offer.name for offer in tools.offers[: len(TOOLS)]] == list(TOOLS)


def test_tool_whose_extra_is_missing_is_left_out_aloud_and_refused_where_it_is_named(
    gate: BareGate,
    roots: Roots,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def missing(given: Given) -> builtin.OfferedTool:
        raise MissingExtra("the code index", "search")

    makers: dict[str, Callable[[Given], builtin.OfferedTool]] = {**TOOLS, "repo_map": missing}
    monkeypatch.setattr(builtin, "TOOLS", makers)
    settings = load_settings(tmp_path, {"XDG_DATA_HOME": str(tmp_path)})
    with caplog.at_level(logging.WARNING, "penstock.tools"):
        tools = toolset(gate, roots, settings)
    assert "repo_map" not in {offer.name for offer in tools.offers}
    assert "repo_map is not offered: the code index needs an optional package" in caplog.text
    with pytest.raises(MissingExtra):
        toolset(gate, roots, settings, ["repo_map"])
