"""The layers of limits, as the gate asks for them. The settings answer too; these are the answers without any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from penstock.core.limits import DEFAULT_LIMITS, GUARD_LIMITS, TOOL_LIMITS, Limits
from penstock.core.policy import Policy, Strategy
from penstock.errors import CallerError


class Rules(Protocol):
    @property
    def policy(self) -> Policy:
        """What is the same for all tools: reader, language, counter. Its limits and strategy are not asked."""
        ...

    @property
    def guard(self) -> Limits:
        """What any tool message of a request is bounded to, whoever produced it."""
        ...

    @property
    def windows(self) -> Mapping[str, int]: ...

    def limits_for(self, tool: str) -> Limits: ...

    def strategy_for(self, tool: str) -> Strategy: ...

    def ratio_for(self, tool: str) -> float: ...

    def agent_limits(self, agent: str) -> Limits | None: ...


@dataclass(frozen=True, slots=True)
class PlainRules:
    """The defaults, with what a caller sets by hand."""

    policy: Policy = field(default_factory=Policy)
    default: Limits = DEFAULT_LIMITS
    tools: Mapping[str, Limits] = field(default_factory=lambda: TOOL_LIMITS)
    guard: Limits = GUARD_LIMITS
    agents: Mapping[str, int] = field(default_factory=dict)
    windows: Mapping[str, int] = field(default_factory=dict)

    def limits_for(self, tool: str) -> Limits:
        own = self.tools.get(tool)
        return self.default if own is None else self.default.override(own)

    def strategy_for(self, tool: str) -> Strategy:  # noqa: ARG002  # the same for all without settings
        return self.policy.strategy

    def ratio_for(self, tool: str) -> float:  # noqa: ARG002  # as above
        return self.policy.ratio

    def agent_limits(self, agent: str) -> Limits | None:
        if agent not in self.agents:
            known = ", ".join(sorted(self.agents)) or "none"
            raise CallerError(f"there is no agent {agent!r} in the settings; there are: {known}")
        return Limits.for_agent(self.agents[agent])
