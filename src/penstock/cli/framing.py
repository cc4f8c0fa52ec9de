"""Views as envelopes, whose context is known only once the output has ended: exit code, duration."""

from __future__ import annotations

from itertools import pairwise

from penstock.core.content import Content, Errors, Hole
from penstock.core.envelope import Frame
from penstock.core.flow import Case, Kept, bound, size_in
from penstock.core.jsontext import to_json
from penstock.core.policy import Policy
from penstock.core.view import View
from penstock.gate import BareGate


def framed(gate: BareGate, view: View, policy: Policy, frame: Frame, tool: str, query: str) -> View:
    """`view` in an envelope that is within the limits as a whole."""
    if not view.truncated:
        fitting = _fitting(view, policy, frame)
        if fitting is not None:
            return fitting
        # It fitted without its envelope, so it has not been kept yet.
        view = gate.admit(
            bytes(view), tool=tool, query=query, limits=policy.limits, strategy=policy.strategy, envelope=True
        )
    case = Case(
        content=_shown_again(gate, view),
        policy=policy,
        reason=view.reason,
        query=query,
        kept=None if view.handle is None else Kept(view.handle, view.path),
        failure=view.failure,
        frame=frame,
    )
    return bound(case)
