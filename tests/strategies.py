"""Inputs that hurt, limits of every size, and measures that share no code with the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.view import View
from penstock.errors import StoreError

# -- what tools return -------------------------------------------------------------------------------------------------

ATOMS = [
    "a line of text\n",
    "src/app.py:12: error: no such name\n",
    "warning: unused variable `x`\n",
    "0 errors, 0 warnings\n",
    "\n",
    "\r\n",
    "one\r\ntwo\r\n",
    "\r 10 %\r 55 %\r100 %\n",
    "\x00",
    "\x00\x00\n",
    "\ud800",  # half of a surrogate pair
    "\udcff\ud83d",
    "é",
    "e\u0301",  # the same with a combining mark
    "a" + "\u0300" * 30,
    "中文字符，",
    "👩\u200d👩\u200d👧\u200d👦",
    "👍🏽",
    "🇩🇪🇫🇷🇯🇵",
    "\u0915\u094d\u0937",
    "\u200d\ufe0f",
    "\x1b[31mred\x1b[0m ",
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x1b[",
    "\x1b",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=",
    "0123456789abcdef" * 8,
    " ",
    "\t",
    "\u2028",
    "\x0c",
    '{"a": [1, 2, {"b": "c\\n"}]}\n',
    "[... 12-40, 3 errors]\n",  # what a gap looks like
    '[Truncated: call read_output(handle="ps-aaaaaaaaaaaaaaaa")]\n',
    "x" * 1_000,
]

BAD_BYTES = [b"\xff", b"\xe4\xb8", b"\xf0\x9f\x91", b"\xc0\xaf", b"\x80" * 5, b"\xed\xa0\x80", b"\xfe\xff\x00a"]


@st.composite
def texts(draw: st.DrawFn, most: int = 12_000) -> str:
    """Up to `most` characters, made of pieces that are hard to cut, some of them many times."""
    pieces = draw(st.lists(st.tuples(st.sampled_from(ATOMS), st.integers(1, 60)), max_size=12))
    more = draw(st.text(max_size=20))
    times = draw(st.sampled_from([1, 1, 2, 7]))
    return ("".join(atom * count for atom, count in pieces) * times + more)[:most]


@st.composite
def byte_strings(draw: st.DrawFn, most: int = 12_000) -> bytes:
    """Text as bytes, with bytes in it that are not UTF-8."""
    pieces = draw(
        st.lists(
            st.tuples(st.sampled_from([*(atom.encode("utf-8", "surrogatepass") for atom in ATOMS), *BAD_BYTES]),
                      st.integers(1, 60)),
            max_size=12,
        )
    )  # fmt: skip
    return (b"".join(piece * count for piece, count in pieces) + draw(st.binary(max_size=20)))[:most]


outputs = st.one_of(texts(), byte_strings())

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=80)
    | st.sampled_from(["error: it failed", "x" * 500]),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=8), inner, max_size=8),
    max_leaves=60,
)  # fmt: skip


@st.composite
def envelopes(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "status": draw(st.sampled_from(["success", "partial", "error"])),
        "data": draw(st.dictionaries(st.sampled_from("abcdef"), json_values, max_size=6)),
        "text": draw(texts(4_000)),
        "stats": draw(st.dictionaries(st.sampled_from(["time_ms", "rows"]), st.integers(0, 10**6))),
        "context": draw(st.dictionaries(st.sampled_from(["cwd", "params_input"]), st.text(max_size=200))),
        "error": draw(st.none() | st.just({"code": "E_TOOL", "message": "it failed"})),
    }


def _image(size: int) -> dict[str, Any]:
    return {"type": "image", "data": "A" * size, "mimeType": "image/png"}


@st.composite
def content_blocks(draw: st.DrawFn) -> list[dict[str, Any]]:
    text = st.builds(lambda text: {"type": "text", "text": text}, texts(3_000))
    image = st.builds(_image, st.integers(0, 3_000))
    return draw(st.lists(text | image, min_size=1, max_size=6))


# -- limits ------------------------------------------------------------------------------------------------------------

_limit = st.none() | st.integers(1, 40) | st.integers(1, 600) | st.integers(200, 6_000)


@st.composite
def limits(draw: st.DrawFn, *, tokens: bool = True) -> Limits:
    """At least one limit, from nothing to plenty."""
    found = Limits(draw(_limit), draw(st.none() | st.integers(1, 60)), draw(_limit), draw(_limit) if tokens else None)
    return Limits(chars=draw(st.integers(1, 2_000))) if found.unlimited else found


def roomy_limits() -> st.SearchStrategy[Limits]:
    """Limits in which a notice and some text have room."""
    return st.builds(Limits, chars=st.integers(600, 3_000), lines=st.none() | st.integers(8, 80))


class Fourths:
    """A counter that is easy to count after: a token is four bytes."""

    name = "fourths"
    exact = True

    def count(self, text: str) -> int:
        return -(-utf8_size(text) // 4)

    def count_up_to(self, text: str, limit: int) -> int | None:
        count = self.count(text)
        return count if count <= limit else None


policies = st.builds(
    Policy,
    strategy=st.sampled_from(["auto", "auto", "head", "tail", "head_tail", "summarize"]),
    ratio=st.sampled_from([0.5, 0.0, 0.3, 1.0]),
    reader=st.sampled_from(["penstock", "files", "task", "cli", "none"]),
    language=st.sampled_from(["en", "en", "zh"]),
    notice=st.sampled_from(["end", "head"]),
    counter=st.just(Fourths()),
)

# -- measures ----------------------------------------------------------------------------------------------------------


def utf8_size(text: str) -> int:
    """Bytes of a text, a lone surrogate counting as the three that stand for it."""
    if text.isascii():
        return len(text)
    return sum(1 + (ord(c) > 0x7F) + (ord(c) > 0x7FF) + (ord(c) > 0xFFFF) for c in text)


def line_count(text: str) -> int:
    pieces = text.split("\n")
    return len(pieces) - (pieces[-1] == "")


def assert_text_within(text: str, limits: Limits) -> None:
    assert limits.chars is None or len(text) <= limits.chars
    assert limits.lines is None or line_count(text) <= limits.lines
    assert limits.bytes is None or utf8_size(text) <= limits.bytes
    assert limits.tokens is None or Fourths().count(text) <= limits.tokens


def assert_within(view: View, limits: Limits) -> None:
    """All that a model sees of a view is within the limits, however it gets it."""
    assert_text_within(view.text, limits)
    shown = [block["text"] for block in view.blocks if "text" in block]
    assert_text_within("\n".join(shown), limits)


# -- keeping -----------------------------------------------------------------------------------------------------------


class BrokenStore:
    """Every call fails, as on a disk that is gone."""

    name = "broken"

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise StoreError("the disk is gone")

    open = stat = read = seek_line = records = delete = sweep = check = close = _fail


class BreakingStore(BrokenStore):
    """Opens a writer whose every call fails."""

    def open(self) -> BreakingStore:
        return self

    write = commit = abort = BrokenStore._fail


class BrokenLedger:
    def _fail(self, *_: Any, **__: Any) -> Any:
        raise StoreError("the ledger is gone")

    admitted = read_back = totals = recent = shown = flush = close = _fail


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


# -- real files --------------------------------------------------------------------------------------------------------


def bench_items(environ: dict[str, str] | Any) -> Path:
    """Where the real tool outputs are: PENSTOCK_BENCH, or beside this repository."""
    given = environ.get("PENSTOCK_BENCH")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "bench" / "items"


def spread(paths: list[Path], count: int) -> list[Path]:
    """`count` of them, evenly spread over their order, the same each time."""
    return [paths[index * len(paths) // count] for index in range(min(count, len(paths)))]


def pieces_of(data: bytes | str, cuts: list[int]) -> Iterator[Any]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, stop in pairwise(places):
        yield data[start:stop]


def whole(read: Callable[[int, int], bytes], size: int, step: int) -> bytes:
    return b"".join(read(offset, step) for offset in range(0, size, step))


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
