"""What counts as an error or a warning, and in how little time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.census import MATCHES, NEAR, Census, find_signs, take_census


@pytest.mark.parametrize(
    ("text", "errors", "warnings"),
    [
        ("ERROR: it failed\nand an error, a failure and an exception\n", 2, 0),
        ("KeyError: 'a'\nsomepackage.TimeoutException\n", 2, 0),
        ("Traceback (most recent call last):", 1, 0),
        ("thread panicked\npanic: no\nFATAL\nSegmentation fault (core dumped)\nCRITICAL\n", 5, 0),
        ("FAILED tests/test_a.py::test_b\n1 failed, 3 passed\n", 2, 0),
        ("warning: unused\nWARN x\n3 warnings\n[warn]\n", 0, 4),
        ("warning: treated as error\nerror: after a warning\n", 1, 1),
        ("0 errors, 0 warnings\nno errors\nNo failures\n0 failed\n", 0, 0),
        ("Tests run: 3, Failures: 0, Errors: 0\n", 0, 0),
        ('{"error": null, "errors": [], "warnings": {}, "error" : "", "failed": false, "exception":none}', 0, 0),
        ("0 errors, 2 failed\nerrors=0 fatal\n", 2, 0),
        ("10 errors\nerrors=05\nerror: 0 is not a number\n", 2, 0),
        ("terrors\nerrored\nforewarned\nunfailing\nerror_count\n", 1, 0),  # "terrors" ends like NameErrors
        ("", 0, 0),
    ],
)
def test_line_counts_once_by_the_first_word_that_tells(text: str, errors: int, warnings: int) -> None:
    assert take_census(text.encode()) == Census(errors, warnings)


def lines(data: bytes) -> tuple[int, int]:
    found = [re.search(rb"ERROR|WARN", line) for line in data.split(b"\n")]
    words = [match[0] for match in found if match]
    return words.count(b"ERROR"), words.count(b"WARN")


pieces = st.sampled_from([b"ERROR ", b"WARN ", b"fine ", b"\n", b"x" * 30 + b" ", b" " * (NEAR + 1), b"\xff "])


@given(st.lists(pieces, max_size=60).map(b"".join), st.data())
def test_part_of_the_data_counts_by_what_is_in_it(data: bytes, draw: st.DataObject) -> None:
    starts = [0, *(place + 1 for place, byte in enumerate(data) if byte == ord("\n"))]
    start = draw.draw(st.sampled_from(starts))
    stop = draw.draw(st.integers(start, len(data)))
    # A word that is cut by the edge counts with the part in which it starts.
    whole = stop
    while stop > start and data[whole : whole + 1].isalpha() and data[whole - 1 : whole].isalpha():
        whole += 1
    census = find_signs(data, len(data)).census(start, stop)
    assert census == (*lines(data[start:whole]), True)


def test_words_in_one_long_line_count_once_in_whichever_part_they_are() -> None:
    data = b"ERROR " + b"x" * 5_000 + b" ERROR " + b"x" * 5_000 + b" ERROR\nERROR\n"
    signs = find_signs(data, len(data))
    assert signs.census(0, len(data)).errors == 2
    assert signs.census(10, len(data) - 7).errors == 1
    assert signs.census(10, len(data)).errors == 2
    assert signs.census(5_100, 10_000).errors == 0


def test_what_was_not_looked_at_makes_the_count_at_least() -> None:
    data = b"ERROR\n" * 100
    signs = find_signs(data, 60)
    assert signs.census(0, 60) == Census(10, 0)
    assert signs.census(0, 61) == Census(10, 0, complete=False)
    assert signs.census(500, 500).complete


def test_counting_stops_after_many_matches_and_says_so() -> None:
    for word in (b"ERROR\n", b"0 errors\n", b"ERROR "):
        data = word * 300_000
        began = time.perf_counter()
        census = take_census(data)
        assert time.perf_counter() - began < 0.2
        assert not census.complete
    assert take_census(b"ERROR\n" * (MATCHES - 1)) == Census(MATCHES - 1, 0)


def test_counts_of_parts_add_up() -> None:
    assert Census(1, 2) | Census(3, 4, complete=False) == Census(4, 6, complete=False)
    assert Census(1) | Census() == Census(1, 0, complete=True)
