"""Views as envelopes, whose context is known only once the output has ended: exit code, duration."""

from __future__ import annotations

from penstock.core.content import Content, Hole
from penstock.core.envelope import Frame
from penstock.core.flow import Case, Kept, bound
from penstock.core.jsontext import to_json
from penstock.core.policy import Policy
from penstock.core.view import View
from penstock.gate import BareGate


def framed(
    gate: BareGate, view: View, policy: Policy, frame: Frame, *, tool: str, query: str, agent: str | None
) -> View:
    """`view` in an envelope that is within the limits as a whole."""
    if not view.truncated:
        fitting = _fitting(gate, view, policy, frame)
        if fitting is not None:
            return fitting
        # It fits without its envelope only, so it has not been kept yet.
        view = gate.admit(
            bytes(view),
            tool=tool,
            query=query,
            agent=agent,
            limits=policy.limits,
            strategy=policy.strategy,
            envelope=True,
        )
    if view.handle is None or gate.store is None:
        return _patched(gate, view, policy, frame)
    pieces = [gate.store.read(view.handle, span.start, span.stop - span.start) for span in view.spans]
    case = Case(
        content=_residue(view, pieces),
        policy=policy,
        reason=view.reason,
        query=query,
        kept=Kept(view.handle, view.path),
        frame=frame,
    )
    return bound(case)


def _fitting(gate: BareGate, view: View, policy: Policy, frame: Frame) -> View | None:
    whole = {
        "status": frame.status,
        "data": {"truncated": False},
        "text": view.text,
        "stats": frame.stats,
        "context": frame.context,
        "error": frame.error,
    }
    text = to_json(whole)
    size = gate.size(text, policy.limits)
    return View(text, size, size, "fits", "envelope") if size.over(policy.limits) is None else None


def _residue(view: View, pieces: list[bytes]) -> Content:
    """What a view shows, with a hole for each gap."""
    places = [0]
    for piece in pieces:
        places.append(places[-1] + len(piece))
    holes = [
        Hole(places[gap.before], gap.stop - gap.start, gap.newlines, gap.ends_line, gap.census) for gap in view.gaps
    ]
    return Content(b"".join(pieces), view.original, "replace", tuple(holes))


def _patched(gate: BareGate, view: View, policy: Policy, frame: Frame) -> View:
    """The envelope of a view whose whole could not be kept, with as much of the frame as there is room for."""
    envelope = view.envelope()
    own = {"context": frame.context, "error": frame.error}
    for more in (own, {"error": frame.error}, {}):
        text = to_json({**envelope, **more, "status": "error" if frame.status == "error" else envelope["status"]})
        size = gate.size(text, policy.limits)
        if size.over(policy.limits) is None:
            break
    else:
        return view if view.form == "envelope" or view.framed is None else view.framed()
    return View(text, size, view.original, view.reason, "envelope", failure=view.failure)
