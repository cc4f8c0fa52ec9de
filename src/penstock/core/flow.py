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

from penstock.core.census import Census
from penstock.core.content import Content, Span
from penstock.core.entry import Reason
from penstock.core.envelope import Frame
from penstock.core.handle import Handle
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.notice import Facts, Step, widest, widest_mark, write
from penstock.core.policy import Policy
from penstock.core.reduce import reducer_for
from penstock.core.reduce.contract import Reducer, Room
from penstock.core.reduce.fill import from_end, from_start
from penstock.core.result import Result
from penstock.core.tokens import TokenCounter, estimate_tokens
from penstock.core.view import Form, Gap, Truncation, View, gaps_between, parts_of, residue_of

# What the census of one view looks at: 4 MB cost 10 ms. Where more is hidden the notice says "at least".
CENSUS_BUDGET: Final = 4 * 1024 * 1024

# Attempts to meet a limit that only the finished text shows. Each comes within a few percent of the one before.
ATTEMPTS: Final = 8
GOOD_FILL: Final = 0.95

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

    @property
    def handle(self) -> Handle | None:
        return None if self.kept is None else self.kept.handle

    @property
    def path(self) -> str | None:
        return None if self.kept is None else self.kept.path

    def facts(self) -> Facts:
        total = self.content.size._replace(bytes=self.content.original_bytes)
        return Facts(
            total=total,
            shown=Size(),
            hidden=Census(),
            reader=self.policy.reader,
            language=self.policy.language,
            handle=self.handle,
            path=self.path,
            kept=self.kept is not None,
            remark=self.remark,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """One attempt: a choice and the text that it makes."""

    spans: list[Span]
    gaps: list[Gap]
    text: str
    size: Size
    shown: Size
    parts: list[str | Span]


def size_in(text: str, limits: Limits, counter: TokenCounter) -> Size:
    """The size of a text, with tokens counted where there is a limit on them."""
    size = measure(text)
    if limits.tokens is None:
        return size
    # A token is at least a byte of UTF-8, so most texts need no counting to be seen to fit.
    return size._replace(tokens=size.bytes if size.bytes <= limits.tokens else counter.count(text))


def size_of_content(content: Content, limits: Limits, counter: TokenCounter) -> Size:
    if limits.tokens is None:
        return content.size
    if content.holes or content.size.bytes > 128 * limits.tokens:
        # No token of a byte-level tokenizer is longer, so it is over for sure; an estimate says by how much.
        return content.size._replace(tokens=max(limits.tokens + 1, estimate_tokens(content.data)))
    return content.size._replace(tokens=counter.count(content.text(Span(0, len(content.data)))))


def untouched(result: Result, policy: Policy) -> View | None:
    """The view of a result that fits, or that asks to be let through by a sender who is trusted; else None."""
    skip = result.skip and policy.trust_skip
    if not skip and result.surely_over(policy.limits):
        return None
    text = result.text()
    size = size_in(text, policy.limits, policy.counter)
    if not skip and size.over(policy.limits) is not None:
        return None
    data = result.shown if isinstance(result.shown, bytes) else None
    return View(text, size, size, "skip" if skip else "fits", result.form, data=data)


def bound(case: Case) -> View:
    """The view of content that is over its limits: always within them, whatever it is and however small they are."""
    reducer = reducer_for(case.policy.strategy, case.content, case.media)
    fallback: Draft | None = None
    for step in Step:
        draft = _attempt(case, reducer, step)
        if draft is not None and draft.spans:
            return _view(case, reducer, draft)
        fallback = fallback or draft
    return _view(case, reducer, fallback or Draft([], [], "", Size(), Size(), []))


def _attempt(case: Case, reducer: Reducer, step: Step) -> Draft | None:
    """The fullest draft at this step of the notice, or None when the step does not fit."""
    limits = case.policy.limits
    empty = _draft(case, [], step, widest(case.facts(), step))
    fixed = size_in(empty.text, limits, case.policy.counter)
    if fixed.over(_part_of(limits, 1.0 if step >= Step.BARE else NOTICE_SHARE)):
        return None
    room = _room(case, fixed, step)
    best: Draft | None = None
    spans: list[Span] | None = None
    part = 1.0
    for _ in range(ATTEMPTS):
        before, spans = spans, _choose(case, reducer, room.squeezed(part), step)
        if spans == before:
            break
        draft = _draft(case, spans, step)
        unit = draft.size.over(limits)
        if unit is None and (best is None or draft.shown.bytes > best.shown.bytes):
            best = draft
        if unit == "lines":
            room = room.less(Size(lines=draft.size.lines - (limits.lines or 0)))
            continue
        fill = _fill(draft.size, fixed, limits)
        if unit is None and (fill >= GOOD_FILL or not _elastic(case) or (part >= 1.0 and limits.tokens is None)):
            break
        part *= 0.99 / fill if fill > 0 else 2.0
    return best


def _choose(case: Case, reducer: Reducer, room: Room, step: Step) -> list[Span]:
    content = case.content
    if step < Step.BARE:
        chosen = reducer.reduce(content, room, case.query)
    else:
        # No room for marks: one piece, from the end that was asked for.
        at_end = reducer.name == "tail"
        edges = (0, *(hole.place for hole in content.holes), len(content.data))
        piece = (
            from_end(content, Span(edges[-2], edges[-1]), room)
            if at_end
            else from_start(content, Span(0, edges[1]), room)
        )
        chosen = [_without_newline(content, piece)]
    return [part for span in chosen for part in content.split(span)]


def _without_newline(content: Content, span: Span) -> Span:
    """What follows the piece stands in the same line: there may be only one."""
    text = content.data[span.start : span.stop]
    return Span(span.start, span.stop - (len(text) - len(text.removesuffix(b"\n").removesuffix(b"\r"))))


def _draft(case: Case, spans: list[Span], step: Step, notice: str | None = None) -> Draft:
    """The text that a choice makes. `notice` stands in for the one that would be written."""
    content, policy = case.content, case.policy
    marked = step < Step.BARE
    gaps = gaps_between(content, spans, CENSUS_BUDGET if marked else 0) if notice is None else []
    shown = _shown(content, spans)
    if notice is None:
        notice = write(_told(case.facts(), shown, gaps), step)
    parts = parts_of(spans, gaps if marked else [], policy.language)
    body = "".join(part if isinstance(part, str) else content.text(part) for part in parts)
    if case.frame is not None:
        text = case.frame.around(body, notice, _truncation(case, shown), step)
    else:
        before, after = _around(body, notice, step, at_head=policy.notice == "head")
        text = before + body + after
        parts = [before, *parts, after]
    return Draft(spans, gaps, text, size_in(text, policy.limits, policy.counter), shown, parts)


def _around(body: str, notice: str, step: Step, *, at_head: bool) -> tuple[str, str]:
    """What stands before and after the body."""
    if step >= Step.BARE:
        return (notice, "") if at_head else ("", notice)
    if at_head:
        return f"{notice}\n", ""
    return "", notice if not body or body.endswith("\n") else f"\n{notice}"


def _told(facts: Facts, shown: Size, gaps: list[Gap]) -> Facts:
    hidden = Census()
    for gap in gaps:
        hidden |= gap.census
    first = gaps[0] if gaps else None
    return replace(
        facts,
        shown=shown,
        hidden=hidden,
        first_hidden_line=first.first_line if first and first.whole_lines else None,
        first_hidden_byte=first.start if first else 0,
    )


def _shown(content: Content, spans: list[Span]) -> Size:
    """What is shown, in characters and lines of text and in bytes of the original. A line in two pieces counts once."""
    sizes = [content.size_of(span) for span in spans]
    same_line = sum(
        content.newlines(a.stop, b.start) == 0 and content.data[a.stop - 1 : a.stop] != b"\n"
        for a, b in pairwise(spans)
    )
    return Size(
        sum(size.chars for size in sizes),
        sum(size.lines for size in sizes) - same_line,
        sum(span.stop - span.start for span in spans),
    )


def _room(case: Case, fixed: Size, step: Step) -> Room:
    limits = case.policy.limits
    content = case.content
    mark_text = widest_mark(case.policy.language, case.facts().total) + "\n" if step < Step.BARE else ""
    mark = measure(mark_text)
    most = limits.bytes
    if limits.tokens is not None:
        sample = content.data[:_SAMPLED] + content.data[-_SAMPLED:]
        per_token = len(sample) / max(1, estimate_tokens(sample))
        by_tokens = int((limits.tokens - (fixed.tokens or 0)) * per_token) + fixed.bytes
        most = by_tokens if most is None else min(most, by_tokens)
    # In a frame the text is JSON on one line; its lines are those of the preview.
    lines = limits.lines if case.frame is not None or limits.lines is None else limits.lines - fixed.lines
    if step >= Step.BARE and limits.lines is not None:
        lines = limits.lines
    return Room(
        chars=None if limits.chars is None else limits.chars - fixed.chars,
        lines=lines,
        bytes=None if most is None else most - fixed.bytes,
        mark=mark,
        ratio=case.policy.ratio,
    )


_SAMPLED: Final = 32 * 1024


def _elastic(case: Case) -> bool:
    """Whether some size shows only in the finished text."""
    return case.frame is not None or case.policy.limits.tokens is not None


def _fill(size: Size, fixed: Size, limits: Limits) -> float:
    """How much of the tightest limit's room is used: over 1 when it is too much."""
    most = 0.0
    for unit in ("chars", "bytes", "tokens"):
        limit, used, notice = getattr(limits, unit), getattr(size, unit), getattr(fixed, unit)
        if limit is not None and used is not None:
            most = max(most, (used - (notice or 0)) / max(1, limit - (notice or 0)))
    return most


def _part_of(limits: Limits, part: float) -> Limits:
    return Limits(
        *(
            None if n is None else max(1, int(n * part))
            for n in (limits.chars, limits.lines, limits.bytes, limits.tokens)
        )
    )


def _truncation(case: Case, shown: Size) -> Truncation:
    limits, size = case.policy.limits, case.content.size
    return Truncation(
        direction=case.policy.strategy,
        max_chars=limits.chars,
        max_lines=limits.lines,
        max_bytes=limits.bytes,
        max_tokens=limits.tokens,
        original_chars=size.chars,
        original_lines=size.lines,
        original_bytes=case.content.original_bytes,
        kept_chars=shown.chars,
        kept_lines=shown.lines,
        kept_bytes=shown.bytes,
        full_output_path=case.path,
        handle=case.handle,
    )


def _view(case: Case, reducer: Reducer, draft: Draft) -> View:
    content = case.content
    form: Form = "text" if case.frame is None else "envelope"
    data = None
    if form == "text" and "\ufffd" in draft.text and content.errors == "replace":
        data = b"".join(p.encode() if isinstance(p, str) else content.data[p.start : p.stop] for p in draft.parts)
    again = replace(case, content=residue_of(content, draft.spans, draft.gaps), frame=Frame())
    return View(
        text=draft.text,
        size=draft.size,
        original=case.facts().total,
        reason=case.reason,
        form=form,
        kind=reducer.name if case.policy.strategy == "auto" else case.media,
        strategy=case.policy.strategy,
        handle=case.handle,
        path=case.path,
        failure=case.failure,
        spans=tuple(Span(content.offset_of_start(s.start), content.offset_of_end(s.stop)) for s in draft.spans),
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
