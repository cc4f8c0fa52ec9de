"""One result on its way through `run`, `pipe` and `admit`: how it is bounded, and how its view is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from penstock.capture import Capture
from penstock.cli.framing import framed
from penstock.cli.options import Asked
from penstock.core.envelope import Frame
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.view import View
from penstock.gate import BareGate

UNLIMITED: Final = Limits()


@dataclass(frozen=True, slots=True)
class Passage:
    """What decides the views of one call."""

    gate: BareGate
    asked: Asked
    tool: str
    query: str
    share: Limits = UNLIMITED

    @property
    def policy(self) -> Policy:
        """How a result is bounded; an agent's profile tightens what was asked for."""
        asked = self.asked
        limits = asked.in_place_of(self.gate.policy(self.tool, agent=asked.agent).limits) & self.share
        return self.gate.policy(
            self.tool, agent=asked.agent, limits=limits, strategy=asked.strategy, layout=asked.layout
        )

    def open(self) -> Capture:
        policy = self.policy
        return self.gate.open(
            tool=self.tool,
            query=self.query,
            agent=self.asked.agent,
            limits=policy.limits,
            strategy=policy.strategy,
            layout=policy.layout,
        )

    def view(self, capture: Capture, frame: Frame | None = None) -> View:
        """The view of a capture that has ended, in the form that was asked for."""
        view = capture.close()
        if not self.asked.json:
            return view
        return framed(
            self.gate, view, self.policy, frame or Frame(), tool=self.tool, query=self.query, agent=self.asked.agent
        )

    def printed(self, view: View) -> bytes:
        return printed(self.gate, view, self.policy.limits)


def printed(gate: BareGate, view: View, limits: Limits) -> bytes:
    """What is printed of a view: itself, ended by a newline where the end is ours and the newline fits too."""
    ours = view.truncated or view.form == "envelope" or view.handle is not None
    ended = view.text + "\n"
    if ours and view.text and not view.text.endswith("\n") and gate.size(ended, limits).over(limits) is None:
        return bytes(view) + b"\n"
    return bytes(view)
