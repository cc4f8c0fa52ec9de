"""One page of ranked results: what `records.pack` makes, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

Reason = Literal["character_limit", "token_estimate", "single_result_too_large"]

# From this share of a limit on, there is something to log though nothing was cut.
NEAR: Final = 0.7


class Note(NamedTuple):
    """A line for the log of whoever asked: the core has none."""

    level: Literal["info", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class TruncationInfo:
    """The `truncation_info` of a response. The limits are those after the margin."""

    reason: Reason | None
    original_count: int
    returned_count: int
    estimated_chars: int
    limit_chars: int | None
    estimated_tokens: int
    limit_tokens: int | None

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Packed:
    """One page of results. `text` is the response as JSON, which is what must be sent for the limits to hold."""

    text: str
    results: tuple[Any, ...]
    info: TruncationInfo
    continuation: str | None = None  # what asks for the next page; None where nothing follows
    skipped: int = 0  # how many better results the pages before have shown
    warnings: tuple[str, ...] = ()  # in the response too, where there is room
    notes: tuple[Note, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)  # what the response tells beside the results

    @property
    def truncated(self) -> bool:
        return self.info.reason is not None

    def as_dict(self) -> dict[str, Any]:
        """The response before it became text."""
        return {"results": list(self.results), **self.beside} if self.text else {}

    def __str__(self) -> str:
        return self.text


def notes_of(info: TruncationInfo, left: int, warning: str) -> Iterator[Note]:
    used = f"{_of(info.estimated_chars, info.limit_chars)} characters"
    used += f", about {_of(info.estimated_tokens, info.limit_tokens)} tokens"
    if info.reason is not None:
        percent = 100 * info.returned_count // max(1, left)
        yield Note(
            "warning", f"results truncated: {left:,} -> {info.returned_count:,} ({percent} %), {used}, {info.reason}"
        )
    if warning:
        yield Note("warning", warning)
    full = max(share_of(info.estimated_chars, info.limit_chars), share_of(info.estimated_tokens, info.limit_tokens))
    if info.reason is None and full >= NEAR:
        yield Note("info", f"results fill {100 * full:.0f} % of their limit: {used}")


def _of(used: int, limit: int | None) -> str:
    return f"{used:,}" if limit is None else f"{used:,} of {limit:,}"


def share_of(used: int, limit: int | None) -> float:
    return 0.0 if limit is None else used / limit
