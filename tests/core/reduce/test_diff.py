"""Diffs: every file by name, changes rather than context, code rather than what a machine wrote."""

from __future__ import annotations

import re

import pytest

from core.reduce.shown import view_of
from penstock.core.content import content_of_text
from penstock.core.reduce import sample_of
from penstock.core.reduce.diff import fit


def file(path: str, *hunks: str) -> str:
    return f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


def hunk(line: int, added: list[str], around: int = 3, where: str = "") -> str:
    context = "".join(f"     context {line} {n}\n" for n in range(around))
    return f"@@ -{line},6 +{line},9 @@ {where}\n{context}" + "".join(f"+{text}\n" for text in added) + context


def plain(n: int) -> str:
    return hunk(n, [f"    value_{n} = {n}", f"    other_{n} = {n}"], where=f"def step_{n}(self):")


MANY = [file(f"src/part{n}.py", *(plain(100 * n + k) for k in range(20))) for n in range(20)]


def test_every_file_is_named() -> None:
    text = view_of("".join(MANY), 8_000).text
    assert all(f"+++ b/src/part{n}.py\n" in text for n in range(20))
    assert "20 files" not in text


def test_files_that_matter_are_named_where_there_are_too_many() -> None:
    docs = [file(f"docs/page{n}.md", plain(n)) for n in range(300)]
    text = view_of("".join([*docs[:150], file("src/core.py", plain(1)), *docs[150:]]), 3_000).text
    assert "+++ b/src/core.py\n" in text
    assert "files" in text.rpartition("hidden: ")[2]


def test_changes_are_shown_rather_than_context() -> None:
    text = view_of("".join(MANY), 8_000).text
    shown = text.splitlines()
    assert sum(line.startswith("+    ") for line in shown) > 5 * sum(line.startswith("     context") for line in shown)


def test_change_that_the_question_speaks_of_is_shown_with_its_place() -> None:
    found = hunk(7, ["    return parse_header(line, strict=True)"], where="class Reader:")
    text = view_of("".join([*MANY[:13], file("src/http.py", found), *MANY[13:]]), 1_500, "Why are headers strict?").text
    assert "+++ b/src/http.py\n" in text
    assert "@@ -7,6 +7,9 @@ class Reader:\n" in text
    assert "+    return parse_header(line, strict=True)\n" in text


@pytest.mark.parametrize("path", ["docs/changes.md", "package-lock.json", "vendor/a.py", "tests/test_a.py", "a.min.js"])
def test_code_goes_before_other_files(path: str) -> None:
    others = file(path, *(hunk(n, [f"    if check_{n}(value={n}):"] * 8) for n in range(200)))
    code = file("src/core.py", hunk(9, ["    if not ready(valve):", "        raise Closed(valve)"]))
    text = view_of(others + code + others, 2_500).text
    assert "+    if not ready(valve):\n+        raise Closed(valve)\n" in text


def test_what_does_much_goes_before_what_does_little() -> None:
    words = [file(f"src/a{n}.py", hunk(n, ["    # some words", "    import this"] * 4)) for n in range(80)]
    telling = file("src/z.py", hunk(5, ["    if pressure > LIMIT:", "        return shut(valve)"]))
    assert "+    if pressure > LIMIT:\n" in view_of("".join(words) + telling, 2_500).text


def test_what_was_taken_away_goes_behind_what_was_added() -> None:
    gone = hunk(1, ["x"]).replace("+x\n", "".join(f"-    if old_{n}(a):\n" for n in range(9)))
    new = hunk(2, ["    if new(a):"])
    text = view_of("".join(file(f"src/a{n}.py", gone) for n in range(60)) + file("src/z.py", new), 2_500).text
    assert "+    if new(a):\n" in text


def test_every_commit_of_a_log_is_named_with_its_hash() -> None:
    log = "\n".join(
        f"commit {n:040x}\nAuthor: Ada <a@b.example>\nDate: now\n\n    Change part {n}\n\n{MANY[n]}" for n in range(12)
    )
    text = view_of(log, 12_000).text
    assert all(f"commit {n:040x}\n" in text and f"    Change part {n}\n" in text for n in range(12))


def test_change_of_a_log_is_shown_with_its_commit() -> None:
    commits = [f"commit {n:040x}\nAuthor: Ada\n\n    Change part {n}\n\n{MANY[n % 20]}" for n in range(100)]
    commits[70] = f"commit {70:040x}\nAuthor: Ada\n\n    Speed\n\n" + file("src/q.py", hunk(3, ["    turbo(fast=1)"]))
    text = view_of("\n".join(commits), 3_000, "What made turbo fast?").text
    assert f"commit {70:040x}\n" in text
    assert "    Speed\n" in text
    assert "+    turbo(fast=1)\n" in text


def test_long_run_is_cut_where_a_line_is_blank() -> None:
    body = [
        line for n in range(60) for line in (f"def step_{n}(x):", f"    y = x + {n}", f"    return call_{n}(y)", "", "")
    ]
    body[150] = "def quench(x):"
    text = view_of(file("src/new.py", hunk(1, body)), 900, "quench").text
    assert "+def quench(x):\n+    y = x + 30\n" in text


def test_long_line_is_shown_in_part() -> None:
    text = view_of(
        file("src/a.py", hunk(1, ["x = 1", "data = '" + "a" * 9_000 + "'", "if y(x):"])) + MANY[0], 1_500
    ).text
    assert "+if y(x):\n" in text


def test_diff_of_a_merge_is_shown_by_its_changes() -> None:
    merge = "diff --cc src/a.py\nindex 1,2..3\n--- a/src/a.py\n+++ b/src/a.py\n" + "".join(
        f"@@@ -{n},4 -{n},4 +{n},4 @@@\n  x\n- old({n})\n +mine({n})\n++both({n})\n  y\n" for n in range(200)
    )
    view = view_of(merge, 2_000)
    assert view.kind == "diff"
    assert view.text.count("++both(") > 8


def test_log_with_counts_only_is_shown_by_commits_and_counts() -> None:
    log = "\n".join(
        f"commit {n:040x}\nAuthor: Ada\n\n    Change {n}\n\n src/a{n}.py | {n} +++---\n 1 file changed, {n} in\n"
        for n in range(90)
    )
    view = view_of(log, 4_000)
    assert view.kind == "diff"
    assert view.text.count("    Change ") > 5
    assert len(view.text) > 3_500


@pytest.mark.parametrize("text", ["", "+++ not a diff\n" * 9, "-- sql comment\nSELECT 1;\n" * 20, "> quoted\n" * 30])
def test_what_is_no_diff_is_left_to_others(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) == 0


def test_hunks_of_no_file_are_shown() -> None:
    text = "".join(hunk(n, [f"    if step_{n}(x):"]) for n in range(1, 400))
    view = view_of(text, 2_000, "step_77")
    assert view.kind == "diff"
    assert "@@ -77,6 +77,9 @@" in view.text
    assert "+    if step_77(x):\n" in view.text


def test_diff_in_colours_is_read_and_shown_with_them() -> None:
    coloured = re.sub(r"(?m)^(diff .*|index .*|--- .*|\+\+\+ .*|@@ .*|[+-].*)$", "\x1b[32m\\1\x1b[m", "".join(MANY))
    view = view_of(coloured, 4_000, "step_707")
    assert view.kind == "diff"
    assert "\x1b[32m+++ b/src/part7.py\x1b[m\n" in view.text
    assert "\x1b[32m+    value_707 = 707\x1b[m\n" in view.text
