"""The tool response protocol: status, data, text, stats, context, error.

A result in an envelope leaves in an envelope: as it came when it fits, else with what was cut described in `data` and
a preview in place of the data. `success` becomes `partial`, `error` stays `error`; stats, context and error carry over
as long as they leave most of the room to the preview.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.core.jsontext import to_json
from penstock.core.notice import Step
from penstock.core.view import Truncation

FIELDS: Final = frozenset({"status", "data", "text", "stats", "context", "error"})
# How long what carries over may be where there is little room: an exit code, not a history.
CARRIED: Final = 200
STATUSES: Final = frozenset({"success", "partial", "error"})


@dataclass(frozen=True, slots=True)
class Frame:
    """What of an envelope stays when its data is cut."""

    status: str = "success"
    stats: Any = field(default_factory=dict)
    context: Any = field(default_factory=dict)
    error: Any = None

    def around(self, preview: str, notice: str, truncation: Truncation, step: Step) -> str:
        """The envelope as JSON. It gives way with the notice; where the whole is, is the last thing to go."""
        status = "error" if self.status == "error" else "partial"
        if step is Step.NOTHING:
            return to_json({"status": status})
        if step is Step.BARE:
            handle = {"handle": truncation.handle} if truncation.handle else {}
            return to_json({"status": status, "data": {"truncated": True, **handle, "preview": preview}})
        full = step is Step.FULL
        told = truncation.as_dict() if full else truncation.in_short()
        envelope = {
            "status": status,
            "data": {"truncated": True, "truncation": told, "preview": preview},
            "text": notice,
        }
        carried = {"stats": self.stats, "context": self.context, "error": self.error}
        if not full:
            carried = {name: value for name, value in carried.items() if value and len(to_json(value)) <= CARRIED}
        return to_json({**envelope, **carried})


def is_envelope(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping follows the protocol: a known status, something to say, and no field that it does not know."""
    status = value.get("status")
    return (
        isinstance(status, str)
        and status in STATUSES
        and FIELDS.issuperset(value)
        and not {"data", "text", "error"}.isdisjoint(value)
    )


def frame_of(value: Mapping[str, Any]) -> Frame:
    return Frame(value["status"], value.get("stats", {}), value.get("context", {}), value.get("error"))


def asks_to_skip(value: Mapping[str, Any]) -> bool:
    context = value.get("context")
    return isinstance(context, Mapping) and context.get("truncation_skip") is True


def wrapped(text: str) -> str:
    """Plain text that fits, as an envelope."""
    return to_json(_success({"truncated": False}, text))


def wrapped_data(value: Any) -> str:
    """A JSON value that fits, as an envelope."""
    return to_json(_success(value, ""))


def _success(data: Any, text: str) -> dict[str, Any]:
    return {"status": "success", "data": data, "text": text, "stats": {}, "context": {}, "error": None}
