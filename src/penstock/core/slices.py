"""Bounded reads of kept output: pages by lines and by bytes, and what a view has hidden so far.

Every byte is reachable: a page that ends inside a long line says at which byte to go on. A page is within its limits
with its last line, which says what it is and what comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from penstock.core.content import Content, Errors, Hole, Span
from penstock.core.cut import advance, cut_at_or_after
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.reduce.contract import Room
from penstock.core.reduce.fill import from_end, from_start


class Source(Protocol):
    """Kept output that can be read from any byte, and knows where its lines are."""

    @property
    def handle(self) -> Handle: ...
    @property
    def size(self) -> int: ...
    @property
    def lines(self) -> int: ...
    def read(self, offset: int, size: int) -> bytes: ...
    def seek_line(self, line: int) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Slice:
    """A page. `str(slice)` is its text, as a model sees it; `data` are the bytes of the original, as they are."""

    text: str
    data: bytes
    handle: Handle
    start: int  # byte offsets of `data` in the original
    stop: int
    first_line: int
    last_line: int
    total_bytes: int
    total_lines: int
    note: str  # the last line of the text
    next: dict[str, Any] | None  # the arguments that read the next page, None at the end

    def __str__(self) -> str:
        return self.text

    def __bytes__(self) -> bytes:
        return self.data


# A page is at most this long whatever the limits are: reads take constant memory.
PAGE_MOST: Final = 8 * 1024 * 1024
STEP: Final = 256 * 1024
TRIES: Final = 12


def errors_of(data: bytes) -> Errors:
    """Whether bytes came from a text, perhaps with lone surrogates, or are not all UTF-8."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "replace"
    return "surrogatepass"


def content_of_page(data: bytes) -> Content:
    return Content(data, Size(), errors_of(data))


def page_by_lines(source: Source, start: int, limit: int, limits: Limits, count: Callable[[str], int]) -> Slice:
    """Lines `start` to `start + limit - 1`, or as many of them as fit."""
    place, newlines = _line_start(source, start)
    return _page(source, place, newlines + 1, limits & Limits(lines=limit + 1), count, by_lines=True)


def page_by_bytes(source: Source, offset: int, limit: int, limits: Limits, count: Callable[[str], int]) -> Slice:
    """Bytes `offset` to `offset + limit`, or as many of them as fit, cut where a text may be cut."""
    place = min(offset, source.size)
    line = _newlines_before(source, place) + 1
    return _page(source, place, line, limits, count, by_lines=False, most=limit)


def last_lines(source: Source, limit: int, limits: Limits, count: Callable[[str], int]) -> Slice:
    """The last `limit` lines, or as many of them as fit."""
    place, _ = _line_start(source, max(1, source.lines - limit + 1))
    return _last(source, place, limits, count)


def last_bytes(source: Source, limit: int, limits: Limits, count: Callable[[str], int]) -> Slice:
    return _last(source, max(0, source.size - limit), limits, count)


def hidden_ranges(size: int, shown: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """What merged and ordered ranges leave of `size` bytes."""
    hidden: list[tuple[int, int]] = []
    place = 0
    for start, stop in shown:
        if start > place:
            hidden.append((place, start))
        place = max(place, stop)
    if place < size:
        hidden.append((place, size))
    return hidden


def unseen_content(source: Source, shown: Iterable[tuple[int, int]], most: int) -> Content | None:
    """The first `most` bytes that no view and no read has shown yet, with holes for what they have; None if all was."""
    hidden = hidden_ranges(source.size, shown)
    if not hidden:
        return None
    pieces: list[bytes] = []
    holes: list[Hole] = []
    held = place = 0
    for start, stop in hidden:
        if held >= most:
            break
        if start > place:
            holes.append(_hole(source, held, place, start))
        piece = _read_all(source, start, min(stop, start + most - held))
        pieces.append(piece)
        held += len(piece)
        place = start + len(piece)
    if place < source.size:
        holes.append(_hole(source, held, place, source.size))
    data = b"".join(pieces)
    return Content(data, Size(0, source.lines, source.size), errors_of(data), tuple(holes))


def _hole(source: Source, place: int, start: int, stop: int) -> Hole:
    newlines = _newlines_before(source, stop) - _newlines_before(source, start)
    return Hole(place, stop - start, newlines, source.read(stop - 1, 1) == b"\n")


def _read_all(source: Source, start: int, stop: int) -> bytes:
    return source.read(start, max(0, stop - start))


def _line_start(source: Source, line: int) -> tuple[int, int]:
    """The offset where 1-based `line` starts and the newlines before it; past the end, the end."""
    place, newlines = source.seek_line(line)
    while newlines < line - 1:
        step = source.read(place, STEP)
        if not step:
            break
        found = step.count(b"\n")
        if newlines + found < line - 1:
            place += len(step)
            newlines += found
            continue
        at = -1
        for _ in range(line - 1 - newlines):
            at = step.find(b"\n", at + 1)
        return place + at + 1, line - 1
    return place, newlines


def _newlines_before(source: Source, offset: int) -> int:
    """Newlines before `offset`: a search over the lines that the source can seek, then one step of counting."""
    low, high = 1, source.lines + 1
    while low < high:
        middle = (low + high + 1) // 2
        if source.seek_line(middle)[0] <= offset:
            low = middle
        else:
            high = middle - 1
    place, newlines = source.seek_line(low)
    while place < offset:
        step = source.read(place, min(STEP, offset - place))
        if not step:
            break
        newlines += step.count(b"\n")
        place += len(step)
    return newlines


def _most_bytes(limits: Limits) -> int:
    """How many bytes a text within these limits can have at most."""
    most = PAGE_MOST
    if limits.chars is not None:
        most = min(most, 4 * limits.chars)
    if limits.bytes is not None:
        most = min(most, limits.bytes)
    if limits.tokens is not None:
        most = min(most, 128 * limits.tokens)  # no token of a byte-level tokenizer is longer
    return most


def _page(
    source: Source, place: int, line: int, limits: Limits, count: Callable[[str], int],
    *, by_lines: bool, most: int | None = None,
) -> Slice:  # fmt: skip
    # Some more than fits, so that a cut sees what follows it.
    data = source.read(place, _most_bytes(limits) + 64)
    if most is not None and most < len(data):
        data = data[: cut_at_or_after(data, most)]
    whole = Span(0, len(data))
    content = content_of_page(data)
    for span in _tries(limits, source, lambda room: from_start(content, whole, room), _first_character(data)):
        page = _slice(source, content, span, place, line, by_lines=by_lines)
        text = _fitting(page, limits, count)
        if text is not None and (page.data or not data):
            return replace(page, text=text)
    return replace(_slice(source, content, Span(0, 0), place, line, by_lines=by_lines), text="")


def _last(source: Source, place: int, limits: Limits, count: Callable[[str], int]) -> Slice:
    begin = max(place, source.size - _most_bytes(limits) - 64)
    data = source.read(begin, source.size - begin)
    whole = Span(0, len(data))
    content = content_of_page(data)
    least = Span(len(data) - 1, len(data)) if data else whole
    for span in _tries(limits, source, lambda room: from_end(content, whole, room), least):
        line = _newlines_before(source, begin + span.start) + 1
        page = _slice(source, content, span, begin, line, by_lines=True)
        text = _fitting(page, limits, count)
        if text is not None and (page.data or not data):
            return replace(page, text=text)
    return replace(_slice(source, content, Span(0, 0), begin, 1, by_lines=True), text="")


def _tries(limits: Limits, source: Source, choose: Callable[[Room], Span], least: Span) -> Iterator[Span]:
    """Spans to try, from what should fit to a single character, so that a page always goes on."""
    room = Room(limits.chars, limits.lines, limits.bytes, Size())
    note = _widest_note(source)
    part = 1.0
    for _ in range(TRIES):
        yield choose(room.less(note).squeezed(part))
        part *= 0.6
    yield choose(room)
    yield least


def _first_character(data: bytes) -> Span:
    """What is shown where not even one whole unit fits: a cluster of a thousand marks must not end all reading."""
    return Span(0, advance(data, 0, len(data), chars=1, size=None))


def _fitting(page: Slice, limits: Limits, count: Callable[[str], int]) -> str | None:
    """The page's text with its note, or without where only that fits; None when it is over either way."""
    for text in (page.text, page.data.decode("utf-8", errors_of(page.data))):
        size = measure(text)
        if limits.tokens is not None:
            size = size._replace(tokens=count(text))
        if size.over(limits) is None:
            return text
    return None


def _slice(source: Source, content: Content, span: Span, place: int, line: int, *, by_lines: bool) -> Slice:
    data = content.data[span.start : span.stop]
    start, stop = place + span.start, place + span.stop
    last_line = max(line, line + data.count(b"\n") - (data[-1:] == b"\n"))
    follow: dict[str, Any] | None = None
    if stop < source.size:
        at_line = by_lines and (data[-1:] == b"\n")
        follow = {"start": last_line + 1} if at_line else {"unit": "bytes", "offset": stop}
    note = _note(source, start, stop, line, last_line, follow)
    text = content.text(span)
    joined = f"{text}{note}" if not text or text.endswith("\n") else f"{text}\n{note}"
    return Slice(joined, data, source.handle, start, stop, line, last_line, source.size, source.lines, note, follow)


def _note(source: Source, start: int, stop: int, first: int, last: int, follow: dict[str, Any] | None) -> str:
    if start >= source.size:
        return f"[past the end: {source.lines:,} lines, {source.size:,} bytes]"
    what = f"lines {first:,}-{last:,} of {source.lines:,}" if first != last else f"line {first:,} of {source.lines:,}"
    if follow is not None and "offset" in follow:
        what += f", bytes {start}-{stop - 1} of {source.size}"
    if follow is None:
        return f"[{what}; end]"
    arguments = ", ".join(
        f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in follow.items()
    )
    return f"[{what}; next: {arguments}]"


def _widest_note(source: Source) -> Size:
    n, m = source.lines, source.size
    return measure("\n" + _note(source, 0, m, n, n + 1, {"unit": "bytes", "offset": m}))
