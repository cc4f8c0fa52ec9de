"""What every line of a log begins with, shown once: the layout "prefixes".

A runner puts the names of job and step before each line, a cluster the names of pod and container. Where that takes a
good part of the room, it stands above the lines, and the lines stand without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.reduce.contract import Ask, Choice, Plan, Room

# A prefix is worth a layout of its own from so many bytes on, and from this share of what the lines hold.
LEAST: Final = 16
SHARE: Final = 0.15

# A prefix ends behind one of these, or it would part a number or a word.
_ENDS: Final = b" \t|>])"

_ESCAPE: Final = b"\x1b"

# Lines by which nearly all content without a prefix is told.
_LOOKED_AT: Final = 4_096


def with_prefix_once(content: Content, ask: Ask, plan: Plan) -> Plan:
    """The same plan; with what all lines begin with shown once, where that is much."""
    data = content.data
    prefix = prefix_of(data) if ask.compact else b""
    if not prefix:
        return plan
    taken = len(prefix) * (data.count(b"\n" + prefix) + 1)
    wider = len(data) / max(1, len(data) - taken)
    told = f"prefix: {prefix.decode('utf-8', content.errors)}\n"

    def choose(room: Room) -> Choice:
        choice = plan.choose(room.squeezed(wider))
        parts = [_without(data, span, prefix) for span in choice.spans]
        return replace(choice, parts=[[told, *some] for some in parts[:1]] + parts[1:], layout="prefixes")

    return replace(plan, choose=choose, layout="prefixes")


def prefix_of(data: bytes) -> bytes:
    """What all lines begin with that are not empty; nothing where that is little."""
    if not _shared([line for line in data[:_LOOKED_AT].split(b"\n")[:-1] if line.strip()]):
        return b""
    lines = [line for line in data.split(b"\n") if line.strip()]
    prefix = _shared(lines)
    return prefix if len(prefix) * len(lines) >= SHARE * len(data) else b""


def _shared(lines: list[bytes]) -> bytes:
    if len(lines) < 2:
        return b""
    # What the first and the last share in the order of bytes, all share.
    first, last = min(lines), max(lines)
    alike = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    while alike and first[alike - 1] not in _ENDS:
        alike -= 1
    return first[:alike] if alike >= LEAST and _ESCAPE not in first[:alike] else b""


def _without(data: bytes, span: Span, prefix: bytes) -> list[str | Span]:
    """What stands for a stretch: its lines without the prefix, each with its end."""
    parts: list[str | Span] = []
    start = span.start
    while start < span.stop:
        stop = data.find(b"\n", start, span.stop) + 1 or span.stop
        at_line = start == 0 or data[start - 1 : start] == b"\n"
        rest = start + len(prefix) if at_line and data.startswith(prefix, start, stop) else start
        if rest < stop:
            parts.append(Span(rest, stop))
        start = stop
    return parts if data[span.stop - 1 : span.stop] == b"\n" else [*parts, "\n"]
