"""Which records of many are out of the ordinary: those that tell of an error, extreme numbers, rare values.

Read by columns, because Python is fast there: a field of all records at once. A value is rare among few others, a
number is extreme far outside of where most are. The first record with a rare value counts more than the next one with
the same, so that each is shown once before any is shown twice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, Final

from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Effort

# Worth. Every error comes before what is only unusual.
ERROR: Final = 100.0
EXTREME: Final = 1.0

# Fewer than these tell nothing of what is usual.
FEW: Final = 8
SOME: Final = 16
COLUMNS: Final = 200
KINDS: Final = 64
DEEPEST: Final = 4
EACH_SIDE: Final = 3

# Larger numbers are names.
HUGE: Final = 1e300

# How far outside of the middle half of all numbers, in widths of it, a number is an outlier.
FAR: Final = 3.0

# Where more records than this share tell of errors, errors are what is usual.
USUAL: Final = 0.5

_ERROR_KEY: Final = re_pattern(
    r"(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))(?i:errors?|err|exceptions?|failures?|faults?|failed)"
    r"(?:[_.\-]?(?i:message|msg|text|reason|type|code|count))?$"
)
_STATE_KEY: Final = re_pattern(r"(?i)(?:status|state|level|severity|result|outcome|conclusion|phase|health|lvl)$")
_CODE_KEY: Final = re_pattern(r"(?i)(?:status|status_?code|http_?status|response_?code)$")
_EXIT_KEY: Final = re_pattern(r"(?i)(?:exit|return)_?(?:code|status)$|^rc$")
_GOOD_KEY: Final = re_pattern(r"(?i)^(?:ok|success|succeeded|successful|passed|healthy)$")
_BAD: Final = re_pattern(
    r"(?i)\b(?:\w*(?:fail|error|exception)\w*|fatal|critical|crit|alert|emerg\w*|panic\w*|abort\w*|denied|refused|reject\w*"
    r"|timed?[ _-]?out|crash\w*|unhealthy|oomkilled|evicted|killed|dead|broken|corrupt\w*|invalid)\b"
)
_BAD_CODE: Final = re_pattern(r"[45]\d\d(?:\.0)?")
_NONE: Final = frozenset({"", "0", "none", "null", "nil", "ok", "no", "false", "success", "n/a", "-", "[]", "{}"})

_ABSENT: Final = "\0absent"


def oddities(rows: Sequence[Mapping[Any, Any]], effort: Effort) -> dict[int, float]:
    """How odd each of these records is, by its number; those that are not are left out."""
    found = _Found()
    found.read(rows, range(len(rows)), effort, DEEPEST)
    return found.worth


def odd_columns(columns: Mapping[str, list[Any]], effort: Effort) -> dict[int, float]:
    """The same of rows that are columns already, without anything inside of values."""
    found = _Found()
    for name, values in columns.items():
        effort.spend(1 + len(values) // 16)
        found.column(name, values, range(len(values)), effort, depth=0)
    return found.worth


def tells_of_error(key: str, value: Any) -> bool:
    """Whether a field tells of an error."""
    test = _telling(key)
    return (
        test is not None and value is not None and bool(test(value, value if type(value) is str else repr(value)[:200]))
    )


class _Found:
    def __init__(self) -> None:
        self.worth: dict[int, float] = {}

    def read(self, rows: Sequence[Mapping[Any, Any]], owners: Sequence[int], effort: Effort, depth: int) -> None:
        """`owners` says to which record each of the rows belongs."""
        keys = Counter(chain.from_iterable(rows)).most_common(COLUMNS)
        for key, _ in keys:
            effort.spend(1 + len(rows) // 16)
            self.column(str(key), [row.get(key, _ABSENT) for row in rows], owners, effort, depth)

    def column(self, key: str, values: list[Any], owners: Sequence[int], effort: Effort, depth: int) -> None:
        kinds = set(map(type, values))
        self._errors(key, values, owners)
        plain = values
        if dict in kinds or list in kinds:
            if depth:
                self._inside(values, owners, effort, depth - 1)
            # They cannot be counted but by what they are: empty or not.
            plain = list(map(bool, values)) if len(kinds) == 1 else [_sort_of(value) for value in values]
        if len(values) >= FEW:
            numbers = kinds & {int, float}
            if not numbers or not self._extremes(plain, owners):
                self._rare(plain, owners)

    def _inside(self, values: list[Any], owners: Sequence[int], effort: Effort, depth: int) -> None:
        """What is in objects and lists that stand in one column."""
        objects = [pair for pair in zip(values, owners, strict=True) if type(pair[0]) is dict]
        lists = [pair for pair in zip(values, owners, strict=True) if type(pair[0]) is list]
        if lists:
            sizes = [len(value) for value, _ in lists]
            holders = [owner for _, owner in lists]
            if len(sizes) >= FEW and not self._extremes(sizes, holders):
                self._rare(sizes, holders)
            parts = list(chain.from_iterable(value for value, _ in lists))
            whose = list(chain.from_iterable(map(repeat, holders, sizes)))
            kinds = set(map(type, parts))
            effort.spend(len(parts) // 8)
            if dict in kinds:
                objects += [pair for pair in zip(parts, whose, strict=True) if type(pair[0]) is dict]
            elif str in kinds and list not in kinds and len(parts) >= FEW:
                self._rare(parts, whose)
        if objects:
            self.read([row for row, _ in objects], [owner for _, owner in objects], effort, depth)

    def _add(self, owner: int, worth: float) -> None:
        before = self.worth.get(owner, 0.0)
        self.worth[owner] = max(before, worth) + 0.01 * min(before, worth)

    def _errors(self, key: str, values: list[Any], owners: Sequence[int]) -> None:
        """Every record whose field tells of an error; the first of each sort before those that say the same."""
        test = _telling(key)
        if test is None:
            return
        known: dict[str, bool] = {}
        bad: list[tuple[int, str]] = []
        for owner, value in zip(owners, values, strict=True):
            if value is None or value is _ABSENT:
                continue
            text = value if type(value) is str else repr(value)[:200]
            if text not in known:
                known[text] = test(value, text)
            if known[text]:
                bad.append((owner, text))
        if len(bad) > USUAL * len(values) and len(values) >= FEW:
            return
        times: Counter[str] = Counter()
        for owner, text in bad:
            self._add(owner, ERROR + ERROR / (1 + times[text]))
            times[text] += 1

    def _extremes(self, values: list[Any], owners: Sequence[int]) -> bool:
        """The numbers far from where most are, and the largest and the smallest. False: they are no more than names."""
        if not _all_numbers(values):
            pairs = zip(values, owners, strict=True)
            numbers = [pair for pair in pairs if type(pair[0]) in (int, float) and -HUGE < pair[0] < HUGE]
            values, owners = [value for value, _ in numbers], [owner for _, owner in numbers]
        if len(values) < FEW:
            return False
        order = sorted(values)
        low, high = order[len(order) // 4], order[3 * len(order) // 4]
        width = high - low
        if not width:
            return False
        least, most = order[EACH_SIDE - 1], order[-EACH_SIDE]
        pairs = zip(values, owners, strict=True)
        ends = [(value, owner) for value, owner in pairs if value <= least or value >= most]
        self._side(sorted(ends, reverse=True), high, width)
        self._side(sorted(ends), low, width)
        return True

    def _side(self, ends: list[tuple[float, int]], edge: float, width: float) -> None:
        for place, (value, owner) in enumerate(ends[:EACH_SIDE]):
            far = min(abs(value - edge) / width, 1e9)
            if far > FAR:
                self._add(owner, 4.0 + math.log2(far))
            elif place == 0:
                self._add(owner, EXTREME * (1 + far / FAR))

    def _rare(self, values: list[Any], owners: Sequence[int]) -> None:
        """What few have where most have one of a few values."""
        # Counting what has too many values would take the most of the time.
        if len(values) < SOME or len(set(values[: 2 * KINDS])) > KINDS:
            return
        counts = Counter(values)
        if not 1 < len(counts) <= max(2, min(KINDS, len(values) // 4)):
            return
        usual = len(values) / len(counts)
        rare = {value: count for value, count in counts.items() if count <= max(1, usual / 8) and count < usual}
        if not rare:
            return
        times: Counter[Any] = Counter()
        for value, owner in zip(values, owners, strict=True):
            if value in rare:
                self._add(owner, (2.0 + math.log2(len(values) / rare[value])) / (1 + times[value]))
                times[value] += 1


def _all_numbers(values: list[Any]) -> bool:
    """Whether these are numbers to count with, and nothing else."""
    if not values or not set(map(type, values)) <= {int, float} or not -HUGE < min(values) <= max(values) < HUGE:
        return False
    total = sum(values)
    return bool(total == total)  # one that is not a number makes the sum none


def _sort_of(value: Any) -> Any:
    """A list or an object by what it is, since it cannot be counted: empty or not."""
    return (type(value).__name__, bool(value)) if type(value) in (dict, list) else value


_Test = Callable[[object, str], bool]  # of a value, and of its text


def _telling(key: str) -> _Test | None:
    """How a value under this key tells of an error; None where the key has nothing to do with errors."""
    if _ERROR_KEY.search(key):
        return _is_something
    if _EXIT_KEY.search(key):
        return _is_no_zero
    if _GOOD_KEY.search(key):
        return _is_no
    if _CODE_KEY.search(key):
        return _is_bad_code
    return _is_bad_word if _STATE_KEY.search(key) else None


def _is_something(value: object, text: str) -> bool:
    return bool(value) and text.strip().lower() not in _NONE


def _is_no_zero(_: object, text: str) -> bool:
    return text.strip() not in ("", "0", "0.0")


def _is_no(_: object, text: str) -> bool:
    return text.strip().lower() in ("false", "no", "0")


def _is_bad_code(value: object, text: str) -> bool:
    return _BAD_CODE.fullmatch(text) is not None or _is_bad_word(value, text)


def _is_bad_word(value: object, text: str) -> bool:
    return isinstance(value, str) and _BAD.search(text[:200]) is not None
