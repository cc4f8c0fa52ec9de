"""The shell around the core, as callers see it: what is admitted, and what is read back.

`BareGate` is given everything by hand. `penstock.Gate` is the same gate with what the settings say.
Read `admission` for what happens to one result.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import IO, Any, Final, Literal, Self, TypeVar, overload

from penstock.admission import Admission, Origin
from penstock.capture import Capture, Intake
from penstock.core.flow import size_in
from penstock.core.grep import matcher, search
from penstock.core.handle import parse_handle
from penstock.core.hits import Hits, render
from penstock.core.limits import Limits, checked_limits
from penstock.core.measure import Size, measure
from penstock.core.messages import Call, Dialect, bound_messages
from penstock.core.offers import FORMATS, NAMES, OFFERS, Format, checked
from penstock.core.policy import Arrangement, Policy, Strategy
from penstock.core.result import result_of
from penstock.core.rules import PlainRules, Rules
from penstock.core.slices import Slice
from penstock.core.value import BoundedValue
from penstock.core.view import View
from penstock.errors import CallerError, KeptError, LimitError, StoreError, UnknownHandle
from penstock.ledger.contract import Ledger
from penstock.readback import KeptSource, answer, arguments_of, read_page, read_unseen
from penstock.recording import Recorder
from penstock.remembered import Remembered, key_of
from penstock.stores.contract import Record, Store, Swept
from penstock.turns import shares
from penstock.wrapping import asked, bounding

F = TypeVar("F", bound=Callable[..., Any])

# A search gives up after so many seconds and says how far it came.
GREP_SECONDS: Final = 10.0
GREP_LINES: Final = 50

# A program has dozens of tools and agents. Names that a model makes up must not pile up.
_POLICIES_MOST: Final = 1_000


class BareGate:
    """Admits tool results: what fits passes untouched, the rest is kept whole and shown within its limits.

    Several threads may use one gate. What `rules` answers for a tool and an agent is asked once.
    """

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
        self.ledger = ledger
        self.strict = strict
        self._agent = agent or ""
        self._clock = clock
        self._recorder = Recorder(ledger, clock)
        self._admission = Admission(store, self._recorder)
        self._remembered = Remembered()
        self._policies: dict[tuple[str, str], Policy] = {}
        self._standing("tool", self._agent)  # so that an unknown agent is refused now and not at the first result

    @property
    def store(self) -> Store | None:
        return self._admission.store

    @store.setter
    def store(self, store: Store | None) -> None:
        self._admission.store = store

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
        layout: Arrangement | None = None,
        model: str | None = None,
        used_tokens: int = 0,
        envelope: bool = False,
        strict: bool | None = None,
    ) -> View:
        """The view of one tool result.

        `limits` and `strategy` stand in for those of the tool. An agent's profile and what is left of a model's
        context window only tighten them. `layout="verbatim"` shows nothing in a layout of our own. `envelope` frames
        plain output in the tool response protocol. With `strict` a result that cannot be kept raises instead of being
        shown without a handle.
        """
        policy = self.policy(
            tool,
            agent=agent,
            limits=limits,
            strategy=strategy,
            layout=layout,
            model=model,
            used_tokens=used_tokens,
        )
        return self._admission.admit(
            result_of(output, envelope=envelope), policy, self._origin(tool, query, agent, strict)
        )

    def value(
        self,
        output: Any,
        *,
        tool: str = "tool",
        query: str = "",
        agent: str | None = None,
        limits: Limits | None = None,
        model: str | None = None,
        used_tokens: int = 0,
        strict: bool | None = None,
    ) -> BoundedValue:
        """A structured result that stays one: a smaller value of the same types, whose JSON is within the limits.

        For what a program reads, such as a result with a schema. What was left out is told beside the value.
        """
        policy = self.policy(tool, agent=agent, limits=limits, model=model, used_tokens=used_tokens)
        return self._admission.value(output, policy, self._origin(tool, query, agent, strict))

    def policy(
        self,
        tool: str = "tool",
        *,
        agent: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        layout: Arrangement | None = None,
        model: str | None = None,
        used_tokens: int = 0,
    ) -> Policy:
        """How a result of `tool` is bounded: the tool's own limits, tightened by agent and context window."""
        profile = agent or self._agent
        standing = self._standing(tool, profile)
        if layout is not None:
            standing = replace(standing, layout=layout)
        if limits is None and strategy is None and model is None and not used_tokens:
            return standing
        allowed = standing.limits if limits is None else self._tightened(checked_limits(limits), profile)
        window_of = model or self._model_of(profile)
        if window_of is not None:
            allowed &= Limits.for_model(window_of, used_tokens=used_tokens, windows=self.rules.windows)
        elif used_tokens:
            raise CallerError("used_tokens are those of a model's context window: say which model")
        return replace(standing, limits=allowed, strategy=strategy or standing.strategy)

    def turn(
        self, results: Sequence[tuple[Any, str]], *, budget: Limits, query: str = "", agent: str | None = None
    ) -> list[View]:
        """The views of all results of one turn, given as (output, tool), together within `budget`.

        What a small result leaves of its share, the large ones get. A result that asks to be let through takes what
        it takes, and leaves the rest to the others.
        """
        read = [(result_of(output), tool, self.policy(tool, agent=agent)) for output, tool in results]
        allowed = shares(checked_limits(budget), [(result, policy) for result, _, policy in read])
        return [
            self._admission.admit(result, policy.tightened(share), self._origin(tool, query, agent, None))
            for (result, tool, policy), share in zip(read, allowed, strict=True)
        ]

    def open(
        self,
        *,
        tool: str = "tool",
        query: str = "",
        agent: str | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        layout: Arrangement | None = None,
        model: str | None = None,
        used_tokens: int = 0,
        strict: bool | None = None,
    ) -> Capture:
        """Take output as it arrives, in constant memory; closing the capture gives the view.

        The view is the one that `admit` gives for the whole, but of at most 10 MiB: no more is held in memory.
        """
        policy = self.policy(
            tool,
            agent=agent,
            limits=limits,
            strategy=strategy,
            layout=layout,
            model=model,
            used_tokens=used_tokens,
        )
        origin = self._origin(tool, query, agent, strict)
        began = time.perf_counter()
        return Capture(
            lambda errors: Intake(self.store, errors),
            lambda intake: self._admission.finish(intake, policy, origin, began),
        )

    def capture(self, source: IO[bytes] | IO[str] | Iterable[str | bytes], **options: Any) -> View:
        """All that `source` gives, as `open` takes it: a file, a pipe, an iterator."""
        with self.open(**options) as capture:
            capture.feed(source)
        return capture.view

    def messages(self, messages: Sequence[Any], *, format: Dialect = "openai", agent: str | None = None) -> list[Any]:  # noqa: A002  # the word of every SDK
        """The messages of a model request with every tool result bounded by the agent-level guard.

        The same message gives the same bytes in every later request, so prompt caches stay valid. It is kept and
        recorded once.
        """

        def bounder(output: Any, call: Call) -> View:
            key = key_of(output, call.tool, call.query, agent or "")
            memory = None if key is None else self._remembered.get(key)
            now = self._clock()
            if memory is not None and not memory.stale(now) and self._holds(memory.view):
                return memory.view
            policy = self.policy(call.tool, agent=agent).tightened(self.rules.guard)
            origin = self._origin(call.tool, call.query, agent, None)
            view = self._admission.admit(result_of(output), policy, origin, known=memory is not None)
            if key is not None and not view.failure:
                self._remembered.put(key, view, now)
            return view

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
        """Bound what a function returns, sync or async. What fits is returned as it is, whatever its type.

        @gate.tool
        def read_log(path: str) -> str: ...
        """
        if function is None:
            return functools.partial(self.tool, name=name, limits=limits, strategy=strategy)
        called = name or str(getattr(function, "__name__", "tool"))

        def finish(output: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
            view = self.admit(output, tool=called, query=asked(args, kwargs), limits=limits, strategy=strategy)
            return view.replacement() if view.truncated else output

        return bounding(function, finish)

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
        agent: str | None = None,
    ) -> Slice:
        """A bounded page of kept output: `limit` lines from line `start`, or with unit="bytes" from byte `offset`."""
        began = time.perf_counter()
        source = self._source(handle)
        page = read_page(
            source, self.reading(limits, agent=agent), self._count, unit=unit, start=start, offset=offset, limit=limit,
            direction=direction,
        )  # fmt: skip
        self._record("read", source, measure(page.text), ((page.start, page.stop),), agent, began)
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
        agent: str | None = None,
    ) -> Hits:
        """Search kept output: the first `limit` matching lines, in linear time, with what surrounds them."""
        began = time.perf_counter()
        for name, value, least in (("context", context, 0), ("limit", limit, 1), ("start", start, 1)):
            if type(value) is not int or value < least:
                raise LimitError(name, value, f"a whole number from {least} on")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:  # NaN would never end
            raise LimitError("seconds", seconds, "a number above 0")
        source = self._source(handle)
        match = matcher(pattern, fixed=fixed, ignore_case=ignore_case)
        until = time.monotonic() + seconds
        found = search(source, match, start_line=start, most=limit, expired=lambda: time.monotonic() > until)
        room = self.reading(limits, agent=agent, tool="grep_output")
        hits = render(source, found, context, room, self._count, pattern)
        self._record("grep", source, measure(hits.text), hits.shown, agent, began)
        return hits

    def unseen(self, handle: str, *, limits: Limits | None = None, agent: str | None = None) -> View:
        """What no view and no read has shown of this output yet, as much as fits. Read again for what follows."""
        began = time.perf_counter()
        if self.ledger is None:
            raise CallerError("what has been shown is not recorded here: read from a line or a byte instead")
        source = self._source(handle)
        policy = replace(self.rules.policy, limits=self.reading(limits, agent=agent))
        view = read_unseen(source, self._recorder.shown(source.handle), policy)
        self._record("unseen", source, view.size, view.spans, agent, began)
        return view

    def reading(self, limits: Limits | None = None, *, agent: str | None = None, tool: str = "read_output") -> Limits:
        """How a page is bounded: like any result, and by the guard as well, so that it stays whole in `messages`."""
        if limits is not None:
            return checked_limits(limits)
        return self.policy(tool, agent=agent).limits & self.rules.guard

    def size(self, text: str, limits: Limits) -> Size:
        """The size of a text, with its tokens where `limits` has one on them."""
        return size_in(text, limits, self.rules.policy.counter)

    def records(self) -> Iterator[Record]:
        """What is kept and can be read, newest first."""
        return iter(()) if self.store is None else self.store.records()

    def tools(self, format: Format = "openai") -> list[dict[str, Any]]:  # noqa: A002
        """Definitions of the tools with which a model reads kept output; `call` runs them."""
        if format not in FORMATS:
            raise CallerError(f"format = {format!r} is not known: allowed is one of {', '.join(FORMATS)}")
        return [offer.definition(format) for offer in OFFERS]

    def call(self, name: str, arguments: Mapping[str, Any] | str, *, agent: str | None = None) -> str:
        """Run one of `tools` for a model. What it did wrong is told in the answer; only an unknown tool raises."""
        if name not in NAMES:
            raise CallerError(f"there is no tool {name!r}: there are {', '.join(sorted(NAMES))}")
        try:
            return answer(self, name, checked(name, arguments_of(arguments)), agent)
        except (CallerError, KeptError, StoreError) as error:
            policy = replace(self.rules.policy, limits=self.reading(agent=agent, tool=name))
            return self._admission.shortened(f"Error: {error}", policy)

    # -- housekeeping ------------------------------------------------------------------------------------------------

    def sweep(self) -> Swept:
        """Delete what is past its retention, over the quota, or left by killed processes."""
        return Swept() if self.store is None else self.store.sweep()

    def close(self) -> None:
        self._recorder.close()
        if self.store is not None:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _rules_of(self, agent: str) -> Rules:  # noqa: ARG002  # the same for all without settings
        """The rules as they are for one agent."""
        return self.rules

    def _model_of(self, agent: str) -> str | None:  # noqa: ARG002  # as above
        """The model of an agent, where that is known."""
        return None

    def _standing(self, tool: str, agent: str) -> Policy:
        """How a result of `tool` is bounded while a call says nothing else."""
        policy = self._policies.get((tool, agent))
        if policy is None:
            rules = self._rules_of(agent)
            limits = self._tightened(rules.limits_for(tool), agent)
            policy = replace(
                rules.policy, limits=limits, strategy=rules.strategy_for(tool), ratio=rules.ratio_for(tool)
            )
            if len(self._policies) >= _POLICIES_MOST:
                self._policies.clear()
            self._policies[tool, agent] = policy
        return policy

    def _tightened(self, limits: Limits, agent: str) -> Limits:
        own = self.rules.agent_limits(agent) if agent else None
        return limits if own is None else limits & own

    def _origin(self, tool: str, query: str, agent: str | None, strict: bool | None) -> Origin:
        return Origin(tool, query, agent or self._agent, self.strict if strict is None else strict)

    def _holds(self, view: View) -> bool:
        """Whether what a view promises can still be read."""
        if view.handle is None or self.store is None:
            return True
        try:
            return self.store.stat(view.handle).path == view.path
        except (KeptError, StoreError):
            return False

    def _source(self, handle: str) -> KeptSource:
        parsed = parse_handle(handle)
        if self.store is None:
            raise UnknownHandle(parsed)
        return KeptSource.of(self.store, parsed)

    def _count(self, text: str) -> int:
        return self.rules.policy.counter.count(text)

    def _record(
        self,
        action: Literal["read", "grep", "unseen"],
        source: KeptSource,
        after: Size,
        shown: tuple[tuple[int, int], ...],
        agent: str | None,
        began: float,
    ) -> None:
        self._recorder.read_back(action, source.record, agent or self._agent, after, shown, began)
