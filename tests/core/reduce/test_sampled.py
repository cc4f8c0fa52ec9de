"""The parts of a sample by which kinds are told."""

from __future__ import annotations

from penstock.core.content import content_of_bytes
from penstock.core.reduce import sample_of
from penstock.core.reduce.sampled import LINES, least, parts_of


def parts(data: bytes) -> list[list[bytes]]:
    return parts_of(sample_of(content_of_bytes(data), "text"))


def test_lines_come_from_the_start_the_middle_and_the_end() -> None:
    for data in (b"a\n" * 100 + b"b\n" * 100 + b"c\n" * 100, b"a\n" * 30_000 + b"b\n" * 30_000 + b"c\n" * 30_000):
        found = parts(data)
        assert [part[0] for part in found] == [b"a", b"b", b"c"]
        assert all(len(part) == LINES for part in found)


def test_line_that_is_cut_off_counts_as_none() -> None:
    assert parts(b"a line\n\nanother\r\nhalf a li")[0] == [b"a line", b"another"]
    assert parts(b"no line at all") == []


def test_sample_fits_as_well_as_its_worst_part() -> None:
    looked: list[bytes] = []

    def fit(lines: list[bytes]) -> float:
        looked.append(lines[0])
        return 0.0 if lines[0] == b"b" else 0.9

    assert least(sample_of(content_of_bytes(b"a\n" * 300), "text"), fit) == 0.9
    looked.clear()
    assert least(sample_of(content_of_bytes(b"a\n" * 100 + b"b\n" * 100 + b"c\n" * 100), "text"), fit) == 0
    assert looked == [b"a", b"b"]
    assert least(sample_of(content_of_bytes(b""), "text"), fit) == 0
