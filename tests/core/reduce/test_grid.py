"""Tables are told by what parts their cells, whatever printed them; prose and logs are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import LOG_LINES
from core.reduce.materials import MATERIALS
from penstock.core.reduce.grid import Grid, grid_of, is_rule


def grid(text: str) -> Grid | None:
    lines = text.encode().split(b"\n")[:40]
    return grid_of(lines, lines)


@pytest.mark.parametrize("name", [name for name in MATERIALS if name.startswith("table:") and "quotes" not in name])
def test_table_is_told_with_its_header_and_cells(name: str) -> None:
    text = MATERIALS[name]
    found = grid(text)
    assert found is not None
    lines = text.encode().split(b"\n")
    header = found.cells(lines[found.header])
    assert len(header) == found.columns
    assert {cell.strip().lower() for cell in header} & {b"station", b"name", b"id", b"package"}
    rows = [line for line in lines[found.header + 1 :] if line.strip() and not is_rule(line)]
    alike = [row for row in rows if len(found.cells(row)) == found.columns]
    assert len(alike) >= len(rows) - 1, "all but what is said under the table"


def test_aligned_text_is_parted_where_every_line_is_blank() -> None:
    found = grid(
        "NAME     STATUS   AGE\npump-1   open     3 days\npump-22  shut     12 days\nweir     open     1 day\n"
    )
    assert found is not None and not found.mark
    assert found.cells(b"pump-22  shut     12 days") == [b"pump-22", b"shut", b"12 days"]


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("Package    Version\n---------- -------\n", 2),
        ("||/ Name      Version\n+++-=========-=======\n", 3),
        ("two lines of words\n\n  Name  Size\n  ====  ====\n", 3),
    ],
)
def test_underlined_header_tells_where_columns_start(head: str, columns: int) -> None:
    found = grid(head + "ii  valve     3.12\nii  pump      4.5\n" * 9)
    assert found is not None and found.columns == columns
    assert {b"Name", b"Package"} & set(found.cells(head.encode().split(b"\n")[found.header]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Title\n=====\nwords\nmore words\n",
        "\n---- ----\nwords\nmore words\n",
        "a,b,c\n",
        "".join(LOG_LINES) * 5,
        "The valve, which is old, leaks.\nNobody minds.\nIn the evening, it is shut, and opened, at dawn.\n" * 9,
        "one two three\nfour\nfive six seven eight\nnine, ten\n" * 5,
        "NAME READY AGE\n\n\n\n",
        "Using the pump:\nvery long lines of text that go on\nand on\n" * 9,
        "-----\nno bars here\nat all\n-----\n",
        "Heading of it all here\nx\n" + "y" * 300 + " z z z z\n" + "short\n" * 9,
    ],
)
def test_what_is_no_table_has_no_grid(text: str) -> None:
    assert grid(text) is None


def test_two_columns_of_tabs_are_hardly_a_table() -> None:
    few, many = grid("a\t1\n" * 9), grid("a\t1\t2\n" * 9)
    assert few is not None and many is not None
    assert few.sure < 0.6 < many.sure


def test_comma_in_most_lines_is_less_sure_than_one_in_all() -> None:
    rows = "a,b,c,d\n" * 30
    ragged = grid(rows + "a,b\n" * 6)
    even = grid(rows)
    assert ragged is not None and even is not None
    assert ragged.sure < even.sure


@pytest.mark.parametrize("line", ["+---+---+", "|---|:--:|", "----  -----", "=====", "┌──┬──┐", "├──┼──┤\r", " --+-- "])
def test_rule_is_told(line: str) -> None:
    assert is_rule(line.encode())


@pytest.mark.parametrize("line", ["", "--", "| a | b |", "- item", "||||", "+++", "...."])
def test_other_lines_are_no_rules(line: str) -> None:
    assert not is_rule(line.encode())


@given(st.lists(st.text("a1 ,;\t|-+=│\r", max_size=30).map(str.encode), max_size=12))
def test_any_lines_have_a_grid_or_none(lines: list[bytes]) -> None:
    found = grid_of(lines, lines)
    if found is not None:
        assert 0 <= found.header < len(lines)
        assert 0 < found.sure < 1
        assert all(isinstance(found.cells(line), list) for line in lines)
