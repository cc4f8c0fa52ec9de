"""Rows under their path: what they take, and how they are laid out."""

from __future__ import annotations

from penstock.core.content import Span, content_of_bytes
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.reduce.groups import NO_GROUP, Groups

MARK = Size(10, 1, 10)
DATA = "a:1\na:2\nb:3\n--\nb:é".encode()
UNITS = [Span(0, 4), Span(4, 8), Span(8, 12), Span(12, 15), Span(15, 19)]
GROUPS = Groups(
    content_of_bytes(DATA),
    UNITS,
    [0, 0, 1, NO_GROUP, 1],
    lambda unit: Span(UNITS[unit].start, UNITS[unit].start + 2),
    [b"a", b"b"],
    [2, 2],
)


def laid_out(shown: bytes) -> list[str]:
    spans, parts = GROUPS.laid_out(bytearray(shown))
    assert len(spans) == len(parts)
    return ["".join(p if isinstance(p, str) else GROUPS.content.text(p) for p in row) for row in parts]


def test_path_stands_once_above_its_rows_with_their_count_where_some_are_hidden() -> None:
    assert laid_out(b"\1\1\1\1\1") == ["a\n1\n2\nb\n3\n--\né\n"]
    assert laid_out(b"\1\0\1\0\0") == ["a (2)\n1\n", "b (2)\n3\n"]
    assert laid_out(b"\0\0\0\1\1") == ["--\nb (2)\né\n"]
    assert laid_out(b"\0\0\0\0\0") == []


def test_rows_and_headings_that_do_not_fit_are_not_taken() -> None:
    def picked(order: list[int], **limits: int | None) -> list[int]:
        room = Room(**{"chars": None, "lines": None, "bytes": None, **limits}, mark=MARK)
        return [index for index, flag in enumerate(GROUPS.picked(order, room)) if flag]

    assert picked([0, 1, 2, 3, 4]) == [0, 1, 2, 3, 4]
    assert picked([0, 0, 4], lines=4) == [0]
    assert picked([2, 0, 1], chars=23) == [0]
    assert picked([4], bytes=30) == [4]
    assert Groups(content_of_bytes(b""), [], [], lambda _: Span(0, 0), [], []).picked([], Room(9, 9, 9, MARK)) == b""


def test_path_that_is_not_utf8_is_shown_as_it_is() -> None:
    data = b"\xff/a:1\n\xff/a:2\n"
    units = [Span(0, 6), Span(6, 12)]
    groups = Groups(content_of_bytes(data), units, [0, 0], lambda n: Span(6 * n, 6 * n + 4), [b"\xff/a"], [2])
    assert groups.laid_out(bytearray(b"\0\1")) == ([Span(6, 12)], [[Span(6, 9), " (2)\n", Span(10, 12)]])


def test_path_that_stands_in_no_row_is_written() -> None:
    groups = Groups(content_of_bytes(b"a\n"), [Span(0, 2)], [0], lambda _: Span(0, 0), [b"./"], [1])
    assert groups.laid_out(bytearray(b"\1")) == ([Span(0, 2)], [["./", "\n", Span(0, 2)]])
