"""The only shell around the core: keep, record, show.

`BareGate` is given everything by hand. `penstock.Gate` is the same gate with what the settings say.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import IO, Any, Literal, Self, TypeVar, overload

from penstock.capture import Capture, Intake
from penstock.core.blocks import left_out, too_heavy, with_text
from penstock.core.content import Span
from penstock.core.entry import Entry, ReadBack
from penstock.core.flow import Case, Kept, bound, size_in, size_of_content, untouched
from penstock.core.grep import matcher, search
from penstock.core.handle import Handle, parse_handle
from penstock.core.hits import Hits, render
from penstock.core.jsontext import to_json
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.messages import Call, Dialect, bound_messages
from penstock.core.notice import READ_LESS, SUMMARY_MISSING
from penstock.core.offers import FORMATS, NAMES, OFFERS, Format, checked
from penstock.core.policy import Policy, Strategy
from penstock.core.result import Result, result_of
from penstock.core.rules import PlainRules, Rules
from penstock.core.share import share_limits
from penstock.core.slices import Slice
from penstock.core.tokens import estimate_tokens
from penstock.core.view import View
from penstock.core.window import Collector
from penstock.errors import CallerError, KeptError, LimitError, StoreError, UnknownHandle
from penstock.ledger.contract import Ledger
from penstock.readback import KeptSource, answer, arguments_of, read_page, read_unseen
from penstock.stores.contract import Record, Store, Swept

log = logging.getLogger("penstock")

F = TypeVar("F", bound=Callable[..., Any])

# A search gives up after so many seconds and says how far it came.
GREP_SECONDS = 10.0
GREP_LINES = 50

# What of a tool's arguments is taken as the question that its result answers.
QUERY_MOST = 2_000


class BareGate:
    """Admits tool results: what fits passes untouched, the rest is kept whole and shown within its limits."""

    def __init__(
        self,
        *,
        rules: Rules | None = None,
        store: Store | None = None,
        ledger: Ledger | None = None,
        agent: str | None = None,
        strict: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.rules: Rules = rules or PlainRules()
        self.store = store
        self.ledger = ledger
        self.strict = strict
        self._agent = agent
        self._clock = clock
        self._ledger_failed = False
        if agent is not None:
            self.rules.agent_limits(agent)

    # -- admission ---------------------------------------------------------------------------------------------------

    def admit(
        self,
        output: Any,
        *,
        tool: str = "tool",
        query: str = "",
        agent: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        model: str | None = None,
        used_tokens: int = 0,
        envelope: bool = False,
        strict: bool | None = None,
    ) -> View:
        """The view of one tool result.

        `limits` and `strategy` stand in for those of the tool. An agent's profile and what is left of a model's
        context window only tighten them. `envelope` frames plain output in the tool response protocol. With `strict`
        a result that cannot be kept raises instead of being shown without a handle.
        """
        policy = self.policy(tool, agent=agent, limits=limits, strategy=strategy, model=model, used_tokens=used_tokens)
        result = result_of(output, envelope=envelope)
        return self._admit(result, policy, tool, query, agent, self.strict if strict is None else strict)

    def policy(
        self,
        tool: str = "tool",
        *,
        agent: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        model: str | None = None,
        used_tokens: int = 0,
    ) -> Policy:
        """How a result of `tool` is bounded: the tool's own limits, tightened by agent and context window."""
        rules = self.rules
        allowed = rules.limits_for(tool) if limits is None else limits
        profile = agent or self._agent
        if profile is not None and (own := rules.agent_limits(profile)) is not None:
            allowed &= own
        if model is not None:
            allowed &= Limits.for_model(model, used_tokens=used_tokens, windows=rules.windows)
        return replace(
            rules.policy, limits=allowed, strategy=strategy or rules.strategy_for(tool), ratio=rules.ratio_for(tool)
        )

    def turn(
        self, results: Sequence[tuple[Any, str]], *, budget: Limits, query: str = "", agent: str | None = None
    ) -> list[View]:
        """The views of all results of one turn, given as (output, tool), together within `budget`.

        What a small result leaves of its share, the large ones get.
        """
        read = [(result_of(output), tool, self.policy(tool, agent=agent)) for output, tool in results]
        sizes = [size_in(result.text(), budget, policy.counter) for result, _, policy in read]
        return [
            self._admit(result, policy.tightened(share), tool, query, agent, self.strict)
            for (result, tool, policy), share in zip(read, share_limits(budget, sizes), strict=True)
        ]

    def open(
        self,
        *,
        tool: str = "tool",
        query: str = "",
        agent: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        strict: bool | None = None,
    ) -> Capture:
        """Take output as it arrives, in constant memory; closing the capture gives the view."""
        policy = self.policy(tool, agent=agent, limits=limits, strategy=strategy)
        firm = self.strict if strict is None else strict
        began = time.perf_counter()

        def finish(intake: Intake) -> View:
            view = self._fitting(intake, policy)
            if view is None:
                view = self._show(intake, policy, tool, query, firm)
            self._record(view, tool, agent, began)
            return view

        return Capture(lambda errors: Intake(self.store, errors), finish)

    def capture(self, source: IO[bytes] | IO[str] | Iterable[str | bytes], **options: Any) -> View:
        """All that `source` gives, as `open` takes it: a file, a pipe, an iterator."""
        with self.open(**options) as capture:
            capture.feed(source)
        return capture.view

    def messages(self, messages: Sequence[Any], *, format: Dialect = "openai", agent: str | None = None) -> list[Any]:  # noqa: A002  # the word of every SDK
        """The messages of a model request with every tool result bounded by the agent-level guard.

        The same message gives the same bytes in every later request, so prompt caches stay valid.
        """

        def bounder(output: Any, call: Call) -> View:
            policy = self.policy(call.tool, agent=agent).tightened(self.rules.guard)
            result = result_of(output)
            if call.tool in NAMES:
                return self._bound_read(result, policy)
            return self._admit(result, policy, call.tool, call.query, agent, self.strict)

        return bound_messages(messages, format, bounder)

    @overload
    def tool(self, function: F) -> F: ...
    @overload
    def tool(
        self, *, name: str | None = None, limits: Limits | None = None, strategy: Strategy | None = None
    ) -> Callable[[F], F]: ...
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
    ) -> Any:
        """Bound what a function returns. What fits is returned as it is, whatever its type.

        @gate.tool
        def read_log(path: str) -> str: ...
        """
        if function is None:
            return functools.partial(self.tool, name=name, limits=limits, strategy=strategy)
        called = name or str(getattr(function, "__name__", "tool"))

        def admit(output: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
            query = " ".join(str(value) for value in (*args, *kwargs.values()))[:QUERY_MOST]
            view = self.admit(output, tool=called, query=query, limits=limits, strategy=strategy)
            return view.replacement() if view.truncated else output

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                output = await function(*args, **kwargs)
                return await asyncio.to_thread(admit, output, args, kwargs)

            return waiting

        @functools.wraps(function)
        def calling(*args: Any, **kwargs: Any) -> Any:
            return admit(function(*args, **kwargs), args, kwargs)

        return calling

    # -- kept output -------------------------------------------------------------------------------------------------

    def read(
        self,
        handle: str,
        *,
        start: int = 1,
        limit: int | None = None,
        unit: Literal["lines", "bytes"] = "lines",
        offset: int | None = None,
        direction: Literal["head", "tail"] = "head",
        limits: Limits | None = None,
    ) -> Slice:
        """A bounded page of kept output: `limit` lines from line `start`, or with unit="bytes" from byte `offset`."""
        began = time.perf_counter()
        source = self._source(handle)
        page = read_page(
            source, self._reading(limits), self._count, unit=unit, start=start, offset=offset, limit=limit,
            direction=direction,
        )  # fmt: skip
        self._read_back("read", source.record, measure(page.text), ((page.start, page.stop),), began)
        return page

    def grep(
        self,
        handle: str,
        pattern: str,
        *,
        context: int = 2,
        ignore_case: bool = False,
        fixed: bool = False,
        limit: int = GREP_LINES,
        start: int = 1,
        seconds: float = GREP_SECONDS,
        limits: Limits | None = None,
    ) -> Hits:
        """Search kept output: the first `limit` matching lines, in linear time, with what surrounds them."""
        began = time.perf_counter()
        for name, value, least in (("context", context, 0), ("limit", limit, 1), ("start", start, 1)):
            if type(value) is not int or value < least:
                raise LimitError(name, value, f"a whole number from {least} on")
        source = self._source(handle)
        match = matcher(pattern, fixed=fixed, ignore_case=ignore_case)
        until = time.monotonic() + seconds
        found = search(source, match, start_line=start, most=limit, expired=lambda: time.monotonic() > until)
        hits = render(source, found, context, self._reading(limits), self._count, pattern)
        self._read_back("grep", source.record, measure(hits.text), hits.shown, began)
        return hits

    def unseen(self, handle: str, *, limits: Limits | None = None) -> View:
        """What no view and no read has shown of this output yet, as much as fits. Read again for what follows."""
        began = time.perf_counter()
        source = self._source(handle)
        shown = self.ledger.shown(source.handle) if self.ledger is not None else []
        policy = replace(self.rules.policy, limits=self._reading(limits))
        view = read_unseen(source, shown, policy)
        self._read_back("unseen", source.record, view.size, view.spans, began)
        return view

    def records(self) -> Iterator[Record]:
        """What is kept and can be read, newest first."""
        return iter(()) if self.store is None else self.store.records()

    def tools(self, format: Format = "openai") -> list[dict[str, Any]]:  # noqa: A002
        """Definitions of the tools with which a model reads kept output; `call` runs them."""
        if format not in FORMATS:
            raise CallerError(f"format = {format!r} is not known: allowed is one of {', '.join(FORMATS)}")
        return [offer.definition(format) for offer in OFFERS]

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """Run one of `tools` for a model. What it did wrong is told in the answer; only an unknown tool raises."""
        if name not in NAMES:
            raise CallerError(f"there is no tool {name!r}: there are {', '.join(sorted(NAMES))}")
        try:
            given = checked(name, arguments_of(arguments))
            return answer(self, name, given)
        except (CallerError, KeptError, StoreError) as error:
            return f"Error: {error}"

    # -- housekeeping ------------------------------------------------------------------------------------------------

    def sweep(self) -> Swept:
        """Delete what is past its retention, over the quota, or left by killed processes."""
        return Swept() if self.store is None else self.store.sweep()

    def close(self) -> None:
        if self.ledger is not None:
            try:
                self.ledger.close()
            except StoreError as error:
                self._blame_ledger(error)
        if self.store is not None:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _admit(self, result: Result, policy: Policy, tool: str, query: str, agent: str | None, strict: bool) -> View:
        began = time.perf_counter()
        notes: dict[int, str] = {}
        if result.blocks:
            policy, notes = self._leave_out(result, policy, tool)
        view = untouched(result, policy)
        if view is None:
            intake = Intake(self.store, result.errors)
            for chunk in result.chunks():
                intake.feed(chunk)
            view = self._show(intake, policy, tool, query, strict, result)
        if result.blocks:
            reason = "bytes" if notes and not view.truncated else view.reason
            blocks = with_text(result.blocks, view.text, notes) if notes or view.truncated else result.blocks
            view = replace(view, form="blocks", blocks=blocks, reason=reason)
        self._record(view, tool, agent, began)
        return view

    def _show(
        self, intake: Intake, policy: Policy, tool: str, query: str, strict: bool, result: Result | None = None
    ) -> View:
        """Keep, then show: a view has a handle only once the whole is kept."""
        media = result.media if result else "text"
        taken = intake.keep(tool, media)
        if taken.error is not None:
            log.warning("the output of %s could not be kept: %s", tool, taken.error)
            if strict:
                raise taken.error
        size = size_of_content(taken.content, policy.limits, policy.counter)
        case = Case(
            content=taken.content,
            policy=policy,
            reason=size.over(policy.limits) or "bytes",
            media=media,
            query=query,
            kept=taken.kept,
            failure="" if taken.kept else str(taken.error or "there is no store"),
            remark=SUMMARY_MISSING[policy.language] if policy.strategy == "summarize" else "",
            frame=result.frame if result else None,
        )
        view = bound(case)
        log.info(
            "output of %s truncated: %d -> %d characters (%.1f%% less)",
            tool, view.original.chars, view.size.chars, 100 * (1 - view.size.chars / max(1, view.original.chars)),
        )  # fmt: skip
        return view

    def _fitting(self, intake: Intake, policy: Policy) -> View | None:
        """The untouched view of what a capture took, or None when it is over the limits."""
        if not intake.held:
            return None  # more than any limit that is of use; where there is none, it is shown from its two ends
        content = intake.content()
        text = content.text(Span(0, len(content.data)))
        size = size_in(text, policy.limits, policy.counter)
        if size.over(policy.limits) is not None:
            return None
        intake.abort()
        return View(text, size, size, "fits", "text", data=content.data)

    def _leave_out(self, result: Result, policy: Policy, tool: str) -> tuple[Policy, dict[int, str]]:
        """Keep the blocks that are too heavy, and take what is said of them from the room of the text."""
        notes: dict[int, str] = {}
        for index in too_heavy(result.blocks, policy.media_bytes):
            block = result.blocks[index]
            handle = self._keep(to_json(block), tool)
            notes[index] = left_out(block, handle)
        if not notes:
            return policy, notes
        taken = measure("\n".join(notes.values()))
        return replace(
            policy, limits=policy.limits.less(chars=taken.chars, lines=taken.lines, bytes=taken.bytes)
        ), notes

    def _keep(self, text: str, tool: str) -> Handle | None:
        intake = Intake(self.store, "surrogatepass")
        intake.feed(text.encode("utf-8", "surrogatepass"))
        taken = intake.keep(tool, "json")
        if taken.error is not None and self.strict:
            raise taken.error
        return None if taken.kept is None else taken.kept.handle

    def _bound_read(self, result: Result, policy: Policy) -> View:
        """A read of kept output in a request: cut if it must be, but never kept again."""
        view = untouched(result, policy)
        if view is not None:
            return view
        collector = Collector(result.errors)
        for chunk in result.chunks():
            collector.feed(chunk)
        content = collector.finish()
        size = size_of_content(content, policy.limits, policy.counter)
        remark = READ_LESS[policy.language]
        kept = Kept(Handle(""))  # it is kept already, under the handle that the call named
        quiet = replace(policy, reader="none", strategy="head")
        return replace(
            bound(Case(content, quiet, size.over(policy.limits) or "bytes", kept=kept, remark=remark)), handle=None
        )

    def _source(self, handle: str) -> KeptSource:
        parsed = parse_handle(handle)
        if self.store is None:
            raise UnknownHandle(parsed)
        return KeptSource.of(self.store, parsed)

    def _reading(self, limits: Limits | None) -> Limits:
        """A page is bounded like any result; the guard keeps it whole in `messages`."""
        return self.rules.limits_for("read_output") & self.rules.guard if limits is None else limits

    def _count(self, text: str) -> int:
        return self.rules.policy.counter.count(text)

    def _record(self, view: View, tool: str, agent: str | None, began: float) -> None:
        if self.ledger is None:
            return
        before, after = view.original, view.size
        if view.truncated:
            before = before._replace(tokens=view.tokens)
            after = after._replace(tokens=estimate_tokens(view.text.encode("utf-8", "surrogatepass")))
        entry = Entry(
            tool, agent or self._agent or "", view.kind or view.form, view.strategy if view.truncated else "",
            view.reason, before, after, view.handle, view.failure, view.spans,
        )  # fmt: skip
        try:
            self.ledger.admitted(entry, at=self._clock(), seconds=time.perf_counter() - began)
        except StoreError as error:
            self._blame_ledger(error)

    def _read_back(
        self,
        action: Literal["read", "grep", "unseen"],
        record: Record,
        after: Size,
        shown: tuple[tuple[int, int], ...],
        began: float,
    ) -> None:
        if self.ledger is None:
            return
        read = ReadBack(record.handle, action, record.tool, self._agent or "", after, shown)
        try:
            self.ledger.read_back(read, at=self._clock(), seconds=time.perf_counter() - began)
        except StoreError as error:
            self._blame_ledger(error)

    def _blame_ledger(self, error: StoreError) -> None:
        """The ledger is a record: where it fails the result is still shown, and the log says so once."""
        if not self._ledger_failed:
            self._ledger_failed = True
            log.warning("the ledger cannot be written: %s", error)
