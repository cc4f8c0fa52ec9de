"""How much of what matters a shown text holds.

A needle is a part of a tool's output that answers the question behind the call. It is held *verbatim* where it, or one
of its alternatives, is a substring of what was shown. It is *kept* also where only the layout differs: white space,
ANSI and JSON escapes are ignored; the values of a JSON record may stand close together without their keys; a grep hit
may stand as its line number and its text, with the path elsewhere; a listed file may stand alone on a line, with its
folder elsewhere.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

LONGEST_NEEDLE = 4_000
"""Characters. A longer one would not fit the smallest budget beside anything else, so it does not count."""

_PLACES_TRIED = 40

_COLOUR = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_BLANK = re.compile(r"\s+")
_HIT = re.compile(r"([^:\n]+):(\d+):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Needle:
    text: str
    others: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.text, *self.others)


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of an item's needles."""

    verbatim: float
    kept: float


def needles_of(row: Mapping[str, Any]) -> list[Needle]:
    """Those of an item that count."""
    return [
        Needle(n["text"], tuple(n.get("alts", ())), tuple(n["lines"]) if n.get("lines") else None)
        for n in row["needles"]
        if n["chars"] <= LONGEST_NEEDLE
    ]


def is_verbatim(needle: Needle, shown: str) -> bool:
    return any(form in shown for form in needle.forms)


def score(kind: str, needles: Sequence[Needle], shown: str) -> Score:
    found = [is_verbatim(needle, shown) for needle in needles]
    shown_bare = bare(shown) if not all(found) else ""
    kept = [exact or is_kept(kind, needle, shown, shown_bare) for exact, needle in zip(found, needles, strict=True)]
    return Score(sum(found) / len(needles), sum(kept) / len(needles))


def is_kept(kind: str, needle: Needle, shown: str, shown_bare: str) -> bool:
    """Whether a needle that is not there verbatim is there in another layout. `shown_bare` is `bare(shown)`."""
    laid_out = _LAID_OUT.get(kind)
    return any(bare(form) in shown_bare or (laid_out is not None and laid_out(form, shown)) for form in needle.forms)


def missing(kind: str, needles: Sequence[Needle], shown: str) -> list[Needle]:
    shown_bare = bare(shown)
    return [n for n in needles if not is_verbatim(n, shown) and not is_kept(kind, n, shown, shown_bare)]


def bare(text: str) -> str:
    """The text without white space, colours and the escapes of JSON."""
    for escape in (r"\n", r"\t", r"\r"):
        text = text.replace(escape, "")
    return _BLANK.sub("", _COLOUR.sub("", text).replace('\\"', '"').replace("\x1b", ""))


def _record_kept(needle: str, shown: str) -> bool:
    values = _values(needle)
    if not values:
        return False
    reach = 3 * len(needle) + 200
    place = -1
    for _ in range(_PLACES_TRIED):
        place = shown.find(values[0], place + 1)
        if place < 0:
            return False
        around = shown[max(0, place - reach) : place + reach]
        if all(value in around for value in values):
            return True
    return False


@lru_cache(maxsize=4_096)
def _values(record: str) -> tuple[str, ...]:
    """The values of a JSON record as text, longest first; none where it is not JSON."""
    try:
        found = set(_leaves(json.loads(record)))
    except ValueError:
        return ()
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def _leaves(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, str):
        if value:
            yield value
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value)


def _hit_kept(needle: str, shown: str) -> bool:
    hit = _HIT.match(needle)
    if hit is None or hit[1] not in shown:
        return False
    text = hit[3].strip()
    return bool(text) and re.search(rf"\b{hit[2]}[:\s|-]+[^\n]*{re.escape(text)}", shown) is not None


def _file_kept(needle: str, shown: str) -> bool:
    path = needle.rpartition("\t")[2].strip()
    folder, _, name = path.rpartition("/")
    if not name or (folder and f"{folder}/" not in shown):
        return False
    return re.search(rf"^\s*{re.escape(name)}\s*$", shown, re.MULTILINE) is not None


_LAID_OUT = {"json": _record_kept, "grep": _hit_kept, "listing": _file_kept}
