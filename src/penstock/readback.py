"""Reading kept output: a store as the source that the core pages and searches, and the calls that a model makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.core.flow import Case, Kept, bound, size_in
from penstock.core.handle import Handle
from penstock.core.jsontext import from_json
from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.notice import SHOWN_UNKNOWN
from penstock.core.policy import Policy
from penstock.core.slices import (
    PAGE_MOST,
    Slice,
    last_bytes,
    last_lines,
    page_by_bytes,
    page_by_lines,
    unseen_content,
)
from penstock.core.source import Source
from penstock.core.view import View
from penstock.errors import CallerError, LimitError
from penstock.stores.contract import Record, Store

if TYPE_CHECKING:
    from penstock.gate import BareGate

PAGE_LINES: Final = 200
LISTED: Final = 20
LISTED_MOST: Final = 500

NOTHING_KEPT: Final = "[nothing is kept]"
OLDER: Final = "[older ones are not listed]"
ALL_SHOWN: Final = "[all of it has been shown]"


@dataclass(frozen=True, slots=True)
class KeptSource:
    store: Store
    record: Record
    lines: int

    @classmethod
    def of(cls, store: Store, handle: Handle) -> KeptSource:
        record = store.stat(handle)
        # A last line that no newline ends is a line too.
        open_ended = record.size > 0 and store.read(handle, record.size - 1, 1) != b"\n"
        return cls(store, record, record.newlines + open_ended)

    @property
    def handle(self) -> Handle:
        return self.record.handle

    @property
    def size(self) -> int:
        return self.record.size

    def read(self, offset: int, size: int) -> bytes:
        return self.store.read(self.handle, offset, size)

    def seek_line(self, line: int) -> tuple[int, int]:
        return self.store.seek_line(self.handle, line)


def read_page(
    source: Source,
    limits: Limits,
    count: Callable[[str], int],
    *,
    unit: Literal["lines", "bytes"],
    start: int,
    offset: int | None,
    limit: int | None,
    direction: Literal["head", "tail"],
) -> Slice:
    _check(unit=unit, start=start, offset=offset, limit=limit, direction=direction)
    by_bytes = unit == "bytes" or offset is not None
    most = limit or (PAGE_MOST if by_bytes or direction == "tail" else PAGE_LINES)
    if direction == "tail":
        return (last_bytes if by_bytes else last_lines)(source, most, limits, count)
    if by_bytes:
        return page_by_bytes(source, offset or 0, most, limits, count)
    return page_by_lines(source, start, most, limits, count)


def _check(*, unit: str, start: object, offset: object, limit: object, direction: str) -> None:
    if unit not in ("lines", "bytes"):
        raise LimitError("unit", unit, "lines or bytes")
    if direction not in ("head", "tail"):
        raise LimitError("direction", direction, "head or tail")
    for name, value, least in (("start", start, 1), ("limit", limit, 1), ("offset", offset, 0)):
        if value is not None and (type(value) is not int or value < least):
            raise LimitError(name, value, f"a whole number from {least} on")


def read_unseen(source: KeptSource, shown: list[tuple[int, int]] | None, policy: Policy) -> View:
    content = unseen_content(source, shown or [], PAGE_MOST)
    if content is None:
        size = size_in(ALL_SHOWN, policy.limits, policy.counter)
        text = ALL_SHOWN if size.over(policy.limits) is None else ""
        return View(text, measure(text), measure(text), "fits", "text", handle=source.handle)
    kept = Kept(source.handle, source.record.path)
    case = Case(content, policy, "bytes", media=source.record.media, kept=kept)
    if shown is None:
        return bound(replace(case, remark=SHOWN_UNKNOWN[policy.language]))
    return bound(replace(case, unseen=True))


def arguments_of(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """The arguments of a model's call, which arrive as an object or as JSON text of one."""
    if isinstance(arguments, str):
        try:
            arguments = from_json(arguments.strip() or "{}")
        except ValueError as error:
            raise CallerError(f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, Mapping):
        raise CallerError(f"the arguments are an object, not {type(arguments).__name__}")
    return arguments


def answer(gate: BareGate, name: str, arguments: dict[str, Any], agent: str | None) -> str:
    """What a model gets for a checked call."""
    if name == "list_outputs":
        return listing(gate, arguments.get("limit", LISTED), agent)
    handle = arguments.pop("handle")
    if name == "grep_output":
        return gate.grep(handle, arguments.pop("pattern"), **arguments, agent=agent).text
    if arguments.pop("unseen", False):
        return gate.unseen(handle, agent=agent).text
    return gate.read(handle, **arguments, agent=agent).text


def listing(gate: BareGate, limit: int, agent: str | None) -> str:
    """One line for each kept output, newest first, as many as fit."""
    limits = gate.reading(agent=agent, tool="list_outputs")
    most = min(limit, LISTED_MOST)
    lines = [_line(record) for record, _ in zip(gate.records(), range(most + 1), strict=False)]
    if not lines:
        lines = [NOTHING_KEPT]
    older = [] if len(lines) <= most else [OLDER]
    lines = lines[:most]
    while lines and gate.size("\n".join([*lines, *older]), limits).over(limits) is not None:
        lines.pop()
        older = [OLDER]
    return "\n".join([*lines, *older]) if lines else ""


def _line(record: Record) -> str:
    kept_at = datetime.fromtimestamp(record.kept_at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return f"{record.handle}  {kept_at} UTC  {record.size:>12,} bytes  {record.newlines:>9,} lines  {record.tool}"
