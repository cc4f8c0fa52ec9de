"""Keep, record, show: what happens to one result once it is known how it is to be bounded."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from penstock.capture import CAPTURE_LIMITS, Intake, Taken
from penstock.core.blocks import TEXT_TYPES, Block, left_out, text_of, too_heavy
from penstock.core.content import Content, Span
from penstock.core.entry import Reason
from penstock.core.flow import Case, Kept, bound, size_in, size_of_content, untouched
from penstock.core.handle import Handle
from penstock.core.jsontext import to_json
from penstock.core.limits import UNITS, Limits
from penstock.core.notice import READ_LESS, SUMMARY_MISSING
from penstock.core.policy import Policy
from penstock.core.result import Result, result_of
from penstock.core.tokens import estimate_tokens
from penstock.core.value import BoundedValue, bounded_value
from penstock.core.view import View
from penstock.core.window import Collector
from penstock.errors import StoreError
from penstock.recording import Recorder
from penstock.stores.contract import Store

log = logging.getLogger("penstock")

# The tools that read kept output. A server in front of them may put its name before theirs.
_READS: Final = ("read_output", "grep_output")
_READ: Final = re.compile(r"(?:.*(?:__|[.:/]))?(?:read|grep)_output", re.DOTALL)
_HANDLE: Final = re.compile(r"\bps-[a-z2-7]{16}\b")

# What is said of images that are not shown may take this much of the limits; where it is more, nothing is said.
_NOTES_SHARE: Final = 0.5


class Origin(NamedTuple):
    """Where a result comes from."""

    tool: str
    query: str
    agent: str
    strict: bool

    @property
    def reads_kept(self) -> bool:
        """Whether the result is a read of kept output. The name alone does not tell: others have such tools too."""
        tool = self.tool
        return tool.endswith(_READS) and _READ.fullmatch(tool) is not None and _HANDLE.search(self.query) is not None


class Shown(NamedTuple):
    """A view, and the error for which the whole could not be kept."""

    view: View
    error: StoreError | None = None


class Admission:
    def __init__(self, store: Store | None, recorder: Recorder) -> None:
        self.store = store
        self._recorder = recorder

    def admit(self, result: Result, policy: Policy, origin: Origin, *, known: bool = False) -> View:
        """The view of a result. One that is `known` was recorded before; only its failure is recorded again."""
        began = time.perf_counter()
        shown = self._blocks(result, policy, origin) if result.blocks else self._result(result, policy, origin)
        if shown.error is None and (known or origin.reads_kept):
            return shown.view
        return self._recorded(shown, origin, began)

    def shortened(self, text: str, policy: Policy) -> str:
        """Words of our own, within the limits of what they answer; nothing of them is kept."""
        result = result_of(text)
        return (untouched(result, policy) or _shortened(result, policy)).text

    def finish(self, intake: Intake, policy: Policy, origin: Origin, began: float) -> View:
        """The view of what was captured: the one that the whole would have, but of no more than is held."""
        try:
            if (
                not intake.held
                and size_of_content(intake.content(), policy.limits, policy.counter).over(policy.limits) is None
            ):
                policy = policy.tightened(CAPTURE_LIMITS)
            view = _fitting(intake, policy)
            shown = self._kept(intake, policy, origin) if view is None else Shown(view)
        finally:
            intake.abort()
        return self._recorded(shown, origin, began)

    def _recorded(self, shown: Shown, origin: Origin, began: float) -> View:
        self._recorder.admitted(shown.view, origin.tool, origin.agent, began)
        if shown.error is not None and origin.strict:
            raise shown.error
        return shown.view

    def _result(self, result: Result, policy: Policy, origin: Origin) -> Shown:
        view = untouched(result, policy)
        if view is not None:
            return Shown(view)
        if origin.reads_kept:
            return Shown(_shortened(result, policy))
        intake = Intake(self.store, result.errors)
        try:
            for chunk in result.chunks():
                intake.feed(chunk)
            return self._kept(intake, policy, origin, result)
        finally:
            intake.abort()

    def _kept(self, intake: Intake, policy: Policy, origin: Origin, result: Result | None = None) -> Shown:
        """Keep, then show: a view has a handle only once the whole is kept."""
        media = result.media if result else "text"
        taken = intake.keep(origin.tool, media)
        if taken.error is not None and self.store is not None:
            log.warning("the output of %s could not be kept: %s", origin.tool, taken.error)
        case = Case(
            content=taken.content,
            policy=policy,
            reason=_reason(taken.content, policy, result),
            media=media,
            query=origin.query,
            kept=taken.kept,
            failure="" if taken.error is None else str(taken.error),
            remark=SUMMARY_MISSING[policy.language] if policy.strategy == "summarize" else "",
            frame=result.frame if result else None,
        )
        view = bound(case)
        before, after = view.original.chars, view.size.chars
        log.info(
            "%s: truncated %d -> %d characters (%.1f %% less)",
            origin.tool, before, after, 100 * (1 - after / max(1, before)),
        )  # fmt: skip
        return Shown(view, taken.error)

    def value(self, output: Any, policy: Policy, origin: Origin) -> BoundedValue:
        """A value as a smaller one of the same types; the whole is kept and recorded like that of any result."""
        began = time.perf_counter()
        limits = policy.limits
        bounded = bounded_value(output, limits, query=origin.query, counter=policy.counter, language=policy.language)
        view = View(bounded.text, bounded.size, bounded.original, "fits", "json")
        error: StoreError | None = None
        if bounded.truncated:
            taken = self._keep(Result("json", "json", to_json(output)), origin.tool, "a value")
            error = taken.error
            bounded = replace(
                bounded,
                handle=taken.kept.handle if taken.kept else None,
                path=taken.kept.path if taken.kept else None,
                failure="" if error is None else str(error),
            )
            view = replace(
                view,
                reason=bounded.original.over(limits) or "tokens",
                kind="value",
                handle=bounded.handle,
                path=bounded.path,
                failure=bounded.failure,
                tokens=estimate_tokens(bounded.text.encode()) * bounded.original.bytes // max(1, bounded.size.bytes),
            )
        self._recorded(Shown(view, error), origin, began)
        return bounded

    # -- content blocks ----------------------------------------------------------------------------------------------

    def _blocks(self, result: Result, policy: Policy, origin: Origin) -> Shown:
        """The texts are bounded as one. What is said of blocks that are too heavy is taken from their room."""
        heavy = too_heavy(result.blocks, policy.media_bytes)
        kept = {index: self._keep_block(result.blocks[index], origin) for index in heavy}
        notes = {index: left_out(result.blocks[index], _place(taken, policy)) for index, taken in kept.items()}
        view, error = self._beside(notes, heavy, result, policy, origin)
        error = error or next((taken.error for taken in kept.values() if taken.error is not None), None)
        reason: Reason = "bytes" if heavy and not view.truncated else view.reason
        return Shown(replace(view, reason=reason, failure="" if error is None else str(error)), error)

    def _beside(
        self, notes: Mapping[int, str], heavy: list[int], result: Result, policy: Policy, origin: Origin
    ) -> Shown:
        """The blocks as they are shown beside notes; without notes where those would take too much room."""
        limits = policy.limits
        room = _room_beside(notes, policy)
        if room is None:
            return self._beside({}, heavy, result, policy, origin)
        view, error = self._result(result, replace(policy, limits=room) if notes else policy, origin)
        blocks = _rearranged(result.blocks, heavy, notes, view)
        text = text_of(blocks) if notes else view.text
        size = size_in(text, limits, policy.counter) if notes else view.size
        if notes and size.over(limits) is not None:  # the tokens of a whole can be more than those of its parts
            return self._beside({}, heavy, result, policy, origin)
        return Shown(replace(view, text=text, size=size, form="blocks", blocks=blocks), error)

    def _keep_block(self, block: Block, origin: Origin) -> Taken:
        return self._keep(Result("text", "text", to_json(block)), origin.tool, f"a {block['type']}", "json")

    def _keep(self, result: Result, tool: str, what: str, media: Literal["text", "json"] | None = None) -> Taken:
        intake = Intake(self.store, "surrogatepass")
        try:
            for chunk in result.chunks():
                intake.feed(chunk)
            taken = intake.keep(tool, media or result.media)
        finally:
            intake.abort()
        if taken.error is not None and self.store is not None:
            log.warning("%s of %s could not be kept: %s", what, tool, taken.error)
        return taken


def _place(taken: Taken, policy: Policy) -> str | None:
    """What a note says of where a block is: the file for readers of files, where there is one."""
    if taken.kept is None:
        return None
    return (taken.kept.path if policy.reader in ("files", "task") else None) or taken.kept.handle


def _fitting(intake: Intake, policy: Policy) -> View | None:
    """The untouched view of what a capture took, or None when it is over the limits."""
    if not intake.held:
        return None
    content = intake.content()
    output = content.data if content.errors == "replace" else content.text(Span(0, len(content.data)))
    return untouched(result_of(output), policy)


def _reason(content: Content, policy: Policy, result: Result | None) -> Reason:
    """The first limit that was exceeded: by the whole, or only by the form in which it would be shown."""
    size = size_of_content(content, policy.limits, policy.counter)
    reason = size.over(policy.limits)
    if reason is None and result is not None:
        reason = size_in(result.text(), policy.limits, policy.counter).over(policy.limits)
    return reason or "bytes"


def _shortened(result: Result, policy: Policy) -> View:
    """A read of kept output that is over the limits: cut, but not kept again, and no other handle is named."""
    collector = Collector(result.errors)
    for chunk in result.chunks():
        collector.feed(chunk)
    content = collector.finish()
    quiet = replace(policy, reader="none", strategy="head")
    kept = Kept(Handle(""))  # under the handle that the call named
    case = Case(content, quiet, _reason(content, policy, result), kept=kept, remark=READ_LESS[policy.language])
    return replace(bound(case), handle=None)


def _rearranged(blocks: tuple[Block, ...], heavy: list[int], notes: Mapping[int, str], view: View) -> tuple[Block, ...]:
    """The blocks with notes in place of the heavy ones, and the text of the view in place of texts that were cut."""
    if not heavy and not view.truncated:
        return blocks
    # Each dialect has its own name for a block of text.
    kind = next((block["type"] for block in blocks if block["type"] in TEXT_TYPES), "text")
    texts = iter([view.text])
    result: list[Block] = []
    for index, block in enumerate(blocks):
        if index in notes:
            result.append({"type": kind, "text": notes[index]})
        elif index in heavy:
            continue
        elif view.truncated and block["type"] in TEXT_TYPES:
            result.extend({**block, "text": text} for text in texts)
        else:
            result.append(block)
    return tuple(result)


def _room_beside(notes: Mapping[int, str], policy: Policy) -> Limits | None:
    """The limits of the text beside these notes; None where the notes would take too much of them."""
    if not notes:
        return policy.limits
    # A text that ends its last line leaves an empty one before the note that follows.
    taken = size_in("\n".join(notes.values()) + "\n\n", policy.limits, policy.counter)
    room: dict[str, int | None] = {}
    for unit in UNITS:
        limit, used = getattr(policy.limits, unit), getattr(taken, unit) or 0
        if limit is not None and used > limit * _NOTES_SHARE:
            return None
        room[unit] = None if limit is None else limit - used
    return Limits(**room)
