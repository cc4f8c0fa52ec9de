from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.stores.names import file_name, file_stem, file_tool, is_result, record_tool, told_by

NOON = time.mktime((2025, 11, 18, 12, 0, 0, 0, 0, -1))


def test_name_tells_local_time_tool_and_media() -> None:
    stem = file_stem("Bash", NOON)
    assert file_name(stem, "text", 1) == "tool_20251118_120000_Bash.txt"
    assert file_name(stem, "json", 1) == "tool_20251118_120000_Bash.json"
    assert file_name(stem, "text", 2) == "tool_20251118_120000_Bash_2.txt"


@pytest.mark.parametrize(
    ("tool", "safe"),
    [
        ("Bash", "Bash"),
        ("mcp__github.search-code", "mcp__github.search-code"),
        ("", "tool"),
        (".", "tool"),
        ("..", "tool"),
        ("工具", "tool"),
        ("🔧", "tool"),
        ("../../etc/passwd", "etc_passwd"),
        ("a/../b", "a_._b"),
        ("C:\\Windows\\con", "C_Windows_con"),
        ("a\0b\nc\x1b[31m", "a_b_c_31m"),
        ("read file ", "read_file"),
        ("café", "caf"),
        (".hidden.", "hidden"),
        ("-rf", "rf"),
        ("x" * 10_000, "x" * 64),
        ("\ud800", "tool"),
    ],
)
def test_tool_becomes_a_safe_part_of_a_name(tool: str, safe: str) -> None:
    assert file_tool(tool) == safe


@given(st.text(), st.floats(allow_nan=False), st.integers(1, 10**6))
def test_every_name_is_recognized_and_short(tool: str, at: float, number: int) -> None:
    name = file_name(file_stem(tool, at), "json", number)
    assert is_result(name)
    assert told_by(name)[1] == "json"
    assert len(name.encode()) < 120
    assert ".." not in name


@given(st.text())
def test_a_record_takes_any_tool_name_as_text_that_can_be_stored(tool: str) -> None:
    kept = record_tool(tool)
    assert kept.encode() and "\0" not in kept if tool else kept == ""
    assert len(kept) <= 200


@pytest.mark.parametrize(
    "name",
    [
        "tool_20251118_120000_a/b.txt",
        "tool_20251118_120000_a\n.txt",
        "tool_20251118_120000_a.txt\n",
        "tool_20251118_120000_.txt.bak",
        "tool_20251118_120000_é.txt",
        "tool_2025111_120000_a.txt",
        "tool_٢٠٢٥١١١٨_120000_a.txt",
        "../tool_20251118_120000_a.txt",
        "tool_20251118_120000_" + "a" * 200 + ".txt",
        ".part-1-0123456789abcdef",
        "index.sqlite",
        "",
    ],
)
def test_what_is_not_exactly_our_name_is_not_ours(name: str) -> None:
    assert not is_result(name)
    with pytest.raises(ValueError, match="not the name"):
        told_by(name)
