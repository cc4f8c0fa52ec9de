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


def test_what_no_command_line_can_say_is_searched_all_the_same(tool: GrepSearch, root: Path) -> None:
    write(root, {"a.txt": "needle\n", "late.txt": b"x\n" * 40_000 + b"\0"})
    assert "[1 match in 1 file]" in tool.execute("\0", context=0)
    assert tool.execute("needle", glob="\0*") == "[no match]"
    write(root, {"half.txt": "half \ud800 a pair\n".encode("utf-8", "surrogatepass")})
    assert "[1 match in 1 file]" in tool.execute("\ud800", fixed=True)
    assert tool.execute("\udcff", fixed=True) == "[no match]"


@pytest.mark.parametrize("glob", ["\\", "x" * 1_001])
def test_glob_that_is_none_is_refused_by_its_name(tool: GrepSearch, root: Path, glob: str) -> None:
    write(root, {"a.txt": "needle\n"})
    with pytest.raises(ArgumentError, match=r"^glob = .* is not allowed: it must be") as refused:
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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_line_break_in_the_name_of_a_file_hides_no_other_file(tool: GrepSearch, root: Path) -> None:
    write(root, {"a\nb.txt": "needle\n", "c\x1b[31m.txt": "needle\n", "d.txt": "needle\n"})
    assert tool.execute("needle", context=0) == (
        "a\ufffdb.txt (1 match)\n1:needle\n\nc\ufffd[31m.txt (1 match)\n1:needle\n\n"
        "d.txt (1 match)\n1:needle\n\n[3 matches in 3 files]"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows names are Unicode")
def test_names_that_are_not_utf_8_are_asked_of_the_ignore_files_and_of_a_glob(tool: GrepSearch, root: Path) -> None:
    write(root, {".gitignore": "*.log\n"})
    for name in (b"bad\xff.txt", b"bad\xff.log"):
        (Path(os.fsdecode(os.fsencode(root) + b"/" + name))).write_bytes(b"needle\n")
    assert "[1 match in 1 file]" in tool.execute("needle")
    assert "[1 match in 1 file]" in tool.execute("needle", glob="*.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_what_is_no_text_is_refused_or_told_where_it_is_named(tool: GrepSearch, root: Path) -> None:
    os.mkfifo(root / "pipe")
    write(root, {"x.bin": b"needle\0"})
    with pytest.raises(CallerError, match="'pipe' is not a regular file: a FIFO is never read"):
        tool.execute("needle", path="pipe")
    assert tool.execute("needle", path="x.bin") == "[x.bin is no text; read_file tells what it is]"
    assert tool.execute("needle") == "[no match]"


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        (r"\Qa.b\E", ["3:a.b"]),
        (r"one\ntwo", ["1:one"]),
        ("one\ntwo", ["1:one"]),
        ("(?s)one.two", ["1:one"]),
        (r"\<x\>", ["4:<x>"]),  # for RE2 they are no ends of words
        ("[a&&b].b", ["3:a.b"]),
        ("[[]z", ["5:[z"]),
        (r"^w\w$", []),  # letters of ASCII, for RE2
    ],
)
def test_pattern_means_the_same_whoever_counts(tool: GrepSearch, root: Path, pattern: str, shown: list[str]) -> None:
    write(root, {"x.txt": "one\ntwo\na.b\n<x>\n[z\nwé\nend\n"})
    page = tool.execute(pattern, context=0)
    assert re.findall(r"^\d+:.*", page, re.MULTILINE) == shown
    assert page.endswith("[1 match in 1 file]" if shown else "[no match]")


def test_matches_that_are_none_for_our_own_search_are_taken_off_the_count(
    gate: BareGate, roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a.txt": "needle\n", "b.txt": "needle\nneedle\n", "gone.txt": "needle\n"})
    counted = ripgrep.Counted({root / "a.txt": 3, root / "b.txt": 2, root / "gone.txt": 1})
    (root / "gone.txt").unlink()
    monkeypatch.setattr(grep_search, "count_lines", lambda *_: counted)
    tool = GrepSearch(gate, roots)
    first = tool.execute("needle", context=0, limit=2)
    assert "a.txt (1 match)" in first
    assert "[matches 1-2 of 4 in 3 files; next: skip=4]" in first
    counted.lines = {root / "a.txt": 3, root / "b.txt": 2, root / "gone.txt": 1}
    assert "b.txt (2 matches)\n2:needle\n" in tool.execute("needle", context=0, skip=4)


def test_nul_in_a_pattern_is_looked_for(tool: GrepSearch, root: Path) -> None:
    write(root, {"x.txt": b"a\n" * 100_000 + b"\0needle\n"})
    assert "[1 match in 1 file]" in tool.execute("\0needle")
    assert tool.execute("\0other", fixed=True) == "[no match]"


def test_more_lines_than_are_counted_are_told_as_at_least(
    gate: BareGate, roots: Roots, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "installed", lambda: None)
    monkeypatch.setattr(ripgrep, "COUNTED_MOST", 5)
    write(root, {"x.txt": "needle\n" * 9})
    assert "of at least 5 in 1 file" in GrepSearch(gate, roots).execute("needle", limit=2)


def test_ignored_folder_is_searched_where_it_is_named(tool: GrepSearch, root: Path) -> None:
    write(
        root,
        {
            ".gitignore": "build/\nother/**\n",
            "build/a.txt": "needle",
            "build/.gitignore": "b.txt\n",
            "build/b.txt": "needle",
            "other/in/c.txt": "needle",
            "other/in/.git/c.txt": "needle",
        },
    )
    assert tool.execute("needle") == "[no match]"
    assert tool.execute("needle", path="build", context=0) == "build/a.txt (1 match)\n1:needle\n\n[1 match in 1 file]"
    assert "[1 match in 1 file]" in tool.execute("needle", path="other/in")
    assert tool.execute("needle", glob="**/*.txt") == "[no match]"  # a glob chooses of what is not ignored
    assert tool.execute("needle", glob="*.txt") == "[no match]"


def test_ignore_file_above_the_root_says_nothing(tool: GrepSearch, root: Path) -> None:
    write(root, {"../.gitignore": "*\n", "a.txt": "needle"})
    assert "[1 match in 1 file]" in tool.execute("needle")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"limit": 0}, "limit = 0 is not allowed: it must be a whole number from 1 on"),
        ({"context": -1}, "context = -1 is not allowed: it must be a whole number from 0 on"),
        ({"skip": True}, "skip = True is not allowed: it must be a whole number from 0 on"),
        ({"glob": "[z"}, "glob = '[z' is not allowed: it must be a pattern of paths"),
    ],
)
def test_wrong_argument_is_named_with_what_is_allowed(tool: GrepSearch, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(CallerError, match=re.escape(said)):
        tool.execute("needle", **arguments)
