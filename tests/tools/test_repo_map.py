from __future__ import annotations

import logging
import random
import time
from pathlib import Path

import pytest

from penstock.core.limits import Limits
from penstock.core.rules import PlainRules
from penstock.errors import ArgumentError, CallerError
from penstock.gate import BareGate
from penstock.tools import repo_map, tagging
from penstock.tools.repo_map import OFFER, RepoMap
from penstock.tools.roots import Roots
from penstock.tools.toolset import Toolset

from .conftest import write

FILES: dict[str, str | bytes] = {
    "src/gate.py": "class SluiceGate:\n    def open_wide(self): ...\n\ndef unused(): ...\n",
    "src/user.py": "from gate import SluiceGate\n\ndef use_gate():\n    return SluiceGate().open_wide()\n",
    "src/other.py": "def turn_valve():\n    SluiceGate()\n",
}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "maps"


@pytest.fixture
def tool(gate: BareGate, roots: Roots, cache: Path) -> RepoMap:
    return RepoMap(gate, roots, cache)


def large(root: Path, files: int, seed: int = 0) -> None:
    chance = random.Random(seed)
    for number in range(files):
        lines = [f"class Valve{number}:\n    def turn_{number}(self, gate: int) -> int:"]
        lines += [f"        do_task_{chance.randrange(files)}(Valve{chance.randrange(files)}())" for _ in range(8)]
        lines += [f"\n\ndef do_task_{number}():\n    return {number}\n"]
        write(root, {f"p{number % 20}/m{number}.py": "\n".join(lines)})


def test_what_is_used_comes_first_with_its_line(tool: RepoMap, root: Path) -> None:
    write(root, FILES)
    found = tool.execute()
    assert found.startswith("src/gate.py:\n1  class SluiceGate:\n2      def open_wide(self): ...\n")
    assert found.endswith("\n\n[5 of 5 definitions in 3 of 3 files]")


def test_query_decides_what_comes_first(tool: RepoMap, root: Path) -> None:
    write(root, FILES)
    assert tool.execute(query="turn_valve").startswith("src/other.py:\n1  def turn_valve():")
    assert tool.execute(query="src/user.py").startswith("src/user.py:")
    assert tool.execute() == tool.execute(query="")


def test_files_that_the_reader_has_are_left_out(tool: RepoMap, root: Path) -> None:
    write(root, FILES)
    found = tool.execute(files=["src/gate.py"])
    assert "SluiceGate:" not in found
    assert found.endswith("[2 of 2 definitions in 2 of 2 files; without the 1 that you have]")


def test_same_tree_and_arguments_give_the_same_bytes(gate: BareGate, roots: Roots, root: Path, tmp_path: Path) -> None:
    large(root, 60)
    asked = {"query": "valve 7 task", "files": ["p1/m1.py"], "max_tokens": 500}
    answers = {RepoMap(gate, roots, tmp_path / f"maps{n % 2}").execute(**asked) for n in range(4)}
    assert len(answers) == 1


def test_prompt_never_causes_parsing(tool: RepoMap, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, FILES)
    tool.execute()
    monkeypatch.setattr(tagging, "_tags", lambda *_: pytest.fail("a file was parsed again"))
    for query in ("gate", "valve", "src/user.py"):
        tool.execute(query=query, files=["src/other.py"], max_tokens=100)


@pytest.mark.parametrize(
    "limits",
    [Limits(chars=300), Limits(lines=7), Limits(bytes=300), Limits(tokens=60), Limits(1_000, 12, 900, 150), Limits(1)],
)
def test_answer_is_within_the_limits_of_the_tool(roots: Roots, root: Path, cache: Path, limits: Limits) -> None:
    large(root, 40)
    gate = BareGate(rules=PlainRules(tools={"repo_map": limits}))
    found = RepoMap(gate, roots, cache).execute()
    assert gate.size(found, limits).over(limits) is None


def test_own_limits_hold_and_max_tokens_only_tightens_them(tool: RepoMap, gate: BareGate, root: Path) -> None:
    large(root, 400)
    limits = gate.policy("repo_map").limits
    assert (limits.chars, limits.lines) == (10_000, 1_000)
    whole = tool.execute()
    assert gate.size(whole, limits).over(limits) is None
    assert len(whole) > 9_000
    for most in (10, 200, 10**9):
        found = tool.execute(max_tokens=most)
        assert gate.size(found, Limits(tokens=most)).over(Limits(tokens=most)) is None
        assert len(found) <= 10_000
    with pytest.raises(ArgumentError, match=r"^max_tokens = 0 is not allowed: it must be a whole number from 1 on"):
        tool.execute(max_tokens=0)


def test_time_that_is_over_gives_a_part_that_says_so_and_the_next_call_goes_on(
    gate: BareGate, roots: Roots, root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(root, 30)
    understood = tagging._tags

    def slowly(*args: object) -> object:
        time.sleep(0.05)
        return understood(*args)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(tagging, "_tags", slowly)
    first = RepoMap(gate, roots, cache, seconds=0.5).execute()
    assert "; partial: " in first
    assert " files were looked at within 0.5 s, " in first
    assert first.endswith(" or more were not; call again to go on]")
    found = first
    for _ in range(60):
        found = RepoMap(gate, roots, cache, seconds=0.5).execute()
        if "partial" not in found:
            break
    assert found.endswith(" of 30 files]")


def test_ranking_that_is_cut_short_is_told(gate: BareGate, roots: Roots, root: Path, cache: Path) -> None:
    write(root, FILES)
    assert "ranked by what was known" in RepoMap(gate, roots, cache, seconds=0.0).execute()


def test_tree_of_too_many_files_is_told(tool: RepoMap, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (repo_map, tagging):
        monkeypatch.setattr(module, "MOST_FILES", 2)
    write(root, FILES)
    assert tool.execute().endswith("; partial: 2 files were looked at, which is the most; map a folder of it]")


def test_missing_grammar_and_lost_cache_are_told(
    gate: BareGate, roots: Roots, root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(root, FILES | {"old.cbl": "X.\n"})
    (tmp_path / "file").touch()
    with caplog.at_level(logging.WARNING, "penstock.tools"):
        found = RepoMap(gate, roots, tmp_path / "file").execute()
    assert "; no grammar for cobol: 1 file;" in found
    assert "what was learned could not be kept for the next call" in found
    assert "cannot be used" in caplog.text


def test_files_that_are_too_large_or_no_text_of_people_are_told(tool: RepoMap, root: Path) -> None:
    write(root, {"huge.py": b"x = 1\n" * 400_000, "small.min.py": "x = 1\n" + "y = [" + "1, " * 9_000 + "]\n"})
    assert tool.execute() == "[0 of 0 definitions in 0 of 1 file; minified: 1 file; too large: 1 file]"


def test_folder_and_file_are_mapped_alone(tool: RepoMap, root: Path) -> None:
    write(root, FILES | {"lib/x.py": "def far_away(): ...\n"})
    assert tool.execute("lib") == "lib/x.py:\n1  def far_away(): ...\n\n[1 of 1 definition in 1 of 1 file]"
    assert tool.execute("src/other.py").startswith("src/other.py:\n1  def turn_valve():")


def test_paths_outside_and_missing_ones_are_refused(tool: RepoMap, root: Path) -> None:
    for path in ("..", "/etc", "gone"):
        with pytest.raises(CallerError):
            tool.execute(path)
    with pytest.raises(CallerError, match=r"there is no 'gone\.py'"):
        tool.execute(files=["gone.py"])


def test_empty_tree_says_so(tool: RepoMap, root: Path) -> None:
    assert tool.execute() == "[0 of 0 definitions in 0 of 0 files]"


def test_model_calls_it_by_name_and_is_told_what_is_wrong(tool: RepoMap, gate: BareGate, root: Path) -> None:
    write(root, FILES)
    tools = Toolset(gate, [tool])
    assert tools.call("repo_map", '{"files": "src/gate.py", "max_tokens": "200"}').text.endswith(
        "without the 1 that you have]"
    )
    wrong = tools.call("repo_map", {"files": [3]})
    assert (wrong.failed, wrong.text) == (True, "Error: repo_map: files = [3] is not allowed: a list of texts")
    assert OFFER.name == "repo_map"


def test_warm_call_is_fast(tool: RepoMap, root: Path) -> None:
    large(root, 300)
    tool.execute()
    began = time.monotonic()
    tool.execute(query="valve")
    assert time.monotonic() - began < 5
