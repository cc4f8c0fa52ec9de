from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import CallerError
from penstock.gate import BareGate
from penstock.tools import repo_structure
from penstock.tools.repo_structure import RepoStructure
from penstock.tools.roots import Roots

from .conftest import write


@pytest.fixture
def tool(gate: BareGate, roots: Roots) -> RepoStructure:
    return RepoStructure(gate, roots)


def test_tree_is_shown_folders_first_and_deep_folders_counted(tool: RepoStructure, root: Path) -> None:
    write(root, dict.fromkeys(("z.txt", "a/b/c/d/deep.py", "a/b/c/e.py", "a/b/f.py", "a/g.py"), ""))
    assert tool.execute() == ("root/ (5 files)\n  a/\n    b/\n      c/ (2 files)\n      f.py\n    g.py\n  z.txt")
    assert tool.execute(depth=1) == "root/ (5 files)\n  a/ (4 files)\n  z.txt"
    assert tool.execute("a/b", depth=9) == "a/b/ (3 files)\n  c/\n    d/\n      deep.py\n    e.py\n  f.py"


def test_what_is_over_the_number_of_files_is_counted_near_the_root_last(tool: RepoStructure, root: Path) -> None:
    write(root, {f"top{n}.txt": "" for n in range(3)} | {f"sub/f{n}.txt": "" for n in range(9)})
    assert tool.execute(files=6) == (
        "root/ (12 files)\n  sub/\n    f0.txt\n    f1.txt\n    ... 7 more files\n  top0.txt\n  top1.txt\n  top2.txt"
    )
    assert tool.execute(files=4).splitlines()[1] == "  sub/ (9 files)"


def test_more_folders_than_may_be_listed_are_counted(tool: RepoStructure, root: Path) -> None:
    write(root, {f"d{n}/a": "" for n in range(5)})
    assert tool.execute(files=2).splitlines()[1:] == [
        "  d0/ (1 file)",
        "  d1/ (1 file)",
        "  ... 3 more folders (3 files)",
    ]


def test_ignored_and_hidden_files_are_left_out_and_links_told(tool: RepoStructure, root: Path) -> None:
    write(root, {".gitignore": "out/\n", "out/x": "", ".env": "", "a": ""})
    (root / "way").symlink_to("/etc")
    assert tool.execute() == "root/ (2 files)\n  a\n  way (a link)"
    assert ".env" in tool.execute(everything=True)


def test_settings_say_how_deep_and_how_many(gate: BareGate, roots: Roots, root: Path) -> None:
    write(root, {"a/b/c": "", "d": "", "e": ""})
    assert (
        RepoStructure(gate, roots, depth=1, files=2).execute()
        == "root/ (3 files)\n  a/ (1 file)\n  d\n  ... 1 more file"
    )


def test_file_has_no_structure(tool: RepoStructure, root: Path) -> None:
    write(root, {"a": ""})
    with pytest.raises(CallerError, match="'a' is a file: read_file shows it"):
        tool.execute("a")


def test_tree_that_takes_too_long_is_shown_as_far_as_it_was_read(
    tool: RepoStructure, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a": ""})
    monkeypatch.setattr(repo_structure, "SECONDS", -1.0)
    assert "not all of it was looked at" in tool.execute()


def test_ignored_folder_is_listed_where_it_is_named(tool: RepoStructure, root: Path) -> None:
    write(root, {".gitignore": "build/\n", "build/a.txt": "", "build/.gitignore": "b.txt\n", "build/b.txt": ""})
    assert tool.execute() == "root/ (0 files)"
    assert tool.execute("build") == "build/ (1 file)\n  a.txt"


@pytest.mark.parametrize("arguments", [{"depth": 0}, {"files": 0}, {"depth": True}])
def test_wrong_number_is_named_with_what_is_allowed(tool: RepoStructure, arguments: dict[str, int]) -> None:
    (name,) = arguments
    with pytest.raises(CallerError, match=f"^{name} = .* is not allowed: it must be a whole number from 1 on"):
        tool.execute(**arguments)


def test_other_roots_are_told_where_the_first_is_listed(gate: BareGate, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    tool = RepoStructure(gate, Roots([root, other]))
    assert tool.execute() == f"root/ (0 files)\n[other roots: {other.resolve()}]"
    assert tool.execute(str(other)) == f"{other.resolve().as_posix()}/ (0 files)"
