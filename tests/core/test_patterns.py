"""Patterns are compiled when they are first used, and are then what `re` and `re2` would have made at once."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import re2

from penstock.core import patterns
from penstock.core.patterns import re2_pattern, re_pattern


@pytest.mark.parametrize("make", [re_pattern, re2_pattern])
def test_pattern_does_what_a_compiled_one_does(make: object) -> None:
    pattern = make(rb"(?i)gate (\d+)")  # type: ignore[operator]  # both take bytes
    text = b"Gate 1, gate 22"
    assert pattern.search(text, 3)[1] == b"22"
    assert pattern.match(text).span() == (0, 6)
    assert pattern.fullmatch(text) is None
    assert pattern.findall(text) == [b"1", b"22"]
    assert [found[0] for found in pattern.finditer(text)] == [b"Gate 1", b"gate 22"]
    assert pattern.sub(b"-", text) == b"-, -"
    assert pattern.split(text) == [b"", b"1", b", ", b"22", b""]


def test_pattern_of_text_is_one_too() -> None:
    assert re_pattern("é+").match("éé") is not None


def test_pattern_is_compiled_at_its_first_use_and_a_method_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[bytes] = []
    monkeypatch.setattr(patterns.re2, "compile", lambda source: compiled.append(source) or re.compile(source))
    pattern = re2_pattern(b"sluice")
    assert compiled == []
    assert pattern.search(b"the sluice") and not pattern.search(b"the gate")
    assert compiled == [b"sluice"]
    assert vars(pattern)["search"] == pattern.search


def test_pattern_that_is_wrong_says_so_at_its_first_use() -> None:
    wrong = re2_pattern(b"(")
    for _ in range(2):
        with pytest.raises(re2.error):
            wrong.search(b"")


def test_threads_that_use_one_first_at_the_same_time_all_get_their_answer() -> None:
    fresh = [re2_pattern(b"weir %d\\b" % number) for number in range(50)]
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(fresh[n % 50].search, b"at weir %d" % (n % 50)) for n in range(400)]
    assert all(future.result() is not None for future in found)


def test_importing_the_gate_and_admitting_what_fits_compiles_no_pattern_of_a_kind() -> None:
    code = """
import re2
def refused(*args): raise AssertionError(args)
re2.compile = refused
from penstock import Gate, MemoryStore, Settings
assert Gate(settings=Settings(), store=MemoryStore()).admit("short\\n").text == "short\\n"
"""
    subprocess.run([sys.executable, "-c", code], check=True)
