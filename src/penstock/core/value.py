"""A value that is too large, as a smaller value of the same shape: for results that must stay data and not become text.

Rules:
1. The JSON of the value is within the limits, whatever they are. Where they leave no room for the emptiest value of its
   type (`[]`, `{}`, `""`, a number as it is), there is no value and no text.
2. Types stay: a list stays a list, an object an object, text text; a number, a boolean or null is never changed.
3. Lists, and objects that are lists by id, keep their most telling items, in order: the first, what speaks of the
   question, errors, what is rare or extreme, the last. Other objects keep their keys as long as there is room for them.
4. Text is cut between graphemes and shows both ends, with a mark between them where there is room for one.
5. What was left out is reported beside the value, by JSON Pointer: where, how many, and which of a list are shown. The
   value itself says nothing of it, because whatever it said would be taken for data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, Literal, NamedTuple

from penstock.core.cut import cut_at_or_before
from penstock.core.fields import ends_of
from penstock.core.handle import Handle
from penstock.core.jsontext import from_json, to_json
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure, utf8_length
from penstock.core.policy import Language
from penstock.core.reduce.contract import Effort
from penstock.core.reduce.oddities import FEW, oddities, tells_of_error
from penstock.core.reduce.question import Question
from penstock.core.reduce.ranking import worth_of
from penstock.core.squeeze import fullest
from penstock.core.tokens import MOST_BYTES_PER_TOKEN, Estimate, TokenCounter

# An item of a list that would take more than one part in so many of its room is shown in part.
ITEM_SHARE: Final = 2

# Text up to so many bytes is shown whole or not at all: half a name, a date or an id is worse than none.
SHORT: Final = 64

# What a mark in a text takes, more or less.
MARK: Final = 32

# What is nested deeper is shown whole or empty.
DEEPEST: Final = 48

# After so many items in a row that do not fit, the room counts as full.
MISSES: Final = 50

What = Literal["items", "keys", "characters"]


class Omission(NamedTuple):
    """What was left out at one place of the value."""

    pointer: str  # RFC 6901, into the value as it is shown; "" is the whole
    what: What
    many: int
    shown: str = ""  # of a list: the numbers that its items had, such as "0-19,27"

    def as_dict(self) -> dict[str, Any]:
        told = {"at": self.pointer, "omitted": self.many, "of": self.what}
        return {**told, "shown": self.shown} if self.shown else told


@dataclass(frozen=True, slots=True)
class BoundedValue:
    """A value within its limits. `text` is its JSON; it is empty where no value of this type fits."""

    value: Any
    text: str
    size: Size
    original: Size
    omitted: tuple[Omission, ...] = ()
    handle: Handle | None = None  # of the whole, where it was kept
    path: str | None = None
    failure: str = ""  # why the whole was not kept, where it should have been

    @property
    def truncated(self) -> bool:
        return bool(self.omitted)

    def report(self, most: int = 20) -> list[dict[str, Any]]:
        """What was left out, the places that miss the most first."""
        return [omission.as_dict() for omission in sorted(self.omitted, key=lambda one: -one.many)[:most]]


def bounded_value(
    value: Any,
    limits: Limits,
    *,
    query: str = "",
    counter: TokenCounter | None = None,
    language: Language = "en",
) -> BoundedValue:
    """The value, or as much of it as is within the limits as JSON. What has no JSON form is a `ResultError`."""
    count = counter or Estimate()
    text = to_json(value)
    original = measure(text)

    def sized(text: str) -> Size:
        size = measure(text)
        if limits.tokens is None:
            return size
        # What is far over by its length alone need not be counted.
        over = size.bytes > MOST_BYTES_PER_TOKEN * limits.tokens
        return size._replace(tokens=limits.tokens + 1 if over else count.count(text))

    if sized(text).over(limits) is None:
        return BoundedValue(value, text, original, original)
    plain = from_json(text)
    room = _room(limits, original)
    smaller = _Smaller(Question(query), language)

    def attempt(part: float) -> _Try:
        shown, omitted = smaller.within(plain, int(room * part))
        text = to_json(shown)
        return _Try(shown, text, sized(text), omitted)

    best = fullest(attempt, limits, Size(), elastic=True, grows=True) or attempt(0.0)
    if best.size.over(limits) is not None:
        return BoundedValue(None, "", Size(), original, (Omission("", *_all_of(plain)),))
    return BoundedValue(best.value, best.text, best.size, original, tuple(best.omitted))


class _Try(NamedTuple):
    value: Any
    text: str
    size: Size
    omitted: list[Omission]


def _room(limits: Limits, original: Size) -> int:
    """The limits in bytes of such JSON, more or less."""
    per_char = original.bytes / max(1, original.chars)
    sizes = [
        None if limits.chars is None else int(limits.chars * per_char),
        limits.bytes,
        None if limits.tokens is None else 4 * limits.tokens,
    ]
    return min((size for size in sizes if size is not None), default=original.bytes)


class _Smaller:
    """Makes values smaller. What it found out about one it keeps for the next try."""

    def __init__(self, question: Question, language: Language) -> None:
        self.question = question
        self.language = language
        self.effort = Effort()
        self._sizes: dict[int, list[int]] = {}
        self._orders: dict[int, list[int]] = {}

    def within(self, value: Any, room: int) -> tuple[Any, list[Omission]]:
        omitted: list[Omission] = []
        return self._shrink(value, room, "", omitted, 0), omitted

    def _shrink(self, value: Any, room: int, at: str, omitted: list[Omission], depth: int) -> Any:
        """The value in so many bytes of JSON, or the emptiest of its type where that needs more."""
        if not isinstance(value, str | list | dict) or not value or utf8_length(to_json(value)) <= room:
            return value
        if isinstance(value, str):
            return self._text(value, room, at, omitted)
        if depth >= DEEPEST:
            omitted.append(Omission(at, *_all_of(value)))
            return type(value)()
        if isinstance(value, list):
            return self._list(value, room, at, omitted, depth)
        if _is_by_id(value):
            return self._by_id(value, room, at, omitted, depth)
        return self._object(value, room, at, omitted, depth)

    # -- text ----------------------------------------------------------------------------------------------------------

    def _text(self, text: str, room: int, at: str, omitted: list[Omission]) -> str:
        data = text.encode("utf-8", "surrogatepass")
        most = room - 2
        shown = ""
        while most > 0:
            if room >= SHORT:
                shown = ends_of(data, max(0, most - MARK), self.language)
            else:
                shown = data[: cut_at_or_before(data, most)].decode("utf-8", "surrogatepass")
            size = utf8_length(to_json(shown))
            if size <= room:
                break
            # Escapes and the mark take what they take; each turn is nearer.
            most = min(most - 1, most * room // size)
            shown = ""
        omitted.append(Omission(at, "characters", max(1, len(text) - len(shown))))
        return shown

    # -- lists ---------------------------------------------------------------------------------------------------------

    def _list(self, items: list[Any], room: int, at: str, omitted: list[Omission], depth: int) -> list[Any]:
        sizes = self._sizes_of(items, items)
        chosen = _chosen(self._order_of(items, items), items, sizes, room - 2)
        shown = self._shown(items, chosen, sizes, room - 2, lambda place, _: f"{at}/{place}", omitted, depth)
        if len(chosen) < len(items):
            omitted.append(Omission(at, "items", len(items) - len(chosen), _ranges(sorted(chosen))))
        return shown

    def _by_id(self, value: dict[str, Any], room: int, at: str, omitted: list[Omission], depth: int) -> dict[str, Any]:
        keys, items = list(value), list(value.values())
        sizes = self._sizes_of(value, items)
        extra = [utf8_length(to_json(key)) + 1 for key in keys]
        chosen = _chosen(self._order_of(value, items), items, sizes, room - 2, extra)
        left = room - 2 - sum(extra[number] for number in chosen)
        shown = self._shown(items, chosen, sizes, left, lambda _, n: f"{at}/{_escaped(keys[n])}", omitted, depth)
        if len(chosen) < len(items):
            omitted.append(Omission(at, "keys", len(items) - len(chosen)))
        return {keys[number]: item for number, item in zip(sorted(chosen), shown, strict=True)}

    def _object(self, value: dict[str, Any], room: int, at: str, omitted: list[Omission], depth: int) -> dict[str, Any]:
        """As many of its keys as have room for their values, be they cut; those that tell of an error before others."""
        keys, items = list(value), list(value.values())
        sizes = self._sizes_of(value, items)
        left = room - 1
        kept = []
        for number in sorted(range(len(keys)), key=lambda number: not tells_of_error(keys[number], items[number])):
            needed = utf8_length(to_json(keys[number])) + 2 + _least(items[number], sizes[number])
            if needed <= left:
                kept.append(number)
                left -= needed
        left += sum(_least(items[number], sizes[number]) for number in kept) + max(0, len(kept) - 1)
        shown = self._shown(items, kept, sizes, left, lambda _, n: f"{at}/{_escaped(keys[n])}", omitted, depth)
        if len(kept) < len(keys):
            omitted.append(Omission(at, "keys", len(keys) - len(kept)))
        return {keys[number]: item for number, item in zip(sorted(kept), shown, strict=True)}

    def _shown(
        self,
        items: Sequence[Any],
        chosen: Iterable[int],
        sizes: Sequence[int],
        room: int,
        pointer: Callable[[int, int], str],
        omitted: list[Omission],
        depth: int,
    ) -> list[Any]:
        """The chosen items in order. Each has what it needs at least, and an even share of the rest of the room.

        What those that are small leave of their share, the large ones may use.
        """
        numbers = sorted(chosen)
        share = {number: _least(items[number], sizes[number]) for number in numbers}
        left = max(0, room - max(0, len(numbers) - 1) - sum(share.values()))
        for place, number in enumerate(sorted(numbers, key=lambda number: sizes[number] - share[number])):
            more = min(sizes[number] - share[number], left // (len(numbers) - place))
            share[number] += more
            left -= more
        return [
            self._shrink(items[number], share[number], pointer(place, number), omitted, depth + 1)
            for place, number in enumerate(numbers)
        ]

    # -- what is known of a list ---------------------------------------------------------------------------------------

    def _sizes_of(self, key: Any, items: Sequence[Any]) -> list[int]:
        if id(key) not in self._sizes:
            self._sizes[id(key)] = [utf8_length(to_json(item)) for item in items]
        return self._sizes[id(key)]

    def _order_of(self, key: Any, items: Sequence[Any]) -> list[int]:
        """Items in the order of their worth, each once."""
        if id(key) not in self._orders:
            self._orders[id(key)] = list(dict.fromkeys(self._ordered(items)))
        return self._orders[id(key)]

    def _ordered(self, items: Sequence[Any]) -> Iterable[int]:
        rows = [item if isinstance(item, dict) else {"": item} for item in items]
        odd = oddities(rows, self.effort) if len(items) >= FEW else {}
        texts = [to_json(item).encode() for item in items] if self.question else []
        starts = list(accumulate(map(len, texts[:-1]), initial=0)) if texts else []
        yield 0
        for sort in worth_of(b"".join(texts), starts, self.question, odd, self.effort).sorts:
            yield from sort.indices
        yield len(items) - 1
        yield from range(len(items))


def _chosen(
    order: Sequence[int], items: Sequence[Any], sizes: Sequence[int], room: int, extra: Sequence[int] | None = None
) -> list[int]:
    """Which items are shown: whole as long as they fit, and a part of those that are large.

    `extra` is what the key of each takes.
    """
    most = room // min(ITEM_SHARE, len(order)) - 1
    chosen: list[int] = []
    left = room + 1
    misses = 0
    for number in order:
        size = sizes[number]
        needed = (
            (size if size <= most else max(most, _least(items[number], size))) + 1 + (extra[number] if extra else 0)
        )
        if needed <= left:
            chosen.append(number)
            left -= needed
            misses = 0
        else:
            misses += 1
            if misses > MISSES:
                break
    return chosen


def _is_by_id(value: Mapping[str, Any]) -> bool:
    """Whether an object is a list of records by their names."""
    return len(value) >= FEW and all(isinstance(item, dict | list) for item in value.values())


def _least(value: Any, size: int) -> int:
    """The bytes that a value of this size needs at least."""
    if isinstance(value, str):
        return min(size, SHORT)
    return min(size, 2) if isinstance(value, list | dict) else size


def _all_of(value: Any) -> tuple[What, int]:
    """All that is in a value."""
    if isinstance(value, str):
        return "characters", len(value)
    if isinstance(value, dict):
        return "keys", len(value)
    return "items", len(value) if isinstance(value, list) else 1


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in order, as ranges: 0-19,27."""
    starts = [number for before, number in pairwise([-2, *numbers]) if number != before + 1]
    stops = [number for number, behind in pairwise([*numbers, -2]) if behind != number + 1]
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in zip(starts, stops, strict=True))
