"""The gate and the tool base as users meet them: with what the settings say."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from penstock.core.limits import Limits
from penstock.core.policy import Arrangement, Language, Place, Policy, Reader, Strategy
from penstock.core.rules import Rules
from penstock.core.tokens import TokenCounter
from penstock.counters import counter_named
from penstock.errors import StoreError
from penstock.gate import BareGate
from penstock.ledger.contract import Ledger
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import SqliteLedger
from penstock.settings import Settings, load_settings
from penstock.stores.contract import Store, Swept
from penstock.stores.disk import DiskStore
from penstock.stores.files import INDEX
from penstock.stores.memory import MemoryStore
from penstock.tools.base import BareTool

_DAY: Final = 86_400.0


class ConfiguredRules:
    """The settings' answers for one agent ("" for none), with what a caller said in their place."""

    def __init__(
        self,
        settings: Settings,
        policy: Policy,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        ratio: float | None = None,
        agent: str = "",
    ) -> None:
        self.policy = policy
        self.guard = settings.guard
        self.windows: Mapping[str, int] = settings.windows
        self._settings = settings
        self._limits = limits
        self._strategy = strategy
        self._ratio = ratio
        self._agent = agent

    def of(self, agent: str) -> ConfiguredRules:
        return ConfiguredRules(self._settings, self.policy, self._limits, self._strategy, self._ratio, agent)

    def limits_for(self, tool: str) -> Limits:
        return self._settings.limits_for(tool, self._agent) if self._limits is None else self._limits

    def strategy_for(self, tool: str) -> Strategy:
        return self._strategy or self._settings.strategy_for(tool, self._agent)

    def ratio_for(self, tool: str) -> float:
        return self._settings.tool(tool, self._agent).head_ratio if self._ratio is None else self._ratio

    def agent_limits(self, agent: str) -> Limits | None:
        """By its profile and by its model's window, as far as there is no word of how much of that is used."""
        own = self._settings.agent_limits(agent)
        model = self.model_of(agent)
        if model is None:
            return own
        window = Limits.for_model(model, windows=self.windows)
        return window if own is None else own & window

    def model_of(self, agent: str) -> str | None:
        return self._settings.agent(agent).model if agent else None


class Gate(BareGate):
    """The gate as the settings have it; what is given here goes before them.

    `limits` and `strategy` hold for every tool. `reader` says what the model can use to read on: "penstock" (the
    default; hand it `gate.tools()`), "files", "task", "cli" or "none". `directory` is where the whole outputs go.
    `trusted` says whether those whose results are admitted may ask for a result to be let through; who admits the
    results of strangers gives False, and then they may only where the settings say so.
    """

    rules: ConfiguredRules

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        store: Store | None = None,
        ledger: Ledger | None = None,
        directory: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
        strategy: Strategy | None = None,
        ratio: float | None = None,
        reader: Reader | None = None,
        language: Language | None = None,
        notice: Place | None = None,
        layout: Arrangement | None = None,
        counter: TokenCounter | None = None,
        trusted: bool = True,
        agent: str | None = None,
        strict: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings = settings = load_settings() if settings is None else settings
        policy = Policy(
            strategy=strategy or "auto",
            ratio=0.5 if ratio is None else ratio,
            reader=reader or reader_of(settings),
            language=language or settings.language,
            notice=notice or settings.notice,
            layout=layout or settings.layout,
            counter=counter or counter_named(settings.counter),
            trust_skip=settings.obeys_skip(trusted_sender=trusted),
            media_bytes=settings.media_bytes,
        )
        place = settings.store.directory if directory is None else Path(directory)
        super().__init__(
            rules=ConfiguredRules(settings, policy, limits, strategy, ratio),
            store=store_of(settings, place, clock) if store is None else store,
            ledger=ledger_of(settings, store, place) if ledger is None else ledger,
            agent=agent,
            strict=strict,
            clock=clock,
        )

    def sweep(self) -> Swept:
        """Also forgets what the ledger has recorded longer ago than the settings say."""
        if isinstance(self.ledger, SqliteLedger | MemoryLedger):
            try:
                self.ledger.prune(self._clock() - self.settings.ledger.retention_days * _DAY)
            except StoreError as error:
                self._recorder.blame(error)
        return super().sweep()

    def _rules_of(self, agent: str) -> Rules:
        return self.rules.of(agent) if agent else self.rules

    def _model_of(self, agent: str) -> str | None:
        return self.rules.model_of(agent)


def reader_of(settings: Settings, otherwise: Reader = "penstock") -> Reader:
    """What the settings say that the model reads with; a door knows what it is where they leave it open."""
    return otherwise if settings.reader == "auto" else settings.reader


def store_of(settings: Settings, directory: Path, clock: Callable[[], float] = time.time) -> Store:
    said = settings.store
    if said.kind == "memory":
        return MemoryStore(retention_days=said.retention_days, quota_bytes=said.quota_bytes, clock=clock)
    return DiskStore(
        directory,
        retention_days=said.retention_days,
        quota_bytes=said.quota_bytes,
        durability=said.durability,
        clock=clock,
    )


def ledger_of(settings: Settings, store: Store | None, directory: Path) -> Ledger | None:
    """On disk beside the kept outputs; in memory for a store that a caller made, whose place is not known."""
    if not settings.ledger.enabled:
        return None
    in_memory = settings.store.kind == "memory" if store is None else not isinstance(store, DiskStore)
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
