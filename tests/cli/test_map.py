from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import call, python

GATE = "class SluiceGate:\n    def open_wide(self): ...\n"
USER = "def use_gate():\n    return SluiceGate()\n"


@pytest.fixture(autouse=True)
def tree(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(project.parent / "data"))
    (project / "src").mkdir()
    (project / "src" / "gate.py").write_text(GATE)
    (project / "user.py").write_text(USER)
    return project


def test_map_of_this_folder_shows_what_matters_and_how_much_there_is() -> None:
    done = call("map")
    assert (done.code, done.err) == (0, "")
    assert done.text == (
        "src/gate.py:\n1  class SluiceGate:\n2      def open_wide(self): ...\n\n"
        "user.py:\n1  def use_gate():\n\n[3 of 3 definitions in 2 of 2 files]\n"
    )


def test_query_files_and_tokens_are_obeyed() -> None:
    assert call("map", "--query", "use_gate").text.startswith("user.py:")
    assert "gate.py" not in call("map", "--file", "src/gate.py").text
    assert call("map", "--max-tokens", "12").text.count("\n") == 1


def test_part_of_a_project_is_mapped_with_paths_from_its_root(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "src")
    assert call("map").text.startswith("src/gate.py:\n")
    assert call("map", "../user.py").text.startswith("user.py:\n")


def test_json_has_the_definitions_with_their_lines() -> None:
    found = call("map", "--json").json
    assert found["files"][0] == {
        "path": "src/gate.py",
        "definitions": [
            {"name": "SluiceGate", "line": 1, "signature": "class SluiceGate:"},
            {"name": "open_wide", "line": 2, "signature": "    def open_wide(self): ..."},
        ],
    }
    assert (found["definitions"], found["files_in_all"], found["partial"], found["remarks"]) == (3, 2, False, [])
    assert found["text"] + "\n" == call("map").text


def test_what_was_parsed_is_kept_in_the_users_data_folder(tree: Path) -> None:
    call("map")
    kept = list((tree.parent / "data" / "penstock" / "code-search" / "maps").glob("project-*.sqlite"))
    assert len(kept) == 1
    assert sorted(path.name for path in tree.iterdir()) == ["penstock.yaml", "src", "user.py"]


def test_limits_of_the_settings_hold(tree: Path) -> None:
    (tree / "penstock.yaml").write_text("tool_output_limits: {tools: {repo_map: {max_lines: 2}}}\n")
    assert call("map").text.count("\n") <= 2


def test_path_that_is_not_there_is_refused() -> None:
    assert call("map", "gone").err == "penstock: there is no 'gone'\n"
    assert call("map", "gone").code == 2
    assert "there is no" in call("map", "--file", "gone.py").err
    assert call("map", "--max-tokens", "0").code == 2


def test_missing_extra_is_told_with_what_to_install() -> None:
    code = "import sys; sys.modules['tree_sitter'] = None; from penstock.cli import main; sys.exit(main(['map']))"
    done = subprocess.run(python(code), capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr == b"penstock: the code index needs an optional package: pip install 'penstock[search]'\n"
