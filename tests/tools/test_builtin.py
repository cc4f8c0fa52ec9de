from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import MissingExtra
from penstock.gate import BareGate
from penstock.search.code_search import CodeSearch
from penstock.settings import load_settings
from penstock.tools import builtin
from penstock.tools.builtin import TOOLS, toolset
from penstock.tools.read_file import ReadFile
from penstock.tools.roots import Roots
from penstock.tools.toolset import Workshop


@pytest.fixture
def workshop(gate: BareGate, roots: Roots, tmp_path: Path) -> Workshop:
    settings = load_settings(tmp_path, {"XDG_DATA_HOME": str(tmp_path)})
    return Workshop(gate, roots, settings.tool, lambda: CodeSearch(tmp_path), tmp_path)


def test_all_tools_are_offered_by_the_names_of_their_offers(workshop: Workshop) -> None:
    tools, missing = toolset(workshop)
    assert [offer.name for offer in tools.offers[: len(TOOLS)]] == list(TOOLS)
    assert missing == []
    assert [name for name in TOOLS if tools.changes(name)] == ["index_repository"]


def test_tool_whose_extra_is_missing_is_left_out_aloud_and_refused_where_it_is_named(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> object:
        raise MissingExtra("the code index", "search")

    monkeypatch.setattr(builtin, "import_module", load)
    tools, missing = toolset(workshop)
    assert {offer.name for offer in tools.offers}.isdisjoint(TOOLS)
    assert [str(error) for error in missing] == [
        "the code index needs an optional package: pip install 'penstock[search]'"
    ] * len(TOOLS)
    with pytest.raises(MissingExtra):
        toolset(workshop, ["repo_map"])


def test_call_of_a_tool_that_is_not_offered_names_those_that_are(workshop: Workshop) -> None:
    tools, _ = toolset(workshop, ["read_file"])
    answer = tools.call("rm", {})
    assert answer.failed
    assert answer.text == "Error: there is no tool 'rm': there are grep_output, list_outputs, read_file, read_output"
    assert tools.call("read_file", "{broken").text.startswith("Error: the arguments are not JSON")


def test_tool_that_breaks_down_is_answered_and_logged(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("boom " + "x" * 90_000)

    tools, _ = toolset(workshop, ["read_file"])
    monkeypatch.setattr(ReadFile, "execute", broken)
    answer = tools.call("read_file", {"path": "a"})
    assert answer.failed
    assert answer.text.startswith("Error: something went wrong inside Penstock (RuntimeError: boom ")
    assert len(answer.text) <= 5_000
    assert caplog.records[0].message.startswith("read_file broke down: RuntimeError('boom ")
