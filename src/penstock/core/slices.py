"""Bounded reads of kept output: pages by lines and by bytes, and what a view has hidden so far.

Every byte is reachable: a page that ends inside a long line says at which byte to go on. A page is within its limits
with its last line, which says what it is and what comes next. Where the limits leave no room for both, the note goes;
where not even one whole unit fits (a cluster of a thousand marks), a unit is cut between its characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from penstock.core.census import Census
from penstock.core.content import LOOK, Content, Hole, Span
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.reduce.contract import Room
from penstock.core.reduce.fill import from_end, from_start
from penstock.core.source import STEP, Source, after_lines, errors_of, line_start, newlines_before, text_of
from penstock.core.squeeze import fullest, room_within
from penstock.core.tokens import MOST_BYTES_PER_TOKEN

# A page is at most this long whatever the limits are: reads take constant memory.
PAGE_MOST: Final = 8 * 1024 * 1024

# The most bytes of a character: nearer to the edge of what was read there may be half of one.
_CHARACTER: Final = 4

Count = Callable[[str], int]
Fill = Callable[[Content, Span, Room], Span]


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


def page_by_lines(source: Source, start: int, limit: int, limits: Limits, count: Count) -> Slice:
    """Lines `start` to `start + limit - 1`, or as many of them as fit."""
    place, newlines = line_start(source, start)
    most = _most_bytes(limits)
    data = b""
    while len(data) < most + LOOK and data.count(b"\n") < limit:
        step = source.read(place + len(data), max(STEP, len(data)))
        if not step:
            break
        data += step
    stop = after_lines(data, limit) or _cut_near(data, most, at_end=place + len(data) >= source.size)
    return _page(_Window(source, data[:stop], place, newlines + 1, by_lines=True), from_start, limits, count)


def page_by_bytes(source: Source, offset: int, limit: int, limits: Limits, count: Count) -> Slice:
    """Bytes `offset` to `offset + limit`, or as many of them as fit; for `limit` at least one whole unit."""
    place = min(offset, source.size)
    most = min(limit, _most_bytes(limits))
    data = source.read(place, most + LOOK)
    stop = _cut_near(data, most, at_end=place + len(data) >= source.size)
    window = _Window(source, data[:stop], place, newlines_before(source, place) + 1, by_lines=False)
    return _page(window, from_start, limits, count)


def last_lines(source: Source, limit: int, limits: Limits, count: Count) -> Slice:
    """The last `limit` lines, or as many of them as fit."""
    place, _ = line_start(source, max(1, source.lines - limit + 1))
    return _last(source, place, limits, count)


def last_bytes(source: Source, limit: int, limits: Limits, count: Count) -> Slice:
    """The last `limit` bytes, or as many of them as fit; for `limit` at least one whole unit."""
    return _last(source, max(0, source.size - limit), limits, count)


def _last(source: Source, place: int, limits: Limits, count: Count) -> Slice:
    place = max(place, source.size - _most_bytes(limits))
    before = min(place, LOOK)
    data = source.read(place - before, source.size - place + before)
    start = _start_near(data, before, at_start=before == place)
    place += start - before
    window = _Window(source, data[start:], place, newlines_before(source, place) + 1, by_lines=True)
    return _page(window, from_end, limits, count)


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
        piece = source.read(start, min(stop - start, most - held + LOOK))
        if start + len(piece) < stop:
            piece = piece[: _cut_near(piece, most - held, at_end=False)]
        pieces.append(piece)
        held += len(piece)
        place = start + len(piece)
    if place < source.size:
        # Behind the last piece there may be more that was not shown yet, and that is not looked at.
        census = Census(complete=place >= hidden[-1][1])
        holes.append(_hole(source, held, place, source.size)._replace(census=census))
    # Each for itself: two halves of characters, side by side, could pass for a whole one.
    from_text = all(errors_of(piece) == "surrogatepass" for piece in pieces)
    size = Size(0, source.lines, source.size)
    return Content(b"".join(pieces), size, "surrogatepass" if from_text else "replace", tuple(holes))


def _hole(source: Source, place: int, start: int, stop: int) -> Hole:
    if stop - start <= STEP:
        newlines = source.read(start, stop - start).count(b"\n")
    else:
        newlines = newlines_before(source, stop) - newlines_before(source, start)
    return Hole(place, stop - start, newlines, source.read(stop - 1, 1) == b"\n")


def _cut_near(data: bytes, most: int, *, at_end: bool) -> int:
    """Where to cut data of which more than `most` bytes are there to look at: after at least one whole unit."""
    if len(data) <= most:
        return len(data)
    at = cut_at_or_before(data, most) or cut_at_or_after(data, most)
    if at_end or at <= len(data) - _CHARACTER:
        return at
    # The unit does not end within sight, so it is cut where at least its characters stay whole.
    return advance(data, 0, most, chars=None, size=None) or _character_width(data)


def _start_near(data: bytes, before: int, *, at_start: bool) -> int:
    """Where to begin in data of which `before` bytes are there to look at: with at least one whole unit after it."""
    at = cut_at_or_after(data, before)
    if at == len(data):
        at = cut_at_or_before(data, before)
    if at_start or at >= _CHARACTER:
        return at
    start = retreat(data, before, len(data), chars=None, size=None)
    return start if start < len(data) else len(data) - _character_width(data, from_end=True)


def _most_bytes(limits: Limits) -> int:
    """How many bytes a text within these limits can have at most."""
    most = PAGE_MOST
    if limits.chars is not None:
        most = min(most, 4 * limits.chars)
    if limits.bytes is not None:
        most = min(most, limits.bytes)
    if limits.tokens is not None:
        most = min(most, MOST_BYTES_PER_TOKEN * limits.tokens)
    return most


@dataclass(frozen=True, slots=True)
class _Window:
    """What a page is chosen from."""

    source: Source
    data: bytes
    place: int  # of data in the original
    line: int  # that data starts in
    by_lines: bool

    def page(self, span: Span) -> Slice:
        source, data = self.source, self.data[span.start : span.stop]
        start, stop = self.place + span.start, self.place + span.stop
        first = self.line + self.data.count(b"\n", 0, span.start)
        last = max(first, first + data.count(b"\n") - data.endswith(b"\n"))
        follow: dict[str, Any] | None = None
        if stop < source.size:
            at_line = self.by_lines and data.endswith(b"\n")
            follow = {"start": last + 1} if at_line else {"unit": "bytes", "offset": stop}
        note = _note(source, start, stop, first, last, follow)
        total = source.size, source.lines
        return Slice(text_of(data), data, source.handle, start, stop, first, last, *total, note, follow)


class _Try(NamedTuple):
    page: Slice
    size: Size


def _page(window: _Window, clean: Fill, limits: Limits, count: Count) -> Slice:
    """The fullest page: with its note where anything fits beside it, of whole units where one fits at all."""
    content, whole = Content(window.data, Size(), errors_of(window.data)), Span(0, len(window.data))
    size_of = partial(_size, limits, count)
    for fill in (clean, _rough_start if clean is from_start else _rough_end):
        for noted in (True, False):
            fixed = size_of(_widest_note(window.source)) if noted else Size()
            room = room_within(limits, fixed, window.data, Size())
            attempt = partial(_attempt, window, partial(fill, content, whole), room, noted, size_of)
            tried = fullest(attempt, limits, fixed, elastic=limits.tokens is not None, grows=True)
            if tried is not None and (tried.page.data or not window.data):
                return tried.page
    return replace(window.page(Span(0, 0)), text="")


def _attempt(
    window: _Window,
    choose: Callable[[Room], Span],
    room: Room,
    noted: bool,
    size_of: Callable[[str], Size],
    part: float,
) -> _Try:
    page = window.page(choose(room.squeezed(part)))
    if noted:
        parted = not page.text or page.text.endswith("\n")
        page = replace(page, text=page.text + ("" if parted else "\n") + page.note)
    return _Try(page, size_of(page.text))


def _rough_start(content: Content, span: Span, room: Room) -> Span:
    stop = advance(content.data, *span, chars=room.chars, size=room.bytes)
    return Span(span.start, stop or _character_width(content.data))


def _rough_end(content: Content, span: Span, room: Room) -> Span:
    start = retreat(content.data, *span, chars=room.chars, size=room.bytes)
    return Span(start if start < span.stop else span.stop - _character_width(content.data, from_end=True), span.stop)


def _character_width(data: bytes, *, from_end: bool = False) -> int:
    """How many bytes the first or last character takes, be it half a surrogate pair or no UTF-8."""
    for width in range(1, min(_CHARACTER, len(data)) + 1):
        if errors_of(data[-width:] if from_end else data[:width]) == "surrogatepass":
            return width
    return min(1, len(data))


def _size(limits: Limits, count: Count, text: str) -> Size:
    size = measure(text)
    return size if limits.tokens is None else size._replace(tokens=count(text))


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


def _widest_note(source: Source) -> str:
    """The longest note that a page of this source can have, with the newline that parts it from the page."""
    line, byte = source.lines, source.size
    if byte == 0:
        return _note(source, 0, 0, 1, 1, None) + "\n"
    return _note(source, byte - 1, byte, line, line + 1, {"unit": "bytes", "offset": byte}) + "\n"
