"""Where commits, files and hunks of a diff begin, as different tools print them."""

from __future__ import annotations

from penstock.core.reduce.patch import Patch, read_patch


def read(text: str) -> tuple[Patch, list[bytes]]:
    lines = text.encode().removesuffix(b"\n").split(b"\n")
    return read_patch(lines), lines


GIT = """\
commit 0123456789abcdef
Merge: 1 2
Author: Ada <a@b.example>

    Open the valve

    At night.

diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 x
--- y
+++ z
\\ No newline at end of file
@@ -9 +9 @@
-p
+q
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name.py b/new name.py
similarity index 100%
rename from old name.py
rename to new name.py
diff --git a/x.png b/x.png
Binary files a/x.png and b/x.png differ

commit fedcba9876543210
Author: Bob <b@b.example>

    Shut it

diff --cc src/b.py
index 1,2..3
--- a/src/b.py
+++ b/src/b.py
@@@ -1,2 -1,2 +1,3 @@@
  a
++b
"""


def test_commits_files_and_hunks_of_git_are_found() -> None:
    patch, lines = read(GIT)
    assert [lines[commit.subject] for commit in patch.commits] == [b"    Open the valve", b"    Shut it"]
    assert [file.path for file in patch.files] == [b"src/a.py", b"gone.py", b"new name.py", b"x.png", b"src/b.py"]
    assert [file.commit for file in patch.files] == [0, 0, 0, 0, 1]
    assert [lines[file.name][:3] for file in patch.files] == [b"+++", b"---", b"dif", b"dif", b"+++"]
    assert [(hunk.file, hunk.stop - hunk.first) for hunk in patch.hunks] == [(0, 5), (0, 3), (1, 2), (4, 3)]


def test_files_without_a_line_of_git_are_found() -> None:
    patch, lines = read(
        "--- old/a.c\t2026-03-02 10:00\n+++ new/a.c\t2026-03-03 10:00\n@@ -1 +1 @@\n-x\n+y\n"
        "--- old/b.c\t2026\n+++ new/b.c\t2026\n@@ -1 +1 @@\n-x\n+y\n"
    )
    assert [file.path for file in patch.files] == [b"new/a.c", b"new/b.c"]
    assert [hunk.stop - hunk.first for hunk in patch.hunks] == [3, 3]
    assert lines[patch.files[1].name] == b"+++ new/b.c\t2026"


def test_diff_of_subversion_is_read() -> None:
    patch, _ = read("Index: a b.c\n=====\n--- a b.c\t(revision 3)\n+++ a b.c\t(working copy)\n@@ -1 +1 @@\n-x\n+y\n")
    assert [file.path for file in patch.files] == [b"a b.c"]


def test_patch_as_mail_is_read() -> None:
    patch, lines = read(
        f"From {'a' * 40} Mon Sep 17 00:00:00 2001\nFrom: Ada\nSubject: [PATCH] Open\n\n---\n a.c | 2 +-\n"
        " 1 file changed, 1 insertion(+)\n\n"
        "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1 +1 @@\n-x\n+y\n-- \n2.40\n"
    )
    assert [lines[commit.subject] for commit in patch.commits] == [b"Subject: [PATCH] Open"]
    assert [lines[line][:4] for line in patch.stats] == [b" a.c", b" 1 f"]
    assert [lines[hunk.stop] for hunk in patch.hunks] == [b"2.40"]


def test_commit_without_a_subject_is_named_by_its_line() -> None:
    patch, lines = read("abc1234 Open\ndiff --git a/a.c b/a.c\n@@ -1 +1 @@\n-x\ncommit 0123456")
    assert [lines[commit.subject] for commit in patch.commits] == [b"abc1234 Open", b"commit 0123456"]


def test_hunk_of_no_file_and_dashes_at_the_end_are_read() -> None:
    patch, _ = read("@@ -1 +1 @@\n-x\n--- a")
    assert [(hunk.file, hunk.stop) for hunk in patch.hunks] == [(-1, 3)]
    assert patch.files == []
