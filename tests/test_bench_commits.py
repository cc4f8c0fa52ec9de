"""Labels out of commits: what is asked, what is wanted, and a tree that knows nothing of it yet."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("semble_grammars", reason="the code index needs penstock[search]")

from bench import commits, search
from bench.commits import Commit, Label, label_of, query_of

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")


class History:
    """A small repository, commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git_directory = folder / ".git"
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, subject: str, *, author: str = "Ann", **files: str | None) -> str:
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_dot_", ".")
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self._git("add", "--all")
        self._git("commit", "--quiet", f"--author={author} <a@b.c>", f"--message={subject}")
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments: str) -> str:
        settings = ("user.name=Ann", "user.email=a@b.c", "commit.gpgSign=false", "core.hooksPath=/dev/null")
        done = subprocess.run(
            ["git", *(word for one in settings for word in ("-c", one)), *arguments],
            cwd=self.folder,
            env=os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout


@pytest.fixture
def history(tmp_path: Path) -> History:
    folder = tmp_path / "shop"
    folder.mkdir()
    return History(folder)


def commit(subject: str, *changed: str, author: str = "Ann") -> Commit:
    return Commit("0" * 40, author, subject, changed)


@needs_git
def test_labels_are_judged_on_the_tree_before_the_oldest_of_them(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin", pay_dot_py="def charge(): ...\n", cart_dot_py="def total(): ...\n")
    before = history.commit("Release 1.0.0", cart_dot_py="def total(): return 0\n")
    first = history.commit("Refuse a negative charge of a card", pay_dot_py="def charge(sum): ...\n")
    history.commit("Release 1.0.1", cart_dot_py="def total(): return 1\n")
    history.commit("Say what an order is and what not", order_dot_md="", invoice_dot_py="")
    history.commit("Say more of what an order is", order_dot_md="An order is paid for.\n")
    history.commit("Invoice says what was paid for", invoice_dot_py="def invoice(): ...\n")
    last = history.commit("Total of an empty cart is nothing", cart_dot_py=None)
    made = tmp_path / "made"
    assert commits.main([str(made), "--repo", f"shop={history.git_directory}", "--most", "3"]) == 0
    told = capsys.readouterr().out
    assert f"shop at {before[:10]}: 2 queries" in told
    assert all(one in told for one in ("1 not about code", "1 no source changed", "1 not in the tree yet"))
    queries = [json.loads(line) for line in (made / "queries.jsonl").read_text().splitlines()]
    assert [(query["id"], query["query"], query["relevant"]) for query in queries] == [
        (f"shop#{last[:10]}", "Total of an empty cart is nothing", [{"path": "cart.py"}]),
        (f"shop#{first[:10]}", "Refuse a negative charge of a card", [{"path": "pay.py"}]),
    ]
    tree = made / commits.TREES / "shop"
    assert sorted(path.name for path in tree.iterdir()) == ["cart.py", "pay.py"]
    assert (tree / "pay.py").read_text() == "def charge(): ...\n"

    arguments = ["--labels", str(made), "--checkouts", str(made / commits.TREES), "--baseline"]
    assert search.main(arguments) == 0
    total = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("all languages"))
    assert total.split()[2:] == ["1.0000", "1.000", "1.000", "1.000"]


@needs_git
def test_repository_without_a_query_is_told_and_left_out(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin all of it with one file", pay_dot_md="")
    history.commit("Say of all of it what it is", pay_dot_md="It is a shop.\n")
    assert commits.main([str(tmp_path / "made"), "--repo", f"shop={history.git_directory}"]) == 0
    assert "0 queries; left out: 1 no source changed" in capsys.readouterr().out
    assert json.loads((tmp_path / "made" / "manifest.json").read_text()) == []


@needs_git
def test_tests_beside_code_are_targets_only_if_wanted(history: History, tmp_path: Path) -> None:
    history.commit("Begin", pay_dot_py="", tests__test_pay_dot_py="")
    history.commit("Refuse a negative sum of money", pay_dot_py="1\n", tests__test_pay_dot_py="1\n")
    for flags, secondary in ([], []), (["--with-tests"], [{"path": "tests/test_pay.py"}]):
        made = tmp_path / f"made{len(flags)}"
        commits.main([str(made), "--labels-only", "--repo", f"shop={history.git_directory}", *flags])
        query = json.loads((made / "queries.jsonl").read_text())
        assert (query["relevant"], query["secondary"]) == ([{"path": "pay.py"}], secondary)
        assert not (made / commits.TREES).exists()


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        (commit("Bump the limit of open orders", "a.py"), "not about code"),
        (commit("chore: move the limit of orders", "a.py"), "not about code"),
        (commit("Fix a typo in what is refused", "a.py"), "not about code"),
        (commit("Update all dependencies to what is new", "a.py"), "not about code"),
        (commit("Refuse a negative sum of money", "a.py", author="robot[bot]"), "of a bot"),
        (commit("Fix the sum (#12)", "a.py"), "too short"),
        (commit("Refuse a negative sum of money", "a.md", "setup.py", "b.json"), "no source changed"),
        (commit("Refuse a negative sum of money", "a.py", "b.go", "c.rs", "d.kt"), "too wide"),
        (commit("Refuse a negative sum in Pay.py too", "src/pay.py"), "names the file"),
    ],
)
def test_commit_that_asks_for_no_code_is_left_out_for_a_reason(left_out: Commit, reason: str) -> None:
    assert label_of(left_out) == reason


def test_tests_are_what_is_wanted_where_nothing_else_was_changed() -> None:
    label = label_of(commit("Wait longer for the slow payment", "tests/slow.py", "notes.md"))
    assert isinstance(label, Label)
    assert (label.category, label.targets, label.tests) == ("tests", ("tests/slow.py",), ())


def test_query_with_the_name_of_its_file_is_told_apart() -> None:
    found = [label_of(commit(f"Refuse a negative sum {words}", "src/pay.py")) for words in ("in pay", "of payments")]
    assert [label.category for label in found if isinstance(label, Label)] == ["named", "told"]


@pytest.mark.parametrize(
    ("subject", "query"),
    [
        ("fix(cart): count each line once (#123)", "cart: count each line once"),
        ("feat!: pay with two cards", "pay with two cards"),
        ("[LANG-12] Parse an empty date. Closes #7", "Parse an empty date"),
        ("Decode UTF-8 of a name [ci skip]", "Decode UTF-8 of a name"),
        ("reverseproxy: retry what was refused", "reverseproxy: retry what was refused"),
    ],
)
def test_query_is_the_subject_without_what_machines_read(subject: str, query: str) -> None:
    assert query_of(subject) == query


@pytest.mark.parametrize(
    "path", ["test/a.rb", "src/jvmTest/A.kt", "Polly.Specs/A.cs", "src/a_test.go", "src/ATests.swift", "x/a.spec.ts"]
)
def test_path_of_a_test_is_known(path: str) -> None:
    assert commits.is_test(path)


@pytest.mark.parametrize("path", ["src/latest.py", "src/catch_test_case.cpp", "lib/contest/a.rb", "src/.py"])
def test_path_of_no_test_is_known(path: str) -> None:
    assert not commits.is_test(path)


def test_repository_without_a_place_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        commits.main(["made", "--repo", "../shop=x"])
    assert "is not NAME=GITDIR" in capsys.readouterr().err
