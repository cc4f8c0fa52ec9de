from __future__ import annotations

import time
from pathlib import Path

from penstock.ignored import Ignored


def test_line_that_is_no_pattern_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"*.log\n\\\n!\n[\n\xff\n" + b"x" * 100_000 + b"\n*.tmp\n!kept.tmp\n")
    rules = Ignored.of_root(tmp_path)
    found = [rules.hides(path) for path in ("a.log", "b.tmp", "kept.tmp", "c.py", "bad\udcff.log")]
    assert found == [True, True, False, False, True]


def test_file_of_very_many_lines_holds_and_the_last_line_decides(tmp_path: Path) -> None:
    lines = [f"file{number}.txt\nfolder{number}/*.log" for number in range(10_000)]
    (tmp_path / ".gitignore").write_text("\n".join(["!file7.txt", *lines, "!file9.txt"]))
    began = time.monotonic()
    rules = Ignored.of_root(tmp_path)
    paths = ("file7.txt", "file9.txt", "file9999.txt", "folder5/x.log", "other.txt")
    assert [rules.hides(path) for path in paths] == [True, False, True, True, False]
    assert time.monotonic() - began < 30
