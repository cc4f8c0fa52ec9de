"""The gate as users meet it: with the settings, and with what a call says in their place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from penstock.configured import Gate, Tool, ledger_of, reader_of, store_of
from penstock.core.limits import Limits
from penstock.errors import SettingsError
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import SqliteLedger
from penstock.settings import Settings, load_settings
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import BrokenLedger, Clock, Fourths, assert_text_within

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 3_001))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.chdir(tmp_path / "project" / "deep")
    return tmp_path / "project"


def set_to(project: Path, text: str) -> Settings:
    (project / "penstock.yaml").write_text(text)
    return load_settings()


def test_gate_keeps_in_tool_output_at_the_projects_root(project: Path) -> None:
    with Gate() as gate:
        view = gate.admit(LOG, tool="Bash")
        assert view.truncated
        assert view.path is not None
        assert Path(view.path).parent == project / "tool-output"
        assert Path(view.path).read_text() == LOG
        assert_text_within(view.text, Limits(lines=2_000, bytes=51_200))
        assert "read_output" in view.text
    with Gate() as again:
        assert view.handle is not None
        assert again.read(view.handle, start=7).data.startswith(b"7 a line")
        assert again.ledger is not None
        assert again.ledger.totals()[0].truncated == 1


def test_gate_creates_nothing_while_nothing_is_kept(project: Path) -> None:
    with Gate() as gate:
        assert gate.admit("small").text == "small"
        assert list(gate.records()) == []
    assert not (project / "tool-output").exists() or list((project / "tool-output").glob("tool_*")) == []


def test_settings_decide_and_a_call_goes_before_them(project: Path) -> None:
    settings = set_to(
        project,
        """
tool_output_limits:
  default: {max_chars: 900, max_lines: 50, truncation_strategy: tail, head_ratio: 0.25}
  tools: {Bash: {max_chars: 700, truncation_strategy: head}, grep_output: {max_chars: 450}}
agent_guard: {max_chars: 600}
agents:
  small: {max_tool_result_length: 1000, tools: {Bash: {max_chars: 500, truncation_strategy: head_tail}}}
  windowed: {max_tool_result_length: null, model: tiny}
models: {tiny: 2000}
language: zh
notice: head
reader: cli
media_bytes: 12345
trust_skip: false
store: {kind: memory, retention_days: 2}
""",
    )
    gate = Gate(settings=settings)
    other = gate.policy("Other")
    assert (other.limits.chars, other.limits.lines, other.strategy, other.ratio) == (900, 50, "tail", 0.25)
    assert (other.language, other.notice, other.reader, other.media_bytes) == ("zh", "head", "cli", 12345)
    assert not other.trust_skip
    assert (gate.policy("Bash").limits.chars, gate.policy("Bash").strategy) == (700, "head")
    assert (gate.policy("Bash", agent="small").limits.chars, gate.policy("Bash", agent="small").strategy) == (
        500,
        "head_tail",
    )
    assert gate.policy("Other", agent="small").limits.chars == 900
    assert gate.policy("Other", agent="windowed").limits.tokens == 300
    assert gate.policy("Other", agent="windowed", used_tokens=1_000).limits.tokens == 250
    assert gate.reading().chars == 600
    assert gate.reading(tool="grep_output").chars == 450
    assert isinstance(gate.store, MemoryStore)
    assert isinstance(gate.ledger, MemoryLedger)

    own = Gate(
        settings=settings, limits=Limits(chars=111), strategy="head_tail", ratio=0.75, reader="files", language="en",
        notice="end", counter=Fourths(), agent="small",
    ).policy("Bash")  # fmt: skip
    assert (own.limits.chars, own.strategy, own.ratio) == (111, "head_tail", 0.75)
    assert (own.reader, own.language, own.notice, own.counter.name) == ("files", "en", "end", "fourths")


def test_table_of_shipped_tools_holds_without_a_file(project: Path) -> None:
    gate = Gate()
    assert gate.policy("read_file").limits == Limits(chars=5_000, lines=200, bytes=51_200)
    assert gate.policy("grep_search").limits == Limits(lines=100, bytes=51_200)
    assert gate.policy("anything").limits == Limits(lines=2_000, bytes=51_200)
    assert gate.rules.guard == Limits(chars=8_000)


def test_environment_is_followed(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOOL_OUTPUT_MAX_LINES", "20")
    monkeypatch.setenv("TOOL_OUTPUT_TRUNCATE_DIRECTION", "tail")
    monkeypatch.setenv("TOOL_OUTPUT_DIR", str(tmp_path / "elsewhere"))
    with Gate() as gate:
        view = gate.admit(LOG)
        assert_text_within(view.text, Limits(lines=20))
        assert view.path is not None
        assert Path(view.path).parent == tmp_path / "elsewhere"
        assert "3000 a line" in view.text


def test_unknown_agent_is_refused_at_once_with_those_that_there_are(project: Path) -> None:
    settings = set_to(project, "agents: {coder: {}, tester: {}}")
    with pytest.raises(SettingsError, match="coder, tester"):
        Gate(settings=settings, agent="codr")
    with pytest.raises(SettingsError, match="coder, tester"):
        Gate(settings=settings).admit("x", agent="codr")


@pytest.mark.parametrize(
    ("said", "trusted", "obeyed"),
    [("", True, True), ("", False, False), ("trust_skip: true", False, True), ("trust_skip: false", True, False)],
)
def test_strangers_are_let_through_only_where_settings_say_so(
    project: Path, said: str, trusted: bool, obeyed: bool
) -> None:
    asking = {"status": "success", "text": LOG, "context": {"truncation_skip": True}}
    with Gate(settings=set_to(project, said), trusted=trusted, store=MemoryStore()) as gate:
        assert (gate.admit(asking, limits=Limits(chars=900)).reason == "skip") is obeyed


def test_directory_and_store_of_a_call_go_before_the_settings(project: Path, tmp_path: Path) -> None:
    with Gate(directory=str(tmp_path / "mine")) as gate:
        assert isinstance(gate.store, DiskStore)
        assert gate.store.directory == tmp_path / "mine"
        assert isinstance(gate.ledger, SqliteLedger)
    with Gate(store=MemoryStore()) as gate:
        assert isinstance(gate.ledger, MemoryLedger)
    with Gate(store=DiskStore(tmp_path / "theirs")) as gate:
        gate.admit(LOG)
    assert (tmp_path / "theirs" / "index.sqlite").exists()
    assert not (project / "tool-output").exists()


def test_ledger_can_be_switched_off(project: Path) -> None:
    settings = set_to(project, "ledger: {enabled: false}")
    with Gate(settings=settings) as gate:
        assert gate.ledger is None
        assert gate.admit(LOG).handle is not None
    assert ledger_of(settings, None, project) is None


def test_retention_and_quota_are_those_of_the_settings(project: Path) -> None:
    clock = Clock()
    settings = set_to(project, "store: {retention_days: 2, quota_bytes: 200000, durability: none}")
    with Gate(settings=settings, clock=clock) as gate:
        handles = []
        for number in range(3):
            clock.now += 1
            handles.append(gate.admit(f"{number}" + LOG).handle)
        assert [record.handle for record in gate.records()] == [handles[2]]
        clock.now += 2 * 86_400 + 1
        assert gate.sweep().results == 1
        assert list(gate.records()) == []


@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_sweep_forgets_records_that_are_older_than_the_settings_say(project: Path, kind: str) -> None:
    clock = Clock()
    settings = set_to(project, f"ledger: {{retention_days: 30}}\nstore: {{kind: {kind}}}")
    with Gate(settings=settings, clock=clock) as gate:
        gate.admit(LOG)
        clock.now += 29 * 86_400
        gate.sweep()
        assert gate.ledger is not None
        assert gate.ledger.totals()[0].admissions == 1
        clock.now += 2 * 86_400
        gate.sweep()
        assert gate.ledger.totals()[0].admissions == 0


def test_sweep_of_a_ledger_of_ones_own_is_left_to_its_owner(project: Path) -> None:
    assert Gate(store=MemoryStore(), ledger=BrokenLedger()).sweep().results == 0


def test_doors_choose_the_reader_where_the_settings_do_not(project: Path) -> None:
    assert reader_of(load_settings()) == "penstock"
    assert reader_of(load_settings(), "task") == "task"
    assert reader_of(set_to(project, "reader: none"), "task") == "none"


def test_store_of_settings_is_the_one_that_they_name(project: Path) -> None:
    assert isinstance(store_of(set_to(project, "store: {kind: memory}"), project), MemoryStore)
    store = store_of(set_to(project, "store: {kind: disk}"), project / "x")
    assert isinstance(store, DiskStore)
    assert store.directory == project / "x"


def test_tool_makes_a_gate_from_the_settings(project: Path) -> None:
    class Read(Tool):
        limits = Limits(chars=800)

        def execute(self, path: str) -> Any:
            return LOG

    class Fetch(Tool):
        async def execute(self) -> Any:
            return LOG

    assert_text_within(Read().execute("x"), Limits(chars=800))
    assert_text_within(asyncio.run(Fetch(limits=Limits(chars=700)).execute()), Limits(chars=700))
    gate = Gate(store=MemoryStore())
    assert Read(gate).gate is gate
