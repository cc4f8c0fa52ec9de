"""One record that is too large by itself: its long fields are shown by their two ends.

A field is what stands under a key, in mappings within mappings too. Text is cut between graphemes; a long list is shown
as a part of its JSON, as text. What is short stays as it is, and so do the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from penstock.core.census import Census
from penstock.core.cut import cut_at_or_after, cut_at_or_before
from penstock.core.jsontext import to_json
from penstock.core.notice import gap_mark
from penstock.core.policy import Language

# Bytes. A mark takes half as much, so cutting what is shorter would gain nothing.
SHORTEST: Final = 64

# Mappings deeper than this are treated as lists are.
DEEPEST: Final = 8


class Elastic(NamedTuple):
    """A value whose long fields can be given any length."""

    longest: int  # bytes of its longest field, 0 where none is long
    at: Callable[[int], Any]  # the value with so many bytes of each field at most


def elastic(value: Any, language: Language, depth: int = 0) -> Elastic:
    if isinstance(value, Mapping) and depth < DEEPEST:
        return _elastic_mapping({key: elastic(part, language, depth + 1) for key, part in value.items()})
    text = value if isinstance(value, str) else to_json(value)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= SHORTEST:
        return Elastic(0, lambda _: value)
    return Elastic(len(data), lambda most: value if most >= len(data) else ends_of(data, most, language))


def _elastic_mapping(parts: Mapping[Any, Elastic]) -> Elastic:
    longest = max((part.longest for part in parts.values()), default=0)
    return Elastic(longest, lambda most: {key: part.at(most) for key, part in parts.items()})


def ends_of(data: bytes, most: int, language: Language) -> str:
    """Both ends of a text, so many bytes of it together, with a mark for what is between."""
    start = cut_at_or_before(data, most // 2)
    stop = cut_at_or_after(data, len(data) - (most - most // 2))
    hidden = gap_mark(language, start, stop - 1, Census(), by_bytes=True) if stop > start else ""
    return data[:start].decode("utf-8", "surrogatepass") + hidden + data[stop:].decode("utf-8", "surrogatepass")
