"""Views as envelopes whose context is known only once the output has ended: exit code, duration."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from penstock.core.envelope import Frame
from penstock.core.flow import Case, bound
from penstock.core.jsontext import to_json
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.view import View
from penstock.gate import BareGate


def framed(
    gate: BareGate, view: View, policy: Policy, frame: Frame, *, tool: str, query: str, agent: str | None
) -> View:
    """`view` in an envelope that is within the limits as a whole."""
    if not view.truncated:
        fitting = _fitting(gate, view, policy, _whole(view, frame))
        if fitting is not None:
            return fitting
        if view.size.bytes <= 1:  # there is nothing to cut
            return _least(gate, view, policy, frame)
        # It fits without its envelope only, so it has not been kept yet.
        less = policy.limits & Limits(bytes=view.size.bytes - 1)
        view = gate.admit(bytes(view), tool=tool, query=query, agent=agent, limits=less, strategy=policy.strategy)
        return bound(replace(_case_of(view), policy=policy, frame=frame))
    return bound(replace(_case_of(view), frame=frame))


def _whole(view: View, frame: Frame) -> str:
    return to_json(
        {
            "status": frame.status,
            "data": {"truncated": False},
            "text": view.text,
            "stats": frame.stats,
            "context": frame.context,
            "error": frame.error,
        }
    )


def _fitting(gate: BareGate, view: View, policy: Policy, text: str) -> View | None:
    size = gate.size(text, policy.limits)
    return View(text, size, view.original, "fits", "envelope") if size.over(policy.limits) is None else None


def _least(gate: BareGate, view: View, policy: Policy, frame: Frame) -> View:
    """The frame gives way step by step around a text that could not be any shorter."""
    small = {"status": frame.status, "text": view.text}
    for form in (small | {"error": frame.error}, small, {"status": frame.status if not view.text else "partial"}):
        fitting = _fitting(gate, view, policy, to_json(form))
        if fitting is not None:
            return fitting
    return View("", gate.size("", policy.limits), view.original, "fits", "envelope")


def _case_of(view: View) -> Case:
    """What bounds a truncated view once more, as `View.envelope` does, but with a frame of its own."""
    if not isinstance(view.framed, partial) or not isinstance(view.framed.args[0], Case):
        raise TypeError("a truncated view knows what it was made of")
    return view.framed.args[0]
