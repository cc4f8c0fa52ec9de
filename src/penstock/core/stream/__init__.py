"""What a model streams, in one pass: events for those who show it, and the raw text for those who parse it."""

from __future__ import annotations

from penstock.core.stream.events import Event, Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart, joined
from penstock.core.stream.filter import ToolCallFilter
from penstock.core.stream.formats import Format, marker_pair
from penstock.core.stream.positions import Positions
from penstock.core.stream.scan import Refuted, Scan, Steps

__all__ = [
    "Event",
    "Format",
    "Markup",
    "Positions",
    "Reasoning",
    "Refuted",
    "Scan",
    "Steps",
    "Text",
    "ToolArgs",
    "ToolCallFilter",
    "ToolEnd",
    "ToolStart",
    "joined",
    "marker_pair",
]
