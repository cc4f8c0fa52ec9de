"""The gate and the tool base as users meet them: with what the settings say."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from penstock.core.limits import Limits
from penstock.core.policy import Language, Place, Policy, Reader, Strategy
from penstock.core.rules import Rules
from penstock.core.tokens import TokenCounter
from penstock.counters import counter_named
from penstock.gate import BareGate
from penstock.ledger.contract import Ledger
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import SqliteLedger
from penstock.settings import Settings, load_settings
from penstock.stores.contract import Store
from penstock.stores.disk import DiskStore
from penstock.stores.files import INDEX
from penstock.stores.memory import MemoryStore
from penstock.tools.base import BareTool


class ConfiguredRules:
    """The settings' answers, with what a caller said in their place."""

    def __init__(
        self, settings: Settings, policy: Policy, limits: Limits | None, strategy: Strategy | None, ratio: float | None
    ) -> None:
        self.settings = settings
        self.policy = policy
        self.guard = settings.guard
        self.windows: Mapping[str, int] = settings.windows
        self._limits = limits
        self._strategy = strategy
        self._ratio = ratio

    def limits_for(self, tool: str) -> Limits:
        return self.settings.limits_for(tool) if self._limits is None else self._limits

    def strategy_for(self, tool: str) -> Strategy:
        return self._strategy or self.settings.strategy_for(tool)

    def ratio_for(self, tool: str) -> float:
        return self.settings.ratio_for(tool) if self._ratio is None else self._ratio

    def agent_limits(self, agent: str) -> Limits | None:
        return self.settings.agent_limits(agent)


class Gate(BareGate):
    """The gate as the settings have it; what is given here goes before them.

    `limits` and `strategy` hold for every tool. `reader` says what the model can use to read on: "penstock" (the
    default; hand it `gate.tools()`), "files", "task", "cli" or "none". `directory` is where the whole outputs go.
    """

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        store: Store | None = None,
        ledger: Ledger | None = None,
        directory: str | Path | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        ratio: float | None = None,
        reader: Reader | None = None,
        language: Language | None = None,
        notice: Place | None = None,
        counter: TokenCounter | None = None,
        agent: str | None = None,
        strict: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings = load_settings() if settings is None else settings
        given = {"reader": reader, "language": language, "notice": notice, "counter": counter}
        policy = replace(policy_of(self.settings), **{name: value for name, value in given.items() if value is not None})
        if strategy is not None or ratio is not None:
            policy = replace(policy, strategy=strategy or policy.strategy, ratio=policy.ratio if ratio is None else ratio)
        rules: Rules = ConfiguredRules(self.settings, policy, limits, strategy, ratio)
        place = Path(directory) if directory is not None else self.settings.directory
        super().__init__(
            rules=rules,
            store=store_of(self.settings, place, clock) if store is None else store,
            ledger=ledger_of(self.settings, store, place) if ledger is None else ledger,
            agent=agent,
            strict=strict,
            clock=clock,
        )


def policy_of(settings: Settings) -> Policy:
    return Policy(
        reader=settings.reader,
        language=settings.language,
        notice=settings.notice,
        counter=counter_named(settings.counter),
        trust_skip=settings.trust_skip,
    )


def store_of(settings: Settings, directory: Path, clock: Callable[[], float]) -> Store:
    if settings.store == "memory":
        return MemoryStore(retention_days=settings.retention_days, quota_bytes=settings.quota_bytes, clock=clock)
    return DiskStore(
        directory,
        retention_days=settings.retention_days,
        quota_bytes=settings.quota_bytes,
        durability=settings.durability,
        clock=clock,
    )


def ledger_of(settings: Settings, store: Store | None, directory: Path) -> Ledger | None:
    """On disk beside the kept outputs; in memory for a store that a caller made, whose place is not known."""
    if not settings.ledger:
        return None
    in_memory = settings.store == "memory" if store is None else not isinstance(store, DiskStore)
    place = store.directory if isinstance(store, DiskStore) else directory
    return MemoryLedger() if in_memory else SqliteLedger(place / INDEX)


class Tool(BareTool):
    """A tool whose results are bounded: subclass it, set `limits` if you like, write `execute`.

        class ReadFile(Tool):
            limits = Limits(chars=5_000, lines=200)

            def execute(self, path: str) -> str:
                return Path(path).read_text()
    """

    def __init__(self, gate: BareGate | None = None, **options: Any) -> None:
        super().__init__(gate or Gate(**options))
