"""Ids of calls that stay apart in a whole conversation: a filter counts from one in every answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from penstock.core.stream.events import Event, ToolArgs, ToolEnd, ToolStart

_DIGITS: Final = 24
_COUNTED: Final = re.compile(r"call_\d+")  # what the filter calls a call that has no id
# Shorter ones are counted anew in each answer. Longer ones, or with other characters, no API takes back.
_GIVEN: Final = re.compile(r"[\w.:-]{9,40}", re.ASCII)


def call_id(answer: str, number: int, told: str) -> str:
    """The id of a call of this answer: that of the model, or else one that follows from the answer's."""
    if _GIVEN.fullmatch(told) and not _COUNTED.fullmatch(told):
        return told
    digest = hashlib.sha256(f"{answer} {number}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:_DIGITS]}"


class Ids:
    """Gives the calls of one answer their ids, in the events of a filter."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._ids: dict[str, str] = {}

    def of(self, events: Iterable[Event]) -> list[Event]:
        return [self._named(event) for event in events]

    def _named(self, event: Event) -> Event:
        if not isinstance(event, ToolStart | ToolArgs | ToolEnd):
            return event
        if event.id not in self._ids:
            self._ids[event.id] = call_id(self._answer, len(self._ids), event.id)
        return event._replace(id=self._ids[event.id])
