from __future__ import annotations

import re
from pathlib import Path

import pytest

from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.errors import CallerError
from penstock.gate import BareGate
from penstock.tools.read_file import ReadFile
from penstock.tools.roots import Roots
from strategies import Fourths, assert_text_within

from .conftest import write

LIMITS = Limits(chars=5_000, lines=200)
LINES = "".join(f"line {number} of many\n" for number in range(1, 1_001))


@pytest.fixture
def tool(gate: BareGate, roots: Roots) -> ReadFile:
    return ReadFile(gate, roots)


def test_pages_follow_one_another_to_the_end_and_lose_nothing(tool: ReadFile, root: Path) -> None:
    write(root, {"a.txt": LINES})
    seen, start = "", 1
    while True:
        page = tool.execute("a.txt", start=start)
        assert_text_within(page, LIMITS)
        body, _, note = page.rpartition("\n")
        seen += body + "\n"
        follow = re.search(r"next: start=(\d+)", note)
        if follow is None:
            break
        start = int(follow[1])
    assert seen == LINES


def test_one_huge_line_is_read_by_bytes(tool: ReadFile, root: Path) -> None:
    write(root, {"a.json": "é" * 40_000})
    seen, offset = "", 0
    for _ in range(100):
        page = tool.execute("a.json", unit="bytes", offset=offset)
        assert_text_within(page, LIMITS)
        body, _, note = page.rpartition("\n")
        seen += body
        follow = re.search(r"offset=(\d+)", note)
        if follow is None:
            break
        offset = int(follow[1])
    assert seen == "é" * 40_000


def test_line_numbers_are_those_of_the_file(tool: ReadFile, root: Path) -> None:
    write(root, {"a.txt": LINES})
    page = tool.execute("a.txt", start=98, limit=3, numbered=True)
    assert page.splitlines()[:3] == [
        " 98  line 98 of many",
        " 99  line 99 of many",
        "100  line 100 of many",
    ]
    assert tool.execute("a.txt", direction="tail", limit=1, numbered=True).startswith("1000  line 1000 of many\n[line ")


@pytest.mark.parametrize("limits", [Limits(chars=300), Limits(bytes=200, lines=9), Limits(tokens=60), Limits(chars=30)])
def test_page_with_line_numbers_is_within_the_limits(gate: BareGate, roots: Roots, root: Path, limits: Limits) -> None:
    gate = BareGate(rules=PlainRules(policy=Policy(counter=Fourths())))
    write(root, {"a.txt": "short\nwörd\n" * 500})
    tool = ReadFile(gate, roots)
    tool.limits = limits  # type: ignore[misc]  # as a subclass would set it
    page = tool.execute("a.txt", numbered=True)
    assert_text_within(page, Limits(limits.chars, limits.lines, limits.bytes))
    assert limits.tokens is None or Fourths().count(page) <= limits.tokens


def test_numbered_file_without_a_last_newline_is_shown_as_it_is(tool: ReadFile, root: Path) -> None:
    write(root, {"a.txt": "one\ntwo"})
    assert tool.execute("a.txt", numbered=True) == "1  one\n2  two\n[lines 1-2 of 2; end]"


def test_what_is_no_text_is_described(tool: ReadFile, root: Path) -> None:
    write(root, {"a.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x08", "b.bin": b"\0" * 5_000, "c": b""})
    assert tool.execute("a.png") == "[a.png: PNG image, 16 x 8, 24 bytes; it is no text]"
    assert tool.execute("b.bin") == "[b.bin: binary data, 5,000 bytes; it is no text]"
    assert tool.execute("c") == "[c is empty]"


def test_encoding_that_was_guessed_is_told(tool: ReadFile, root: Path) -> None:
    write(
        root, {"a.txt": "naïve\n".encode("cp1252"), "b.txt": "wide\n".encode("utf-16"), "c.txt": b"\xef\xbb\xbfplain\n"}
    )
    assert tool.execute("a.txt").splitlines()[0::2] == ["naïve", "[not UTF-8; read as cp1252; encoding= names another]"]
    assert tool.execute("b.txt").splitlines()[0::2] == ["wide", "[not UTF-8; read as utf-16-le]"]
    assert tool.execute("c.txt") == "plain\n[line 1 of 1; end]"
    assert "read as" not in tool.execute("a.txt", encoding="latin-1")


def test_wrong_argument_is_named(tool: ReadFile, root: Path) -> None:
    write(root, {"a.txt": LINES})
    with pytest.raises(CallerError, match="start = 0 is not allowed"):
        tool.execute("a.txt", start=0)
    assert tool.execute("a.txt", start=5_000).startswith("[past the end: 1,000 lines")
