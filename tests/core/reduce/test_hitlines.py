"""Lines of search results: paths, numbers and columns, as different tools print them."""

from __future__ import annotations

import pytest

from penstock.core.reduce.hitlines import is_heading, read_hits


def read(*lines: bytes) -> list[tuple[bytes, bytes, bool, int]]:
    """Of each line that belongs to a file: the path, the text, whether it matches, the column."""
    hits = read_hits(lines)
    return [
        (hits.paths[hit.group], line[hit.text :], hit.matches, hit.column)
        for line, hit in zip(lines, hits.lines, strict=True)
        if hit.group >= 0
    ]


def test_path_may_be_one_of_windows() -> None:
    assert read(b"C:\\a b\\c.py:12:x = 1", b"C:\\a b\\c.py:14:y = 2") == [
        (b"C:\\a b\\c.py", b"x = 1", True, 0),
        (b"C:\\a b\\c.py", b"y = 2", True, 0),
    ]


def test_column_is_told_from_text_that_begins_with_digits() -> None:
    assert read(b"a.py:12:7:x", b"a.py:13:7:12:30") == [(b"a.py", b"x", True, 7), (b"a.py", b"7:12:30", True, 0)]


def test_line_of_context_belongs_to_a_path_with_dashes_and_numbers() -> None:
    lines = (b"a-1-b.py:5:x", b"a-1-b.py-6-y", b"--", b"c-2-d.py-7-z", b"c-2-d.py:8:w", b"a-1-b.py-9-v")
    assert read(*lines) == [
        (b"a-1-b.py", b"x", True, 0),
        (b"a-1-b.py", b"y", False, 0),
        (b"c", b"d.py-7-z", False, 0),  # nothing tells yet that it is not the second line of c
        (b"c-2-d.py", b"w", True, 0),
        (b"a-1-b.py", b"v", False, 0),
    ]


def test_file_may_stand_above_its_lines() -> None:
    lines = (b"src/a.py", b"3:x", b"4-y", b"", b"File: b c.py:", b"  Line 7: z", b"L9: w")
    assert read(*lines) == [
        (b"src/a.py", b"x", True, 0),
        (b"src/a.py", b"y", False, 0),
        (b"b c.py", b" z", True, 0),
        (b"b c.py", b" w", True, 0),
    ]


def test_lines_of_one_file_have_numbers_only() -> None:
    assert read(b"3:x", b"5:y") == [(b"", b"x", True, 0), (b"", b"y", True, 0)]


def test_lines_may_have_no_numbers() -> None:
    assert read(b"src/a.py:import os", b"src/b.py:import re") == [
        (b"src/a.py", b"import os", True, 0),
        (b"src/b.py", b"import re", True, 0),
    ]


@pytest.mark.parametrize("line", [b"src/a.py", b"Makefile", b"C:\\a\\b.py:", b"File: a b.txt", b"./x/"])
def test_path_is_a_heading(line: bytes) -> None:
    assert is_heading(line)


@pytest.mark.parametrize("line", [b"", b"12:x", b"two words", b"a" * 2_000, b'say("x")'])
def test_text_is_no_heading(line: bytes) -> None:
    assert not is_heading(line)
