"""The map as text: of each file the lines of its best definitions with their numbers, as many as fit.

The best file comes first, the lines in the order of the file, with what a definition is inside of above it, and with
`...` where lines are left out. The last line says how much is shown of how much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.tools.references import Ranked
from penstock.tools.tags import FileTags, Tag

GAP: Final = "..."
_SHORTEST: Final = 5  # what a definition takes at least: a number, two spaces, a character, and the end of its line


class Section(NamedTuple):
    """What is shown of one file."""

    path: str
    tags: tuple[Tag, ...]  # in the order of the file


class Counts(NamedTuple):
    """How much there is, and what else is to be said of it."""

    definitions: int
    files: int
    remarks: tuple[str, ...] = ()
    partial: bool = False


class Drawn(NamedTuple):
    text: str
    sections: tuple[Section, ...]
    counts: Counts


class Sheet:
    """Draws as much as limits allow."""

    def __init__(self, limits: Limits, size: Callable[[str, Limits], Size], told: Callable[[str], str]) -> None:
        self._limits = limits
        self._size = size
        self._told = told

    def drawn(self, files: Sequence[tuple[str, FileTags]], ranked: Sequence[Ranked], counts: Counts) -> Drawn:
        for full in (True, False):
            best = self._drawn(files, ranked[:0], counts, full=full)
            if self._fits(best.text):
                break
        else:
            return Drawn("", (), counts)
        fitting, over = 0, min(len(ranked), self.most()) + 1
        while over - fitting > 1:
            middle = (fitting + over) // 2
            tried = self._drawn(files, ranked[:middle], counts, full=full)
            if self._fits(tried.text):
                fitting, best = middle, tried
            else:
                over = middle
        return best

    def _drawn(
        self, files: Sequence[tuple[str, FileTags]], ranked: Sequence[Ranked], counts: Counts, *, full: bool
    ) -> Drawn:
        sections = _sections(files, ranked)
        lines = [line for section in sections for line in self._lines(section)]
        note = _note(sections, counts) if full else _short_note(sections, counts)
        return Drawn("\n".join([*lines, note]), sections, counts)

    def _lines(self, section: Section) -> list[str]:
        numbered = {number: text for tag in section.tags for number, text in enumerate(tag.signature, tag.line)}
        width = len(str(max(numbered)))
        lines = [f"{self._told(section.path)}:"]
        before = None
        for number in sorted(numbered):
            if before is not None and number > before + 1:
                lines.append(GAP)
            lines.append(f"{number:>{width}}  {numbered[number]}")
            before = number
        return [*lines, ""]

    def _fits(self, text: str) -> bool:
        return self._size(text, self._limits).over(self._limits) is None

    def most(self) -> int:
        """More definitions than these cannot fit."""
        limits = self._limits
        room = [limits.lines, limits.tokens]
        room += [most // _SHORTEST for most in (limits.chars, limits.bytes) if most is not None]
        # Two definitions may share a line.
        return 4 * min((most for most in room if most is not None), default=1 << 40) + 4


def _sections(files: Sequence[tuple[str, FileTags]], ranked: Sequence[Ranked]) -> tuple[Section, ...]:
    """What is shown when these definitions are, and what they are inside of."""
    chosen: dict[int, set[int]] = {}
    for one in ranked:
        shown = chosen.setdefault(one.file, set())
        definitions = files[one.file][1].definitions
        place = one.number
        while place >= 0 and place not in shown:
            shown.add(place)
            place = definitions[place].parent
    return tuple(
        Section(path, tuple(tags.definitions[place] for place in sorted(shown)))
        for (path, tags), shown in ((files[file], shown) for file, shown in chosen.items())
    )


def _note(sections: Sequence[Section], counts: Counts) -> str:
    shown = sum(len(section.tags) for section in sections)
    files = f"{len(sections):,} of {counts.files:,} file{'' if counts.files == 1 else 's'}"
    definitions = f"{shown:,} of {counts.definitions:,} definition{'' if counts.definitions == 1 else 's'}"
    return f"[{'; '.join([f'{definitions} in {files}', *counts.remarks])}]"


def _short_note(sections: Sequence[Section], counts: Counts) -> str:
    shown = sum(len(section.tags) for section in sections)
    return f"[{'partial: ' if counts.partial else ''}{shown:,} of {counts.definitions:,}]"
