"""Read this first: how a result becomes a view.

    measure ─► fits? ──yes──► the view is the result, untouched
                 │no
                 ├─► the shell keeps the whole (or fails to)
                 ├─► a reducer chooses spans within the room that the notice leaves
                 └─► spans, gap marks and notice are made one text, and that text is measured

The bound is exact because the last step measures what the model will see. The room is computed so that the first
attempt fits nearly always; where a size shows only in the finished text (tokens, JSON escapes) a few attempts close in
on it. Where even the notice does not fit, it gives way step by step until nothing but the start of the content is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

from penstock.core.census import Census, Signs, find_signs
from penstock.core.content import Content, Span
from penstock.core.entry import Reason
from penstock.core.envelope import Frame
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.notice import TOO_MUCH_EFFORT, Facts, Step, usual_mark, widest, widest_mark, write
from penstock.core.policy import Policy
from penstock.core.reduce import reducer_for
from penstock.core.reduce.contract import Ask, Choice, EffortSpent, Plan, Reducer, Room, Tally
from penstock.core.reduce.fill import from_end, from_start
from penstock.core.reduce.head_tail import HEAD_TAIL
from penstock.core.result import Result
from penstock.core.squeeze import fullest, room_within
from penstock.core.tokens import MOST_BYTES_PER_TOKEN, TokenCounter, estimate_tokens
from penstock.core.view import Form, Gap, Truncation, View, gaps_between, parts_of, residue_of

# What of the content is looked at for errors: 4 MB cost 6 ms. Where more is hidden the notice says "at least".
CENSUS_BUDGET: Final = 4 * 1024 * 1024

# What of a result a view may hold on to, for its envelope.
HELD: Final = 1024 * 1024

# A notice may take this much of each limit; where it would take more, a shorter one says it.
NOTICE_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the whole is, once it is kept."""

    handle: Handle
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """All that decides one view of one content."""

    content: Content
    policy: Policy
    reason: Reason
    media: str = "text"
    query: str = ""
    kept: Kept | None = None
    failure: str = ""
    remark: str = ""
    frame: Frame | None = None
    unseen: bool = False  # the content is what no view has shown, with holes for what views have

    @property
    def handle(self) -> Handle | None:
        return None if self.kept is None else self.kept.handle

    @property
    def path(self) -> str | None:
        return None if self.kept is None else self.kept.path

    @property
    def total(self) -> Size:
        """Characters and lines of the text, bytes of the original."""
        return self.content.size._replace(bytes=self.content.original_bytes)

    @property
    def whole(self) -> Span:
        return Span(0, len(self.content.data))

    def facts(self) -> Facts:
        return Facts(
            total=self.total,
            shown=Size(),
            hidden=Census(),
            reader=self.policy.reader,
            language=self.policy.language,
            handle=self.handle,
            path=self.path,
            kept=self.kept is not None,
            remark=self.remark,
            unseen=self.unseen,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """One attempt: a choice and the text that it makes."""

    choice: Choice
    gaps: list[Gap]
    text: str
    size: Size
    shown: Size
    parts: list[str | Span]


def size_in(text: str, limits: Limits, counter: TokenCounter) -> Size:
    """The size of a text, with tokens counted where there is a limit on them."""
    size = measure(text)
    return size if limits.tokens is None else size._replace(tokens=counter.count(text))


def size_of_content(content: Content, limits: Limits, counter: TokenCounter) -> Size:
    """The size of content that may be far over its limits: tokens are counted only where they may be within theirs."""
    if limits.tokens is None:
        return content.size
    if content.holes or content.size.bytes > MOST_BYTES_PER_TOKEN * limits.tokens:
        return content.size._replace(tokens=max(limits.tokens + 1, estimate_tokens(content.data)))
    return content.size._replace(tokens=counter.count(content.text(Span(0, len(content.data)))))


def untouched(result: Result, policy: Policy) -> View | None:
    """The view of a result that fits, or that asks to be let through by a sender who is trusted; else None."""
    skip = result.skip and policy.trust_skip
    if not skip and result.surely_over(policy.limits):
        return None
    text = result.text()
    size = measure(text)
    if not skip and (size.over(policy.limits) is not None or not _tokens_fit(text, size, policy)):
        return None
    data = result.shown if isinstance(result.shown, bytes) else None
    return View(text, size, size, "skip" if skip else "fits", result.form, data=data)


def _tokens_fit(text: str, size: Size, policy: Policy) -> bool:
    most = policy.limits.tokens
    # A token is at least a byte of UTF-8, so most texts need no counting.
    return most is None or size.bytes <= most or policy.counter.count_up_to(text, most) is not None


def bound(case: Case) -> View:
    """The view of content that is over its limits: always within them, whatever it is and however small they are."""
    signs = find_signs(case.content.data, CENSUS_BUDGET)
    reading = _read(case, signs)
    fallback: Draft | None = None
    for step in Step:
        draft = _at_step(reading, step)
        if draft is not None and draft.choice.spans:
            return _view(reading, draft)
        fallback = fallback or draft
    nothing = Choice([])
    gaps = gaps_between(case.content, nothing, signs)
    return _view(reading, fallback or Draft(nothing, gaps, "", Size(), Size(), []))


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found out about the content before anything of it is chosen."""

    case: Case
    signs: Signs
    reducer: Reducer
    plan: Plan

    def facts(self) -> Facts:
        return replace(self.case.facts(), tallies=self.plan.totals, layout=self.plan.layout)


def _read(case: Case, signs: Signs) -> Reading:
    reducer = reducer_for(case.policy.strategy, case.content, case.media)
    # What is not held cannot be laid out anew.
    ask = Ask(case.query, compact=case.policy.layout == "auto" and not case.content.holes)
    try:
        return Reading(case, signs, reducer, reducer.reduce(case.content, ask))
    except EffortSpent:
        remark = TOO_MUCH_EFFORT[case.policy.language]
        told = replace(case, remark=f"{case.remark} {remark}" if case.remark else remark)
        return Reading(told, signs, HEAD_TAIL, HEAD_TAIL.reduce(case.content, ask))


def _at_step(reading: Reading, step: Step) -> Draft | None:
    """The fullest draft at this step of the notice, or None when the step does not fit."""
    case = reading.case
    limits = case.policy.limits
    fixed = size_in(_emptiest(reading, step), limits, case.policy.counter)
    if fixed.over(limits.part(1.0 if step >= Step.BARE else NOTICE_SHARE)):
        return None
    room = _room(reading, fixed, step)

    def attempt(part: float) -> Draft:
        return _draft(reading, _choose(reading, room.squeezed(part), step), step)

    grows = limits.tokens is not None or not (reading.reducer.exact or step >= Step.BARE)
    return fullest(attempt, limits, fixed, elastic=grows or case.frame is not None, grows=grows)


def _emptiest(reading: Reading, step: Step) -> str:
    """All but what is shown of the content, as long as it can get."""
    case = reading.case
    notice = widest(reading.facts(), step)
    if case.frame is not None:
        return case.frame.around("", notice, _truncation(case, case.total), step)
    # A newline parts the notice from the content, whether it stands before or after it.
    return notice if step >= Step.BARE else f"{notice}\n"


def _room(reading: Reading, fixed: Size, step: Step) -> Room:
    case = reading.case
    if case.frame is not None or step >= Step.BARE:
        # JSON is one line whatever it holds, so lines are the preview's; a bare mark stands in the content's line.
        fixed = fixed._replace(lines=0)
    mark_of = widest_mark if reading.reducer.exact else usual_mark
    mark = Size() if step >= Step.BARE else measure(mark_of(case.policy.language, case.total) + "\n")
    return room_within(case.policy.limits, fixed, case.content.data, mark, case.policy.ratio)


def _choose(reading: Reading, room: Room, step: Step) -> Choice:
    case, content = reading.case, reading.case.content
    if step < Step.BARE:
        return _apart(content, reading.plan.choose(room))
    stretches = content.split(case.whole)
    if not stretches or (step is Step.NOTHING and case.frame is not None):
        return Choice([])
    # No room for marks: one piece, from the end that was asked for.
    if reading.reducer.name == "tail":
        piece = from_end(content, stretches[-1], room)
    else:
        piece = from_start(content, stretches[0], room)
    text = content.data[piece.start : piece.stop]
    # What follows the piece stands in the same line: there may be only one.
    line_end = len(text) - len(text.removesuffix(b"\n").removesuffix(b"\r"))
    return Choice(content.split(Span(piece.start, piece.stop - line_end)))


def _apart(content: Content, choice: Choice) -> Choice:
    """The choice without spans that reach over a hole."""
    if not content.holes:
        return choice
    spans: list[Span] = []
    places: list[int] = []
    for span in choice.spans:
        places.append(len(spans))
        spans += content.split(span)
    places.append(len(spans))
    return replace(choice, spans=spans, hidden={places[index]: tally for index, tally in choice.hidden.items()})


def _draft(reading: Reading, choice: Choice, step: Step) -> Draft:
    """The text that a choice makes."""
    case, content, policy = reading.case, reading.case.content, reading.case.policy
    gaps = gaps_between(content, choice, reading.signs)
    shown = _shown(content, choice.spans)
    notice = write(_told(reading, choice, shown, gaps), step)
    parts = parts_of(choice, gaps if step < Step.BARE else [], policy.language)
    body = "".join(part if isinstance(part, str) else content.text(part) for part in parts)
    if case.frame is not None:
        text = case.frame.around(body, notice, _truncation(case, shown), step)
    else:
        before, after = _around(body, notice, step, at_head=policy.notice == "head")
        text = before + body + after
        parts = [before, *parts, after]
    return Draft(choice, gaps, text, size_in(text, policy.limits, policy.counter), shown, parts)


def _around(body: str, notice: str, step: Step, *, at_head: bool) -> tuple[str, str]:
    """What stands before and after the body."""
    if step >= Step.BARE:
        return (notice, "") if at_head else ("", notice)
    if at_head:
        return f"{notice}\n", ""
    return "", notice if not body or body.endswith("\n") else f"\n{notice}"


def _told(reading: Reading, choice: Choice, shown: Size, gaps: list[Gap]) -> Facts:
    hidden = Census()
    for gap in gaps:
        hidden |= gap.census
    first = gaps[0] if gaps else None
    totals = reading.plan.totals
    return replace(
        reading.case.facts(),
        shown=shown,
        hidden=hidden,
        tallies=tuple(
            Tally(t.noun, t.many - n) for t, n in zip(totals, choice.shown or [0] * len(totals), strict=True)
        ),
        layout=choice.layout,
        first_hidden_line=first.first_line if first and first.whole_lines else None,
        first_hidden_byte=first.start if first else 0,
    )


def _shown(content: Content, spans: list[Span]) -> Size:
    """What is shown, in characters and lines of text and in bytes of the original. A line in two pieces counts once."""
    sizes = [content.size_of(span) for span in spans]
    same_line = sum(
        content.data[a.stop - 1 : a.stop] != b"\n" and content.newlines(a.stop, b.start) == 0
        for a, b in pairwise(spans)
    )
    return Size(
        sum(size.chars for size in sizes),
        sum(size.lines for size in sizes) - same_line,
        sum(span.stop - span.start for span in spans),
    )


def _truncation(case: Case, shown: Size) -> Truncation:
    limits, total = case.policy.limits, case.total
    return Truncation(
        direction=case.policy.strategy,
        max_chars=limits.chars,
        max_lines=limits.lines,
        max_bytes=limits.bytes,
        max_tokens=limits.tokens,
        original_chars=total.chars,
        original_lines=total.lines,
        original_bytes=total.bytes,
        kept_chars=shown.chars,
        kept_lines=shown.lines,
        kept_bytes=shown.bytes,
        full_output_path=case.path,
        handle=case.handle,
    )


def _view(reading: Reading, draft: Draft) -> View:
    case, content, spans = reading.case, reading.case.content, draft.choice.spans
    form: Form = "text" if case.frame is None else "envelope"
    data = None
    if form == "text" and content.errors == "replace" and "\ufffd" in draft.text:
        data = b"".join(
            part.encode("utf-8", "surrogatepass") if isinstance(part, str) else content.data[part.start : part.stop]
            for part in draft.parts
        )
    # A view that someone holds on to should not hold on to megabytes, so of a large result it has what it shows.
    held = content if len(content.data) <= HELD else residue_of(content, spans, draft.gaps)
    again = replace(case, content=held, frame=Frame())
    return View(
        text=draft.text,
        size=draft.size,
        original=case.total,
        reason=case.reason,
        form=form,
        kind=reading.reducer.name if case.policy.strategy == "auto" else case.media,
        strategy=case.policy.strategy,
        handle=case.handle,
        path=case.path,
        failure=case.failure,
        spans=tuple(Span(content.offset_of_start(s.start), content.offset_of_end(s.stop)) for s in spans),
        gaps=tuple(draft.gaps),
        truncation=_truncation(case, draft.shown),
        tokens=_tokens_of(content),
        data=data,
        framed=None if form == "envelope" else partial(bound, again),
    )


def _tokens_of(content: Content) -> int:
    """An estimate for the whole, from what of it is held."""
    held = len(content.data)
    return 0 if held == 0 else estimate_tokens(content.data) * content.original_bytes // held
