"""Search hits as text: line numbers as grep writes them, lines around each hit, a window around it in a long line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.grep import Found, Hit
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.slices import Source, errors_of

# Of a line that is longer than twice this, so many bytes are shown on each side of the match.
WINDOW: Final = 240
# The end of a long line is looked for this far behind a match: the gap mark can then say how much it hides.
LINE_SCANNED: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to a search. `str(hits)` is its text."""

    text: str
    handle: Handle
    hits: list[Hit]  # those that the text shows
    complete: bool  # all matches of the whole output are shown
    ended: str  # "", "matches", "time" or "room": what stopped the search or its display
    searched: int  # bytes
    next: dict[str, Any] | None  # the arguments that go on
    shown: tuple[tuple[int, int], ...]  # byte ranges of the original

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.hits)


class _Line(NamedTuple):
    number: int
    hit: bool
    text: str
    shown: tuple[int, int]


def render(
    source: Source, found: Found, context: int, limits: Limits, count: Callable[[str], int], pattern: str
) -> Hits:
    """As many hits as fit, whole groups only, with a last line that says how many there are and how to go on."""
    groups = list(_groups(source, found.hits, context))
    for number in range(len(groups), -1, -1):
        hits = _hits(source, found, groups[:number], pattern)
        size = measure(hits.text)
        if limits.tokens is not None:
            size = size._replace(tokens=count(hits.text))
        if size.over(limits) is None:
            return hits
    return Hits("", source.handle, [], False, "room", found.searched, None, ())


def _hits(source: Source, found: Found, groups: list[list[_Line]], pattern: str) -> Hits:
    shown = found.hits[: sum(line.hit for group in groups for line in group)]
    ended, follow = found.ended, None
    if len(shown) < len(found.hits):
        ended = "room"
        follow = {"pattern": pattern, "start": found.hits[len(shown)].line}
    elif ended == "matches":
        follow = {"pattern": pattern, "start": found.hits[-1].line + 1}
    note = _note(source, found, len(shown), ended, follow)
    body = "\n--\n".join("\n".join(f"{x.number}{':' if x.hit else '-'}{x.text}" for x in group) for group in groups)
    return Hits(
        f"{body}\n{note}" if body else note,
        source.handle,
        shown,
        not ended,
        ended,
        found.searched,
        follow,
        tuple(line.shown for group in groups for line in group),
    )


def _note(source: Source, found: Found, shown: int, ended: str, follow: dict[str, Any] | None) -> str:
    lines = f"{shown:,} matching line{'' if shown == 1 else 's'}"
    if not ended:
        return f"[{lines}; all {source.lines:,} lines searched]" if shown else f"[no match in {source.lines:,} lines]"
    if ended == "time":
        part = 100 * found.searched // max(1, source.size)
        return f"[{lines}; stopped by the time limit after {found.searched:,} bytes ({part} %)]"
    start = f"; more: start={follow['start']}" if follow else ""
    return f"[{lines} shown{start}]"


def _groups(source: Source, hits: list[Hit], context: int) -> Iterator[list[_Line]]:
    """Hits whose surroundings touch are one group, so that no line is shown twice."""
    group: list[_Line] = []
    for index, hit in enumerate(hits):
        last = group[-1].number if group else 0
        before = _before(source, hit, max(last + 1, hit.line - context))
        if group and (before[0].number if before else hit.line) > last + 1:
            yield group
            group = []
        group += before
        until = hit.line + context
        if index + 1 < len(hits):
            until = min(until, hits[index + 1].line - 1)
        group += _from_hit(source, hit, until)
    if group:
        yield group


def _before(source: Source, hit: Hit, first: int) -> list[_Line]:
    """The lines from `first` up to the one that was hit, as far as they are near."""
    wanted = hit.line - first
    if wanted <= 0 or hit.line_start <= 0:
        return []
    begin = max(0, hit.line_start - wanted * 2 * WINDOW - 1)
    data = source.read(begin, hit.line_start - begin)
    lines = data[:-1].split(b"\n")
    if begin > 0:
        # What was read starts inside a line, which is shown from its end backwards or not at all.
        lines = lines[1:] if len(lines) > wanted else lines
    lines = lines[-wanted:]
    result: list[_Line] = []
    stop = hit.line_start - 1
    for number, line in zip(range(hit.line - 1, 0, -1), reversed(lines), strict=False):
        start = stop - len(line)
        cut = cut_at_or_before(line, min(len(line), 2 * WINDOW))
        clipped = start == begin and begin > 0
        result.append(_Line(number, False, _clipped(line, cut, from_inside=clipped), (start, start + cut)))
        stop = start - 1
    return result[::-1]


def _from_hit(source: Source, hit: Hit, until: int) -> list[_Line]:
    """The line that was hit, and the lines after it up to `until`, as far as they are near."""
    line_start = hit.line_start if hit.line_start >= 0 else max(0, hit.start - WINDOW)
    near = max(line_start, hit.start - WINDOW)
    stop = min(hit.stop, hit.start + WINDOW)
    data = source.read(near, stop - near + (until - hit.line + 1) * 2 * WINDOW + WINDOW)
    newline = data.find(b"\n", hit.start - near)
    end = len(data) if newline < 0 else newline
    line = data[:end]
    line_stop = near + end if newline >= 0 else _line_end(source, near + len(data))
    begin = cut_at_or_after(line, 0) if near == line_start else cut_at_or_after(line, 1)
    far = line_stop - near > stop - near + 2 * WINDOW
    finish = cut_at_or_before(line, min(len(line), stop - near + WINDOW), begin) if far else len(line)
    text = line[begin:finish].decode("utf-8", errors_of(line[begin:finish]))
    if near > line_start:
        text = f"[... bytes {line_start}-{near + begin - 1}]{text}"
    if near + finish < line_stop:
        text += f"[... bytes {near + finish}-{line_stop - 1}]"
    result = [_Line(hit.line, True, text, (near + begin, near + finish))]
    if newline >= 0:
        result += _after(data[newline + 1 :], near + newline + 1, hit.line + 1, until, near + len(data) >= source.size)
    return result


def _after(data: bytes, offset: int, number: int, until: int, at_end: bool) -> list[_Line]:
    result: list[_Line] = []
    pieces = data.split(b"\n")
    last = len(pieces) - 1
    for index, line in enumerate(pieces):
        if number > until or (index == last and at_end and not line):
            break
        cut = cut_at_or_before(line, min(len(line), 2 * WINDOW))
        open_ended = index == last and not at_end
        text = line[:cut].decode("utf-8", errors_of(line[:cut]))
        if cut < len(line) or open_ended:
            text += "[...]"
        result.append(_Line(number, False, text, (offset, offset + cut)))
        offset += len(line) + 1
        number += 1
    return result


def _clipped(line: bytes, stop: int, *, from_inside: bool) -> str:
    text = line[:stop].decode("utf-8", errors_of(line[:stop]))
    return ("[...]" if from_inside else "") + text + ("[...]" if stop < len(line) else "")


def _line_end(source: Source, place: int) -> int:
    """Where the line that `place` is in ends, or how far was looked."""
    stop = min(source.size, place + LINE_SCANNED)
    while place < stop:
        step = source.read(place, min(256 * 1024, stop - place))
        newline = step.find(b"\n")
        if newline >= 0:
            return place + newline
        if not step:
            break
        place += len(step)
    return place
