"""Every kind, on content of its own and of any other kind: what it chooses keeps the laws.

A kind is tested by being in the list. What it chooses well is in a file of its own.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hurtful import collected, logs, safe_cuts, whole_contents
from core.reduce.materials import MATERIALS
from penstock.core.content import Content, Span, content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size, measure
from penstock.core.policy import Policy
from penstock.core.reduce import KINDS, reducer_for, sample_of
from penstock.core.reduce.contract import Ask, Choice, EffortSpent, Reducer, Room
from strategies import texts

QUERIES = ("", "why did the test of the pump fail?", "Details of order 17", "def set_valve, pressure=42")

contents = (
    whole_contents
    | collected()
    | logs.map(str.encode).map(content_of_bytes)
    | st.sampled_from([content_of_bytes(text.encode()) for text in MATERIALS.values()])
)
_size = st.none() | st.integers(0, 200) | st.integers(0, 5_000)
rooms = st.builds(Room, _size, st.none() | st.integers(0, 60), _size, st.just(Size(20, 1, 20)), st.just(0.5))

corpus = Path(__file__).parents[4] / "shared" / "bench" / "items"
# A few of each kind are read in every run; all of them on request.
ITEMS = [
    path
    for folder in (sorted(corpus.iterdir()) if corpus.is_dir() else [])
    for path in sorted(folder.iterdir(), key=lambda path: path.stat().st_size)[
        : None if os.environ.get("PENSTOCK_ALL_ITEMS") else 3
    ]
]


def check(content: Content, choice: Choice) -> None:
    """In order, apart, none empty, within the content; a layout holds parts of its spans, in order."""
    place = -1
    for start, stop in choice.spans:
        assert start < stop <= len(content.data)
        assert place < start or (place == start and content.holes_within(place, start))
        place = stop
    assert all(0 <= index <= len(choice.spans) and tally.many > 0 for index, tally in choice.hidden.items())
    if choice.parts is None:
        assert choice.layout == "verbatim"
        return
    assert choice.layout != "verbatim"
    assert len(choice.parts) == len(choice.spans)
    for span, parts in zip(choice.spans, choice.parts, strict=True):
        inner = [part for part in parts if isinstance(part, Span)]
        assert all(span.start <= part.start < part.stop <= span.stop for part in inner)
        assert all(a.stop <= b.start for a, b in pairwise(inner))
        text = "".join(p if isinstance(p, str) else content.text(p) for p in parts)
        assert text.endswith("\n")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@given(contents, rooms, st.sampled_from(QUERIES) | texts(), st.booleans())
@settings(max_examples=120)
def test_choice_of_a_kind_is_in_order_and_apart(
    kind: Reducer, content: Content, room: Room, query: str, compact: bool
) -> None:
    ask = Ask(query, compact=compact and not content.holes)
    plan = kind.reduce(content, ask)
    choice = plan.choose(room)
    check(content, choice)
    assert compact or choice.layout == "verbatim"
    assert choice.layout in ("verbatim", plan.layout)
    assert not choice.shown or len(choice.shown) == len(plan.totals)
    assert all(0 <= n <= tally.many for n, tally in zip(choice.shown, plan.totals, strict=False))
    assert plan.choose(room) == choice == kind.reduce(content, Ask(query, compact=ask.compact)).choose(room)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@given(contents, rooms)
@settings(max_examples=60)
def test_choice_of_a_kind_is_cut_at_whole_units(kind: Reducer, content: Content, room: Room) -> None:
    cuts = safe_cuts(content.data) | {0, len(content.data)} | {hole.place for hole in content.holes}
    assert {place for span in kind.reduce(content, Ask()).choose(room).spans for place in span} <= cuts


# A kind is asked every question of its own material, and one of that of others.
ASKED = [
    pytest.param(kind, name, query, id=f"{kind.name}-{name}-{number}")
    for kind in KINDS
    for name in MATERIALS
    for number, query in enumerate(QUERIES if name.startswith(f"{kind.name}:") else QUERIES[1:2])
]


@pytest.mark.parametrize(("kind", "name", "query"), ASKED)
def test_view_of_a_kind_is_within_its_limits_and_uses_them(kind: Reducer, name: str, query: str) -> None:
    content = content_of_bytes((MATERIALS[name] * (1 + 40_000 // len(MATERIALS[name]))).encode())
    for limits in (Limits(chars=4_000), Limits(lines=40, bytes=6_000), Limits(tokens=900), Limits(chars=300)):
        view = bound(Case(content, Policy(limits), "chars", query=query))
        size = measure(view.text)
        assert size.over(limits) is None
        hidden = sum(gap.stop - gap.start for gap in view.gaps)
        assert hidden + sum(stop - start for start, stop in view.spans) == len(content.data)
        if limits.chars == 4_000:
            assert size.chars > 2_800, "most of the room is used"


@pytest.mark.parametrize("path", ITEMS, ids=lambda path: path.stem)
def test_real_output_is_shown_within_its_limits(path: Path) -> None:
    data = path.read_bytes()
    content = content_of_bytes(data)
    reducer = reducer_for("auto", content, "text")
    check(content, reducer.reduce(content, Ask("why?")).choose(Room(4_000, None, None, Size(20, 1, 20))))
    for chars in (600, 8_000, 32_000):
        view = bound(Case(content, Policy(Limits(chars=chars)), "chars", query="why did it fail?"))
        assert len(view.text) <= chars
        assert len(data) < 2 * chars or len(view.text) > chars // 2
        place = 0
        for start, stop in sorted([*view.spans, *((gap.start, gap.stop) for gap in view.gaps)]):
            assert place == start < stop
            place = stop
        assert place == len(data)


@pytest.mark.skipif(not corpus.is_dir(), reason="the corpus of real outputs is not here (../shared/bench)")
def test_corpus_of_real_outputs_was_read() -> None:
    assert ITEMS


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind_fits_its_sample_between_none_and_all(kind: Reducer) -> None:
    for text in (*MATERIALS.values(), "", "\0" * 99, "\n" * 99, "[" * 99, "{" * 99, '"' * 99):
        assert 0 <= kind.fit(sample_of(content_of_bytes(text.encode()), "text")) <= 1


@pytest.mark.parametrize("name", [name for name, kind in MATERIALS.items()])
def test_content_is_taken_for_its_kind(name: str) -> None:
    kind = name.split(":")[0]
    if kind not in {kind.name for kind in KINDS}:
        pytest.skip(f"no kind {kind} yet")
    assert reducer_for("auto", content_of_bytes(MATERIALS[name].encode()), "text").name == kind


HOSTILE = {
    "newlines": b"\n" * 2_000_000,
    "records": b"[" + b"1," * 1_000_000 + b"1]",
    "nesting": b"[" * 1_000_000,
    "objects": b'{"a":' * 300_000,
    "quotes": b'"' * 1_000_000,
    "open quote": b'a,"' + b"b,c\n" * 400_000,
    "one line": b"x" * 3_000_000,
    "words": b"error " * 400_000,
    "tags": b"<a>" * 500_000,
    "open tag": b"<" * 1_000_000,
    "hunks": b"@@ -1 +1 @@\n" * 200_000,
    "hits": b"a:1:\n" * 300_000,
    "pipes": b"|" * 1_000_000,
    "commas": b"," * 1_000_000,
    "returns": b"50%\r" * 400_000,
    "escapes": b"\x1b[1m" * 400_000,
    "spaces": b" " * 2_000_000,
    "commands": b"\n\n$ " * 300_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_content_costs_no_more_than_its_size(kind: Reducer, name: str) -> None:
    import time

    content = content_of_bytes(HOSTILE[name])
    began = time.process_time()
    try:
        choice = kind.reduce(content, Ask("error 17 pressure")).choose(Room(8_000, None, None, Size(20, 1, 20)))
        check(content, choice)
    except EffortSpent:
        pass
    # Some hundred times what is allowed for ordinary content: what is not linear takes minutes.
    assert time.process_time() - began < 15
