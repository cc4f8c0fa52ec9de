"""A file as chunks of about MOST characters: whole definitions where they fit, cut between their parts where not.

1. Chunks are whole lines. Together they are the file, in order, without a gap: what stands around a chunk is in its
   neighbours.
2. What fits is never cut. A comment or a decorator goes with what it stands before.
3. Small neighbours share a chunk.
4. Without a tree, and inside of what has no parts, the cut is where the indentation is least, at an empty line if there
   is one.
5. A line longer than LONGEST_LINE is shown by its beginning, with a mark for what is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

from penstock.search.contract import Chunk
from penstock.search.grammars import Branch, Definition, Parsed

MOST: Final = 1_500
LONGEST_LINE: Final = 2_000

# Deeper ones are cut by their lines: a tree of generated code can be deeper than Python's stack.
_DEEPEST: Final = 40
_LEAST: Final = 200  # a cut by lines leaves no piece smaller, if it can


class Rows(NamedTuple):
    """Rows from `first` up to `stop`, which is the first behind."""

    first: int
    stop: int


def chunked(lines: Sequence[str], parsed: Parsed | None, most: int = MOST) -> list[Chunk]:
    """`lines` keep their ends; together they are the file."""
    lines = [line if len(line) <= LONGEST_LINE else _shortened(line) for line in lines]
    if not any(line.strip() for line in lines):
        return []
    cutter = _Cutter(lines, most)
    whole = Rows(0, len(lines))
    pieces = cutter.by_lines(whole) if parsed is None else cutter.by_tree(whole, parsed.root)
    definitions = parsed.definitions if parsed is not None else []
    return list(_named(lines, pieces, definitions))


def _named(lines: Sequence[str], pieces: Sequence[Rows], definitions: Sequence[Definition]) -> Iterator[Chunk]:
    """The pieces with what is defined in them. `definitions` are in the order of their rows."""
    around: list[Definition] = []
    place = 0
    for rows in pieces:
        around = [found for found in around if found.last >= rows.first]
        begun = place
        while place < len(definitions) and definitions[place].row < rows.stop:
            place += 1
        inside = definitions[begun:place]
        own = sorted((found for found in inside if not found.more), key=lambda found: not found.strong)
        names = [name for found in own for name in _ways(found.name)]
        within = [*(found for found in around if found.strong), *(found for found in inside if found.more)]
        scope = [name for found in within for name in _ways(found.name)]
        content = "".join(lines[rows.first : rows.stop])
        yield Chunk(rows.first + 1, rows.stop, content, tuple(dict.fromkeys(names)), tuple(dict.fromkeys(scope)))
        around += inside


def _shortened(line: str) -> str:
    end = line[len(line.rstrip("\r\n")) :]
    return f"{line[:LONGEST_LINE]}[... {len(line) - LONGEST_LINE - len(end)} characters]{end}"


def _ways(name: str) -> tuple[str, ...]:
    """`Store.Box` is called `Box`, too."""
    return (name, name.rpartition(".")[2]) if "." in name.rstrip(".") else (name,)


class _Cutter:
    def __init__(self, lines: Sequence[str], most: int) -> None:
        self._lines = lines
        self._most = most
        self._ends = [0]  # how many characters there are before each row
        for line in lines:
            self._ends.append(self._ends[-1] + len(line))

    def size(self, rows: Rows) -> int:
        return self._ends[rows.stop] - self._ends[rows.first]

    def by_tree(self, rows: Rows, node: Branch, depth: int = 0) -> list[Rows]:
        """These rows, which the node covers, in pieces that fit."""
        if self.size(rows) <= self._most:
            return [rows]
        if depth > _DEEPEST:
            return self.by_lines(rows)
        parts = list(self._parts(rows, node))
        if len(parts) < 2:
            inner = _only_large_child(node)
            return self.by_lines(rows) if inner is None else self.by_tree(rows, inner, depth + 1)
        pieces: list[Rows] = []
        for part, child in parts:
            pieces += self.by_tree(part, child, depth + 1) if child is not None else self.by_lines(part)
        return self._merged(pieces)

    def by_lines(self, rows: Rows) -> list[Rows]:
        pieces = []
        while self.size(rows) > self._most and rows.stop - rows.first > 1:
            stop = self._best_cut(rows)
            pieces.append(Rows(rows.first, stop))
            rows = Rows(stop, rows.stop)
        return [*pieces, rows]

    def _parts(self, rows: Rows, node: Branch) -> Iterator[tuple[Rows, Branch | None]]:
        """The rows of each child, with the comments before it; None for what is not one child alone."""
        first = rows.first
        group: list[Branch] = []
        children = [child for child in node.children if first <= _last_row(child) and child.start_point[0] < rows.stop]
        for child, after in zip_longest(children, children[1:]):
            if not _is_comment(child):
                group.append(child)
            if after is not None and _goes_with(child, after):
                continue
            stop = rows.stop if after is None else max(_last_row(child) + 1, first + 1)
            while stop < rows.stop and not self._lines[stop].strip():
                stop += 1
            yield Rows(first, stop), group[0] if len(group) == 1 else None
            first, group = stop, []

    def _merged(self, pieces: Sequence[Rows]) -> list[Rows]:
        merged: list[Rows] = []
        for rows in pieces:
            joined = Rows(merged[-1].first, rows.stop) if merged else rows
            if merged and self.size(joined) <= self._most:
                merged[-1] = joined
            else:
                merged.append(rows)
        return merged

    def _best_cut(self, rows: Rows) -> int:
        """Where the first piece of these rows ends: at the least indented line in the second half of what fits."""
        last = rows.first + 1
        while last < rows.stop and self._ends[last + 1] - self._ends[rows.first] <= self._most:
            last += 1
        best, least = last, float("inf")
        for row in range(last, rows.first, -1):
            if self._ends[row] - self._ends[rows.first] < self._most // 2:
                break
            indentation = self._indentation(row)
            if indentation < least:
                best, least = row, indentation
        return best

    def _indentation(self, row: int) -> float:
        """Of the line at `row`; half a step less behind an empty line."""
        line = self._lines[row] if row < len(self._lines) else ""
        text = line.lstrip()
        if not text:
            return 1_000
        width = len(line) - len(text)
        return width - 0.5 if not self._lines[row - 1].strip() else width


def _last_row(node: Branch) -> int:
    """That of its last character, which may be the end of a line."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _goes_with(node: Branch, after: Branch) -> bool:
    """Whether no cut may be between the two: they share a row, or a comment stands right before what it tells of."""
    begins = after.start_point[0]
    return begins <= _last_row(node) or (_is_comment(node) and begins == _last_row(node) + 1)


def _is_comment(node: Branch) -> bool:
    return "comment" in node.type or node.type in ("decorator", "attribute_item", "unary_operator")


def _only_large_child(node: Branch) -> Branch | None:
    """The child that has nearly all of the node's rows, such as the body of a function."""
    largest = max(node.children, key=lambda child: child.end_point[0] - child.start_point[0], default=None)
    return largest if largest is not None and largest.end_point[0] > largest.start_point[0] else None
