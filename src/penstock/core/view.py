"""What a model is shown: spans of the original with a mark for every gap between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from penstock.core.census import Census, Signs
from penstock.core.content import Content, Hole, Span
from penstock.core.entry import Reason
from penstock.core.handle import Handle
from penstock.core.jsontext import from_json
from penstock.core.measure import Size
from penstock.core.notice import gap_mark
from penstock.core.policy import Language
from penstock.core.reduce.contract import Choice, Tally

_NEWLINE: Final = ord("\n")

# What came in, or what was asked for: plain text, a JSON value, a tool response envelope, a list of content blocks.
Form = Literal["text", "json", "envelope", "blocks"]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of the original that a view hides."""

    start: int  # byte offsets in the original
    stop: int
    first_line: int  # 1-based; the lines that it touches
    last_line: int
    newlines: int
    whole_lines: bool  # it begins and ends between lines
    ends_line: bool  # its last byte is a newline
    census: Census
    before: int  # how many of the view's spans stand before it
    tally: Tally | None = None  # what is in it, where the kind of content counts something

    def mark(self, language: Language) -> str:
        if self.whole_lines:
            first, last = self.first_line, self.last_line
        else:
            first, last = self.start, self.stop - 1
        return gap_mark(language, first, last, self.census, by_bytes=not self.whole_lines, tally=self.tally)


@dataclass(frozen=True, slots=True)
class Truncation:
    """What was cut, as numbers: the `data.truncation` of an envelope."""

    direction: str
    max_chars: int | None
    max_lines: int | None
    max_bytes: int | None
    max_tokens: int | None
    original_chars: int
    original_lines: int
    original_bytes: int
    kept_chars: int
    kept_lines: int
    kept_bytes: int
    full_output_path: str | None
    handle: Handle | None

    def in_short(self) -> dict[str, Any]:
        """The numbers that a reader with little room wants."""
        wanted = ("original_lines", "original_bytes", "kept_lines", "kept_bytes", "full_output_path", "handle")
        return {name: value for name in wanted if (value := getattr(self, name)) is not None}

    def as_dict(self) -> dict[str, Any]:
        """Without the limits that are not set: a reader has no use for them, and they take room."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in told.items() if value is not None or not name.startswith("max_")}


@dataclass(frozen=True, slots=True)
class View:
    """A tool result as it is shown. `str(view)` is its text."""

    text: str
    size: Size
    original: Size
    reason: Reason
    form: Form
    kind: str = ""
    strategy: str = ""
    handle: Handle | None = None
    path: str | None = None
    failure: str = ""  # why the whole was not kept; "" when it was, or when nothing had to be
    spans: tuple[Span, ...] = ()  # what is shown, as byte offsets in the original, in order
    gaps: tuple[Gap, ...] = ()
    truncation: Truncation | None = None
    tokens: int | None = None  # of the original, as an estimate; counted only where something was cut
    data: bytes | None = None  # the text as bytes where they differ: what is not UTF-8 is in here as it was
    blocks: tuple[Mapping[str, Any], ...] = ()  # content blocks with their text bounded, when blocks came in
    framed: Callable[[], View] | None = field(default=None, repr=False, compare=False)

    @property
    def truncated(self) -> bool:
        return self.reason not in ("fits", "skip")

    def envelope(self) -> dict[str, Any]:
        """The view as a tool response: status, data, text, stats, context, error.

        A truncated view is bounded once more, so that the envelope as JSON is within the limits too. Where the envelope
        itself goes to the model, admit with `envelope=True`: then what fits is measured with its envelope.
        """
        if self.form == "envelope":
            return dict(from_json(self.text)) if self.text else {"status": "partial"}
        if self.framed is not None:
            return self.framed().envelope()
        data = from_json(self.text) if self.form == "json" else {"truncated": False}
        text = "" if self.form == "json" else self.text
        return {"status": "success", "data": data, "text": text, "stats": {}, "context": {}, "error": None}

    def replacement(self) -> Any:
        """What a tool returns in place of its own result: the same type, as far as a bounded result can have it."""
        if self.form == "blocks":
            return list(self.blocks)
        return self.envelope() if self.form == "envelope" else self.text

    def __str__(self) -> str:
        return self.text

    def __bytes__(self) -> bytes:
        """The text as bytes, exactly as they were where they were shown."""
        return self.text.encode("utf-8", "surrogatepass") if self.data is None else self.data


def gaps_between(content: Content, choice: Choice, signs: Signs) -> list[Gap]:
    """The gaps that a choice leaves, in order. `signs` are those of the content's data."""
    gaps: list[Gap] = []
    newlines = 0  # of the original, before `place`
    place = 0
    end = len(content.data)
    for index, span in enumerate([*choice.spans, Span(end, end)]):
        if span.start > place or content.holes_within(place, span.start):
            gap = _gap(content, place, span.start, newlines, signs, index, choice.hidden.get(index))
            gaps.append(gap)
            newlines += gap.newlines
        newlines += content.data.count(b"\n", span.start, span.stop)
        place = span.stop
    return gaps


def _gap(content: Content, place: int, stop: int, newlines: int, signs: Signs, before: int, tally: Tally | None) -> Gap:
    begin, end = content.offset_of_end(place), content.offset_of_start(stop)
    inside = content.newlines(place, stop)
    ends_line = _line_ends_before(content, stop)
    census = signs.census(place, stop)
    for hole in content.holes_within(place, stop):
        census |= hole.census
    return Gap(
        start=begin,
        stop=end,
        first_line=newlines + 1,
        last_line=newlines + inside + (not ends_line),
        newlines=inside,
        ends_line=ends_line,
        whole_lines=_starts_line(content, place) and (ends_line or end == content.original_bytes),
        census=census,
        before=before,
        tally=tally,
    )


def _starts_line(content: Content, place: int) -> bool:
    """Whether a gap that begins after the byte before `place` begins with a line."""
    return place == 0 or content.data[place - 1] == _NEWLINE


def _line_ends_before(content: Content, place: int) -> bool:
    holes = content.holes_within(place, place)
    return holes[-1].ends_line if holes else content.data[place - 1] == _NEWLINE


def parts_of(choice: Choice, gaps: list[Gap], language: Language) -> list[str | Span]:
    """Spans and gap marks in order. A mark between whole lines has a line of its own; others stand in the line.

    Where the layout is not verbatim, all that is shown ends its line, and so does every mark.
    """
    parts: list[str | Span] = []
    spans, laid_out = choice.spans, choice.parts
    marks = {gap.before: gap for gap in gaps}
    for index in range(len(spans) + 1):
        gap = marks.get(index)
        if gap is not None:
            on_own_line = index < len(spans) and (gap.ends_line or laid_out is not None)
            parts.append(gap.mark(language) + ("\n" if on_own_line else ""))
        if index < len(spans):
            parts.extend([spans[index]] if laid_out is None else laid_out[index])
    return parts


def residue_of(content: Content, spans: list[Span], gaps: list[Gap]) -> Content:
    """What is shown, with a hole for each gap: enough to bound the view again without the original."""
    places = [0]
    for span in spans:
        places.append(places[-1] + span.stop - span.start)
    holes = tuple(
        Hole(
            place=places[gap.before],
            bytes=gap.stop - gap.start,
            newlines=gap.newlines,
            ends_line=gap.ends_line,
            census=gap.census,
        )
        for gap in gaps
    )
    return Content(b"".join(content.data[s.start : s.stop] for s in spans), content.size, content.errors, holes)
