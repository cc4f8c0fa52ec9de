from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.core.limits import Limits
from penstock.errors import ArgumentError, CallerError, PatternError, ToolError
from penstock.gate import BareGate
from penstock.tools import grep_search, ripgrep
from penstock.tools.grep_search import GrepSearch
from penstock.tools.roots import Roots
from strategies import assert_text_within

from .conftest import write

LIMITS = Limits(lines=100, bytes=51_200)


@pytest.fixture(params=["ripgrep", "our own"])
def tool(gate: BareGate, roots: Roots, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> GrepSearch:
    if request.param == "our own":
        monkeypatch.setattr(ripgrep, "installed", lambda: None)
    elif ripgrep.installed() is None:
        pytest.skip("ripgrep is not installed here")
    return GrepSearch(gate, roots)


def test_match_is_shown_with_its_file_its_line_and_the_lines_around(tool: GrepSearch, root: Path) -> None:
    write(root, {"src/a.py": "one\ntwo\nneedle\nfour\nfive\nsix\n", "b.txt": "nothing\n"})
    assert tool.execute("needle") == (
        "src/a.py (1 match)\n1-one\n2-two\n3:needle\n4-four\n5-five\n\n[1 match in 1 file]"
    )
    assert tool.execute("needle", context=0) == "src/a.py (1 match)\n3:needle\n\n[1 match in 1 file]"
    assert tool.execute("nowhere") == "[no match]"


def test_what_does_not_fit_is_counted_and_skip_goes_on_to_the_last(tool: GrepSearch, root: Path) -> None:
    write(root, {f"f{n:02d}.txt": f"needle {n}a\nx\nx\nx\nx\nx\nneedle {n}b\n" for n in range(60)})
    seen: list[str] = []
    skip = 0
    for _ in range(40):
        page = tool.execute("needle", skip=skip)
        assert_text_within(page, LIMITS)
        seen += re.findall(r"^\d+:(needle \w+)$", page, re.MULTILINE)
        follow = re.search(r"next: skip=(\d+)", page)
        if follow is None:
            break
        assert "of 120 in 60 files" in page
        rest = re.findall(r"^(f\d\d)\.txt: 2$", page, re.MULTILINE)
        assert rest or "f59.txt (2 matches)" in page
        skip = int(follow[1])
    assert seen == [f"needle {n}{half}" for n in range(60) for half in "ab"]
    assert tool.execute("needle", skip=500) == "[nothing behind skip=500: 120 matches in 60 files]"


def test_limit_says_how_many_are_shown(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "needle\n" * 50, "b.txt": "needle\n"})
    page = tool.execute("needle", limit=3, context=0)
    assert page.count(":needle") == 3
    assert "[matches 1-3 of 51 in 2 files; next: skip=3]\nb.txt: 1" in page


def test_ignored_hidden_and_binary_files_are_left_out_unless_wanted(tool: GrepSearch, root: Path) -> None:
    write(
        root,
        {
            ".gitignore": "build/\n*.log\n",
            "build/a.txt": "needle",
            "x.log": "needle",
            ".hidden": "needle",
            "data.bin": b"\0needle",
            "sub/.gitignore": "!x.log\nown.txt\n",
            "sub/x.log": "needle",
            "sub/own.txt": "needle",
            "kept.txt": "needle",
        },
    )
    assert re.findall(r"^(\S+) \(", tool.execute("needle"), re.MULTILINE) == ["kept.txt", "sub/x.log"]
    assert re.findall(r"^(\S+) \(", tool.execute("needle", path="sub"), re.MULTILINE) == ["sub/x.log"]
    every = tool.execute("needle", everything=True)
    assert {".hidden", "build/a.txt", "x.log", "sub/own.txt"} <= set(re.findall(r"^(\S+) \(", every, re.MULTILINE))


@pytest.mark.parametrize(
    ("glob", "names"), [("*.py", ["a.py", "src/b.py"]), ("src/**", ["src/b.py", "src/c.js"]), ("!*.py", ["src/c.js"])]
)
def test_glob_chooses_files(tool: GrepSearch, root: Path, glob: str, names: list[str]) -> None:
    write(root, {"a.py": "needle", "src/b.py": "needle", "src/c.js": "needle"})
    assert re.findall(r"^(\S+) \(", tool.execute("needle", glob=glob), re.MULTILINE) == names


def test_case_and_plain_text_are_as_asked(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "Needle[0]\nneedle0\n"})
    assert "2 matches" in tool.execute("NEEDLE", ignore_case=True)
    assert "1:Needle[0]" in tool.execute("Needle[0]", fixed=True, context=0)
    assert tool.execute("-e", fixed=True) == "[no match]"  # a pattern is never taken for an option


def test_long_line_is_shown_around_the_match(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.min.js": "x" * 500_000 + "needle" + "y" * 500_000})
    page = tool.execute("needle")
    assert "xneedley" in page
    assert len(page) < 2_000


def test_file_itself_can_be_searched(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "needle", "b.txt": "needle"})
    assert tool.execute("needle", path="b.txt") == "b.txt (1 match)\n1:needle\n\n[1 match in 1 file]"


def test_links_out_of_the_root_are_not_followed(tool: GrepSearch, root: Path) -> None:
    write(root.parent, {"secret/a.txt": "needle"})
    (root / "way").symlink_to(root.parent / "secret")
    (root / "file").symlink_to(root.parent / "secret" / "a.txt")
    assert tool.execute("needle") == "[no match]"
    with pytest.raises(CallerError, match="outside"):
        tool.execute("needle", path="way")


def test_hostile_pattern_is_answered_in_linear_time(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "a" * 100_000 + "!"})
    began = time.monotonic()
    assert tool.execute("(a+)+$") == "[no match]"
    assert time.monotonic() - began < 5
    with pytest.raises(PatternError, match="cannot be used"):
        tool.execute("(a")


def test_search_that_takes_too_long_says_so(tool: GrepSearch, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {f"{n}.txt": "needle" for n in range(3)})
    monkeypatch.setattr(grep_search, "SECONDS", 1e-9)
    assert "time limit" in tool.execute("needle")


def test_tiny_limits_hold(gate: BareGate, roots: Roots, root: Path) -> None:
    write(root, {f"{n}.txt": "needle and more\n" * 9 for n in range(9)})
    tool = GrepSearch(gate, roots)
    for limits in (Limits(lines=1), Limits(chars=40), Limits(chars=200, lines=4), Limits(tokens=30), Limits(bytes=120)):
        tool.limits = limits  # type: ignore[misc]  # as a subclass would set it
        assert_text_within(tool.execute("needle"), Limits(limits.chars, limits.lines, limits.bytes))


def test_ripgrep_that_cannot_be_started_is_a_clear_error(
    gate: BareGate, roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "installed", lambda: str(root / "gone"))
    with pytest.raises(ToolError, match="ripgrep cannot be started: No such file"):
        GrepSearch(gate, roots).execute("x")


def test_names_that_are_not_utf_8_are_told_readably(tool: GrepSearch, root: Path) -> None:
    path = os.fsencode(root) + b"/bad-\xff.txt"
    try:
        with open(path, "wb") as file:  # noqa: PTH123  # a Path takes no bytes
            file.write(b"needle")
    except OSError:
        pytest.skip("this file system takes only UTF-8")
    page = tool.execute("needle", context=0)
    assert page == "bad-\N{REPLACEMENT CHARACTER}.txt (1 match)\n1:needle\n\n[1 match in 1 file]"


def test_name_that_holds_a_newline_is_one_name(tool: GrepSearch, root: Path) -> None:
    write(root, {"new\nline.txt": "needle\n", "a.txt": "needle\n"})
    assert tool.execute("needle", context=0) == (
        "a.txt (1 match)\n1:needle\n\nnew\nline.txt (1 match)\n1:needle\n\n[2 matches in 2 files]"
    )


def test_what_no_command_line_can_say_is_searched_all_the_same(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "needle\n", "late.txt": b"x\n" * 40_000 + b"\0"})
    assert "[1 match in 1 file]" in tool.execute("\0", context=0)
    assert tool.execute("needle", glob="\0*") == "[no match]"
    write(root, {"half.txt": "half \ud800 a pair\n".encode("utf-8", "surrogatepass")})
    assert "[1 match in 1 file]" in tool.execute("\ud800", fixed=True)
    assert tool.execute("\udcff", fixed=True) == "[no match]"


def test_pattern_that_ripgrep_does_not_know_is_searched_all_the_same(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "a.b\naxb\n"})
    assert tool.execute(r"\Qa.b\E", context=0) == "a.txt (1 match)\n1:a.b\n\n[1 match in 1 file]"


@pytest.mark.parametrize("glob", ["\\", "x" * 1_001])
def test_glob_that_is_none_is_refused_by_its_name(tool: GrepSearch, root: Path, glob: str) -> None:
    write(root, {"a.txt": "needle\n"})
    with pytest.raises(ArgumentError, match=r"^glob = 'x?.* is not allowed: it must be") as refused:
        tool.execute("needle", glob=glob)
    assert len(str(refused.value)) < 200


def test_file_that_goes_while_others_are_searched_spoils_nothing(
    tool: GrepSearch, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a.txt": "needle\n", "b.txt": "needle\n"})
    count_lines = grep_search.count_lines

    def then_gone(*args: Any) -> Any:
        counted = count_lines(*args)
        (root / "a.txt").unlink()
        return counted

    monkeypatch.setattr(grep_search, "count_lines", then_gone)
    assert "b.txt (1 match)\n1:needle" in tool.execute("needle", context=0)
