"""Outputs of about 1 MB in which little matters, and none of it stands where a plain head or tail would show it.

A test run with three failures in 12,000 lines; 2,000 records with an error, an outlier and a rare category; the hits of
a search with two odd lines among thousands of the same shape. Each takes a `seed`: another one gives another text of
the same shape, with its anomalies elsewhere.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from bench.scoring import Needle, missing

SIZE = 1_000_000
Layout = Literal["one line", "pretty", "ndjson"]

_AREAS = ("billing", "catalog", "checkout", "identity", "ledger", "search", "shipping", "tax")
_WORDS = ("accepts", "rejects", "keeps", "rounds", "merges", "splits", "orders", "caches", "renews", "closes")
_THINGS = ("draft", "invoice", "cursor", "token", "voucher", "address", "batch", "refund", "session", "quote")


@dataclass(frozen=True, slots=True)
class Anomalies:
    """`odd` are the exact parts of the text that must be shown."""

    name: str
    kind: str
    query: str
    text: str
    odd: tuple[str, ...]

    def lost(self, shown: str) -> list[str]:
        """What of it a shown text does not hold, in whatever layout."""
        return [needle.text for needle in missing(self.kind, [Needle(part) for part in self.odd], shown)]


def test_run(seed: int = 0) -> Anomalies:
    draw = random.Random(seed).random
    total = 12_000
    failing = {int(total * (place + 0.08 * draw())) for place in (0.21, 0.46, 0.71)}
    lines = ["=" * 29 + " test session starts " + "=" * 30, ""]
    odd: list[str] = []
    number = 0
    while len(lines) < total - 1:
        number += 1
        name = (
            f"tests/{_of(_AREAS, draw)}/test_{_of(_THINGS, draw)}.py::test_{_of(_WORDS, draw)}_{_of(_THINGS, draw)}"
            f"[{_of(_AREAS, draw)}-{number}]"
        )
        percent = f"[{100 * len(lines) // total:>3}%]"
        if failing and len(lines) >= min(failing):
            failing.remove(min(failing))
            expected, got = int(draw() * 900), 1_000 + int(draw() * 900)
            found = [f"{name} FAILED", f"E       AssertionError: assert {expected} == {got}"]
            odd += found
            lines += [
                f"{found[0]:<90}{percent}",
                "    def check(quote, expected):",
                ">       assert quote.total == expected",
                found[1],
                f"E        +  where {expected} = Quote(id={number}).total",
                f"tests/conftest.py:{20 + number % 70}: AssertionError",
                "",
            ]
        else:
            lines.append(f"{name + ' PASSED':<78}{percent}")
    lines[1] = f"collected {number} items"
    lines.append(f"============ 3 failed, {number - 3} passed in 214.07s (0:03:34) ============")
    return Anomalies("three failures", "test_log", "Which tests fail and why?", "\n".join(lines) + "\n", tuple(odd))


def records(seed: int = 0, layout: Layout = "one line") -> Anomalies:
    draw = random.Random(seed).random
    count = 2_000
    rows = [_record(number, draw) for number in range(count)]
    error, outlier, rare = (rows[int(count * (place + 0.1 * draw()))] for place in (0.15, 0.4, 0.7))
    error |= {"state": "failed", "error": f"card declined by issuer {int(draw() * 9000)}"}
    outlier |= {"duration_ms": 812_345 + int(draw() * 9000)}
    rare |= {"channel": "fax"}
    separators = (",", ": ") if layout == "pretty" else (",", ":")
    indent = 2 if layout == "pretty" else None

    def written(value: Any) -> str:
        return json.dumps(value, indent=indent, separators=separators)

    text = "\n".join(map(written, rows)) + "\n" if layout == "ndjson" else written(rows)
    # In a pretty list every line of a record but its first stands two columns further in.
    deeper = "\n  " if layout == "pretty" else "\n"
    odd = tuple(written(row).replace("\n", deeper) for row in (error, outlier, rare))
    return Anomalies(f"records, {layout}", "json", "Which orders are out of the ordinary?", text, odd)


def _record(number: int, draw: Callable[[], float]) -> dict[str, Any]:
    area = _of(_AREAS, draw)
    return {
        "id": f"ord-{number:05d}-{int(draw() * 0xFFFFFF):06x}",
        "placed_at": f"2026-03-{1 + number % 28:02d}T{number % 24:02d}:{int(draw() * 60):02d}:{number % 60:02d}Z",
        "state": ("settled", "shipped", "packed")[int(draw() * 3)],
        "channel": ("web", "app", "phone", "store")[int(draw() * 4)],
        "duration_ms": 40 + int(draw() * 160),
        "customer": {"id": int(draw() * 90_000), "city": ("Lyon", "Porto", "Graz", "Turku", "Gdansk")[int(draw() * 5)]},
        "items": [
            {"sku": f"{area}-{int(draw() * 9_000):04d}", "quantity": 1 + int(draw() * 4), "cents": int(draw() * 20_000)}
            for _ in range(3)
        ],
        "note": f"{_of(_WORDS, draw)} {_of(_THINGS, draw)}, then {_of(_WORDS, draw)} {_of(_THINGS, draw)}",
        "trace": [f"{int(draw() * 2**52):013x}{int(draw() * 2**52):013x}" for _ in range(3)],
        "carrier": {"name": ("post", "courier", "pickup")[int(draw() * 3)], "weight_grams": 50 + int(draw() * 4_000)},
        "error": None,
    }


def search_hits(seed: int = 0) -> Anomalies:
    draw = random.Random(seed).random
    files = [f"services/{area}/{thing}_{word}.py" for area in _AREAS for thing in _THINGS for word in _WORDS]
    lines: list[str] = []
    for place, path in enumerate(files):
        line = 0
        for _ in range(SIZE // len(files) // 88):
            line += 3 + int(draw() * 40)
            call = f"client.fetch({_of(_THINGS, draw)}, timeout=self.timeout)"
            lines.append(f"{path}:{line}:        {_of(_THINGS, draw)} = {call}")
        if place == int(len(files) * 0.37) or place == int(len(files) * 0.68):
            lines.append(
                f"{path}:{line + 2}:        timeout = None  # waits for ever: the upstream never answers in time"
                if place < len(files) // 2
                else f'{path}:{line + 9}:    raise RuntimeError("timeout must not be 0 outside of tests")'
            )
    odd = tuple(line for line in lines if "timeout=self.timeout" not in line)
    question = "Where is the timeout set to something unusual?"
    return Anomalies("two odd hits", "grep", question, "\n".join(lines) + "\n", odd)


def _of(words: tuple[str, ...], draw: Callable[[], float]) -> str:
    return words[int(draw() * len(words))]


def all_of_them(seed: int = 0) -> list[Anomalies]:
    layouts: tuple[Layout, ...] = ("one line", "pretty", "ndjson")
    return [test_run(seed), *(records(seed, layout) for layout in layouts), search_hits(seed)]
