"""Tables for people: columns as wide as they need to be."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.cli import console


def show(headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = False) -> None:
    """With `numbers`, all columns but the first are aligned at their ends."""
    escaped = [[console.plain(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *escaped, strict=True)]
    for index, row in enumerate([list(headings), *escaped]):
        cells = [
            cell.rjust(width) if numbers and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        console.out((text if index else console.heading(text)) + "\n")
