"""The ten laws of docs/design.md, each over generated inputs that hurt and over real tool outputs."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import wcwidth
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penstock.core.limits import UNITS, Limits
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.core.view import View
from penstock.errors import StoreError
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.stores.contract import Store
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import (
    BreakingStore,
    BrokenStore,
    Fourths,
    as_json,
    assert_text_within,
    assert_within,
    bench_items,
    byte_strings,
    content_blocks,
    envelopes,
    json_values,
    limits,
    line_count,
    outputs,
    pieces_of,
    policies,
    roomy_limits,
    spread,
    texts,
    utf8_size,
    whole,
)

anything = st.one_of(texts(), byte_strings(), json_values, envelopes(), content_blocks())
FULL_GUARD = Limits(chars=100_000)


def gate_for(policy: Policy | None = None, store: Store | None = None) -> BareGate:
    """A gate whose guard leaves the limits that a test gives as they are."""
    rules = PlainRules(policy=policy or Policy(), guard=FULL_GUARD)
    return BareGate(rules=rules, store=store or MemoryStore(), ledger=MemoryLedger())


def raw(output: str | bytes) -> bytes:
    return output.encode("utf-8", "surrogatepass") if isinstance(output, str) else output


def through_json(value: Any) -> Any:
    """For two halves of a surrogate pair, one after the other, JSON has no other form than for the pair."""
    return json.loads(json.dumps(value))


def kept_bytes(gate: BareGate, view: View) -> bytes:
    assert gate.store is not None
    assert view.handle is not None
    return gate.store.read(view.handle, 0, gate.store.stat(view.handle).size)


# -- 1. the bound holds ------------------------------------------------------------------------------------------------


@given(anything, limits(), policies, st.booleans())
@settings(max_examples=300)
def test_law_1_all_that_a_model_sees_is_within_every_limit(
    output: Any, bounds: Limits, policy: Policy, envelope: bool
) -> None:
    view = gate_for(policy).admit(output, limits=bounds, envelope=envelope, query="error in line 12")
    assert_within(view, bounds)
    assert (len(view.text), utf8_size(view.text)) == (view.size.chars, view.size.bytes)


@given(outputs, limits(), policies)
def test_law_1_envelope_that_is_asked_for_afterwards_is_within_the_limits(
    output: Any, bounds: Limits, policy: Policy
) -> None:
    view = gate_for(policy).admit(output, limits=bounds)
    assume(view.truncated)
    envelope = view.envelope()
    assert envelope["status"] == "partial"
    if envelope != {"status": "partial"}:  # less than that is no envelope
        assert_text_within(as_json(envelope), bounds)


@given(outputs, limits())
def test_law_1_capture_is_within_every_limit(output: str | bytes, bounds: Limits) -> None:
    assert_within(gate_for(Policy(counter=Fourths())).capture([output], limits=bounds), bounds)


@given(st.lists(st.tuples(anything, st.sampled_from(["Bash", "read_file"])), max_size=5), roomy_limits())
def test_law_1_turn_is_within_its_budget(results: list[tuple[Any, str]], budget: Limits) -> None:
    views = gate_for().turn(results, budget=budget)
    assert budget.chars is None or sum(len(view.text) for view in views) <= budget.chars
    assert budget.lines is None or sum(view.size.lines for view in views) <= budget.lines


@given(outputs, limits(), st.integers(1, 3_000), st.sampled_from(["lines", "bytes"]), st.sampled_from(["head", "tail"]))
def test_law_1_page_is_within_every_limit(output: Any, bounds: Limits, at: int, unit: Any, direction: Any) -> None:
    gate = gate_for()
    view = gate.admit(output, limits=Limits(bytes=max(1, len(raw(output)) - 1)))
    assume(view.handle is not None)
    assert view.handle is not None
    page = gate.read(view.handle, start=at, offset=at if unit == "bytes" else None, direction=direction, limits=bounds)
    assert_text_within(page.text, _without_tokens(bounds))
    assert bounds.tokens is None or gate.rules.policy.counter.count(page.text) <= bounds.tokens
    hits = gate.grep(view.handle, "[a-z]", limits=bounds, context=at % 4)
    assert_text_within(hits.text, _without_tokens(bounds))


def _without_tokens(bounds: Limits) -> Limits:
    return Limits(bounds.chars, bounds.lines, bounds.bytes)


# -- 2. nothing is lost ------------------------------------------------------------------------------------------------


@given(outputs, limits(), policies)
def test_law_2_what_is_kept_are_the_bytes_that_came(output: str | bytes, bounds: Limits, policy: Policy) -> None:
    gate = gate_for(policy)
    view = gate.admit(output, limits=bounds)
    assert (view.handle is not None) == view.truncated
    if view.truncated:
        assert kept_bytes(gate, view) == raw(output)


@given(st.one_of(json_values, envelopes()), limits())
def test_law_2_kept_json_is_the_value_that_came(value: Any, bounds: Limits) -> None:
    gate = gate_for()
    view = gate.admit(value, limits=bounds)
    if view.truncated and view.handle and not isinstance(value, str):
        assert json.loads(kept_bytes(gate, view)) == through_json(value)


@given(byte_strings(), limits())
@settings(max_examples=25)
def test_law_2_file_on_disk_holds_the_bytes_that_came(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, bounds: Limits
) -> None:
    store = DiskStore(tmp_path_factory.mktemp("kept"), durability="none")
    view = gate_for(store=store).admit(data, limits=bounds)
    if view.truncated:
        assert view.path is not None
        assert Path(view.path).read_bytes() == data
    store.close()


# -- 3. no empty promise -----------------------------------------------------------------------------------------------


@given(anything, limits(), policies, st.sampled_from([BrokenStore(), BreakingStore(), None]))
def test_law_3_what_could_not_be_kept_is_not_promised(
    output: Any, bounds: Limits, policy: Policy, store: Store | None
) -> None:
    ledger = MemoryLedger()
    gate = BareGate(rules=PlainRules(policy=policy), store=store, ledger=ledger)
    view = gate.admit(output, limits=bounds)
    assume(view.truncated)
    assert (view.handle, view.path) == (None, None)
    assert view.failure
    assert ledger.totals()[0].failed == 1
    shown = _without_spans(view, output)
    assert "ps-" not in shown
    assert "read_output" not in shown
    with pytest.raises(StoreError):
        gate.admit(output, limits=bounds, strict=True)


@given(texts(), roomy_limits(), policies)
def test_law_3_notice_names_only_what_its_reader_can_use(text: str, bounds: Limits, policy: Policy) -> None:
    view = gate_for(policy).admit(text, limits=bounds)
    assume(view.truncated)
    shown = _without_spans(view, text)
    assert ("read_output" in shown) <= (policy.reader == "penstock")
    assert ("ps-" in shown) <= (policy.reader in ("penstock", "cli"))
    assert "tool_2" not in shown  # a store in memory has no files


def _without_spans(view: View, output: Any) -> str:
    """What of a view's text is not the output's own."""
    if not isinstance(output, str | bytes) or _laid_out(view):
        assume("ps-" not in repr(output))  # what an input says itself is not promised
        return view.text
    text, place = view.text, 0
    for piece in _pieces(view, raw(output), output):
        at = text.index(piece, place)
        text = text[:at] + text[at + len(piece) :]
        place = at
    return text


def _laid_out(view: View) -> bool:
    """Whether a view says that it is not verbatim."""
    return re.search("ayout changed|排版已变", view.text) is not None


def _pieces(view: View, data: bytes, output: str | bytes) -> Iterator[str]:
    errors = "surrogatepass" if isinstance(output, str) else "replace"
    for span in view.spans:
        yield data[span.start : span.stop].decode("utf-8", errors)


# -- 4. under the limit means untouched --------------------------------------------------------------------------------


@given(outputs, limits(tokens=False), policies)
def test_law_4_what_fits_is_the_same_and_is_not_kept(output: str | bytes, bounds: Limits, policy: Policy) -> None:
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    lines = len(text.split("\n")) - (text.split("\n")[-1] == "")
    fits = (
        (bounds.chars is None or len(text) <= bounds.chars)
        and (bounds.lines is None or lines <= bounds.lines)
        and (bounds.bytes is None or utf8_size(text) <= bounds.bytes)
    )
    gate = gate_for(policy)
    view = gate.admit(output, limits=bounds)
    assert view.truncated is not fits
    if fits:
        assert view.text == text
        assert bytes(view) == raw(output)
        assert list(gate.records()) == []


@given(outputs, policies, st.sampled_from(UNITS), st.booleans())
def test_law_4_limit_that_is_just_met_touches_nothing_and_one_less_does(
    output: str | bytes, policy: Policy, unit: str, envelope: bool
) -> None:
    def admitted(most: int) -> View:
        return gate_for(policy).admit(output, limits=Limits(**{unit: most}), envelope=envelope)

    text = gate_for(policy).admit(output, limits=Limits(), envelope=envelope).text
    size = {"chars": len, "lines": line_count, "bytes": utf8_size, "tokens": policy.counter.count}[unit](text)
    assume(size > 1)
    assert admitted(size).text == text
    assert not admitted(size).truncated
    assert admitted(size - 1).truncated


@given(anything)
def test_law_4_without_limits_nothing_is_touched(output: Any) -> None:
    gate = gate_for()
    view = gate.admit(output, limits=Limits())
    assert not view.truncated
    assert list(gate.records()) == []
    if isinstance(output, str | bytes):
        assert bytes(view) == raw(output)
    elif view.form != "blocks":
        assert json.loads(view.text) == through_json(output)


# -- 5. honest gaps ----------------------------------------------------------------------------------------------------


def assert_honest(view: View, data: bytes, errors: str) -> None:
    """Shown and hidden are the whole, in order, and each gap says where it is."""
    place = 0
    ranges = sorted([*((s.start, s.stop, None) for s in view.spans), *((g.start, g.stop, g) for g in view.gaps)],
                    key=lambda entry: (entry[0], entry[1]))  # fmt: skip
    for start, stop, gap in ranges:
        assert start == place
        assert stop >= start
        place = stop
        if gap is None:
            continue
        hidden = data[start:stop]
        assert gap.first_line == data[:start].count(b"\n") + 1
        assert gap.newlines == hidden.count(b"\n")
        assert gap.last_line == gap.first_line + gap.newlines - hidden.endswith(b"\n")
        at_line_start = start == 0 or data[start - 1 : start] == b"\n"
        at_line_end = hidden.endswith(b"\n") or stop == len(data)
        assert gap.whole_lines == (at_line_start and at_line_end)
    assert place == len(data)
    if _laid_out(view):
        return  # it says that it is not verbatim; what it must show all the same is tested with each layout
    at = 0
    for span in view.spans:
        piece = data[span.start : span.stop].decode("utf-8", errors)
        at = view.text.index(piece, at) + len(piece)


@given(outputs, limits(), policies)
@settings(max_examples=300)
def test_law_5_shown_and_hidden_are_the_whole(output: str | bytes, bounds: Limits, policy: Policy) -> None:
    view = gate_for(policy).admit(output, limits=bounds, query="error 12")
    assume(view.truncated)
    assert_honest(view, raw(output), "surrogatepass" if isinstance(output, str) else "replace")


@given(
    st.integers(200, 2_000),
    st.lists(st.integers(0, 2_000), max_size=5),
    roomy_limits(),
    st.sampled_from(["auto", "head", "tail", "head_tail"]),
)
def test_law_5_every_gap_is_marked_with_its_lines_and_errors(
    count: int, bad: list[int], bounds: Limits, strategy: Any
) -> None:
    lines = [f"{n}: error: bad\n" if n in bad else f"{n}: fine and dandy, all is well\n" for n in range(1, count + 1)]
    view = gate_for().admit("".join(lines), limits=bounds, strategy=strategy)
    assume(view.truncated)
    marks = [mark.replace(",", "") for mark in re.findall(r"\[\.\.\. ([0-9].*?)\]", view.text)]
    assert len(marks) == len([gap for gap in view.gaps if gap.whole_lines])
    for mark, gap in zip(marks, (gap for gap in view.gaps if gap.whole_lines), strict=True):
        first, last = gap.first_line, gap.last_line
        assert mark.startswith(f"{first}-{last}" if first != last else f"{first}")
        errors = sum(n in bad for n in range(first, last + 1))
        assert (f"{errors} error" in mark) is bool(errors)


# -- 6. whole units ----------------------------------------------------------------------------------------------------

_CSI = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")


def assert_whole_units(view: View, data: bytes) -> None:
    inner = {place for span in view.spans for place in (span.start, span.stop)} - {0, len(data)}
    if not inner:
        return
    for place in inner:
        assert data[place - 1 : place + 1] != b"\r\n"
    for escape in _CSI.finditer(data):
        assert not any(escape.start() < place < escape.end() for place in inner)
    # A byte of no character becomes one U+FFFD, which is a unit of its own.
    text = re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))
    boundaries, place = {0}, 0
    widths = [len(c.encode("utf-8", "surrogateescape")) for c in data.decode("utf-8", "surrogateescape")]
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width)
    for cluster in wcwidth.iter_graphemes(text):
        place += len(cluster)
        boundaries.add(starts[place])
    assert inner <= boundaries


@given(texts(4_000).filter(lambda text: "\udcff" not in text and "\ud800" not in text), limits(), policies)
def test_law_6_no_cut_is_inside_a_unit(text: str, bounds: Limits, policy: Policy) -> None:
    view = gate_for(policy).admit(text.replace("\ud83d", ""), limits=bounds)
    assume(view.truncated)
    assert_whole_units(view, raw(text.replace("\ud83d", "")))


@given(st.one_of(json_values, envelopes(), texts()), limits(), policies)
def test_law_6_envelope_that_is_cut_parses(output: Any, bounds: Limits, policy: Policy) -> None:
    view = gate_for(policy).admit(output, limits=bounds, envelope=True)
    if view.text:
        shown = json.loads(view.text)
        assert shown["status"] in ("success", "partial", "error")


# -- 7. same in, same out ----------------------------------------------------------------------------------------------


@given(anything, limits(), policies, st.sampled_from(["", "error in line 12"]))
def test_law_7_same_input_has_the_same_view_in_every_gate(
    output: Any, bounds: Limits, policy: Policy, query: str
) -> None:
    first = gate_for(policy)
    views = [gate.admit(output, limits=bounds, query=query) for gate in (first, first, gate_for(policy))]
    assert views[0] == views[1] == views[2]


# -- 8. every byte is reachable ----------------------------------------------------------------------------------------


@given(outputs, roomy_limits(), st.integers(1, 400))
def test_law_8_pages_follow_one_another_through_every_byte(output: str | bytes, bounds: Limits, limit: int) -> None:
    gate = gate_for()
    data = raw(output)
    view = gate.admit(output, limits=Limits(bytes=max(1, len(data) // 2)))
    assume(view.handle is not None)
    assert view.handle is not None
    follow: dict[str, Any] | None = {"start": 1}
    read = b""
    while follow is not None:
        page = gate.read(view.handle, **follow, limit=limit, limits=bounds)
        assert page.start == len(read)
        assert page.data, "a page goes on"
        read += page.data
        follow = page.next
    assert read == data
    assert len(list(gate.records())) == 1


@given(outputs, limits(tokens=False), st.integers(0, 12_000))
def test_law_8_any_byte_can_be_asked_for(output: str | bytes, bounds: Limits, at: int) -> None:
    gate = gate_for()
    data = raw(output)
    view = gate.admit(output, limits=Limits(bytes=max(1, len(data) // 2)))
    assume(view.handle is not None and at < len(data))
    assert view.handle is not None
    page = gate.read(view.handle, unit="bytes", offset=at, limits=bounds)
    assert page.data == data[page.start : page.stop]
    assert page.start == at
    least = bounds.chars is None or bounds.chars >= 1
    widest = bounds.bytes is None or bounds.bytes >= 3
    assert page.data or not (least and widest)


@given(outputs, st.integers(0, 12_000), st.integers(1, 30), st.integers(0, 3))
def test_law_8_whatever_is_there_is_found(output: str | bytes, at: int, length: int, context: int) -> None:
    gate = gate_for()
    data = raw(output)
    view = gate.admit(output, limits=Limits(bytes=max(1, len(data) // 2)))
    assume(view.handle is not None)
    assert view.handle is not None
    wanted = data[at : at + length].split(b"\n")[0]
    assume(wanted)
    try:
        needle = wanted.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        assume(False)
    hits = gate.grep(view.handle, needle, fixed=True, limit=5_000, context=context, limits=Limits(chars=200_000))
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if wanted in line]
    assert [hit.line for hit in hits.hits] == lines[: len(hits.hits)]
    assert len(hits.hits) == len(lines) or not hits.complete
    assert hits.hits
    for hit in hits.hits:
        assert data[hit.start : hit.stop] == wanted


@given(texts(6_000), limits(tokens=False))
def test_law_8_what_is_unseen_gets_less_until_nothing_is_left(text: str, bounds: Limits) -> None:
    gate = gate_for()
    handle = gate.admit(text, limits=Limits(chars=max(1, len(text) // 2))).handle
    assume(handle is not None)
    assert handle is not None
    assert gate.ledger is not None
    for _ in range(80):
        shown = gate.unseen(handle, limits=bounds)
        assert_text_within(shown.text, bounds)
        if not shown.truncated:
            break
    if bounds.lines is None and min(bounds.chars or 9_999, bounds.bytes or 9_999) > 500:
        assert gate.ledger.shown(handle) == [(0, len(raw(text)))]


# -- 9. fed in pieces equals fed at once -------------------------------------------------------------------------------


@given(outputs, limits(), policies, st.lists(st.integers(0, 12_000), max_size=12))
def test_law_9_any_split_gives_the_view_of_the_whole(
    output: str | bytes, bounds: Limits, policy: Policy, cuts: list[int]
) -> None:
    at_once, in_pieces = gate_for(policy), gate_for(policy)
    view = at_once.admit(output, limits=bounds, query="error 12")
    with in_pieces.open(limits=bounds, query="error 12") as capture:
        for piece in pieces_of(output, cuts):
            capture.write(piece)
    assume(capture.size)  # of nothing it is not known whether it is text or bytes
    assert _told(capture.view) == _told(view)
    if view.truncated:
        assert kept_bytes(in_pieces, capture.view) == kept_bytes(at_once, view)


def _told(view: View) -> tuple[Any, ...]:
    return (
        view.text, view.handle, view.spans, view.gaps, view.reason, view.size, view.original, view.truncation,
        bytes(view), view.form, view.kind, view.tokens,
    )  # fmt: skip


# -- 10. linear time ---------------------------------------------------------------------------------------------------

SLOW = {
    "lines": b"2026-01-01 12:00:00 INFO a line of a log that says what it does\n",
    "errors": b"src/app.py:12: error: no such name\n",
    "newlines": b"\n",
    "one long line": b"0123456789abcdef",
    "carriage returns": b"\r 10 %",
    "escapes": b"\x1b[31mred\x1b[0m ",
    "half an escape": b"\x1b]8;;",
    "emoji": "👩\u200d👩\u200d👧\u200d👦".encode(),
    "flags": "🇩🇪".encode(),
    "marks": "\u0301".encode(),
    "conjuncts": "\u0915\u094d".encode(),
    "no utf-8": b"\xff\xe4",
    "json": b'{"a": [1, 2, {"b": "c"}]},\n',
    "zeros": b"\x00",
}


@pytest.mark.parametrize("strategy", ["auto", "head_tail"])
@pytest.mark.parametrize("kind", SLOW)
def test_law_10_four_times_as_much_takes_at_most_about_four_times_as_long(kind: str, strategy: Any) -> None:
    def seconds(size: int) -> float:
        data = SLOW[kind] * (size // len(SLOW[kind]))
        best = 1e9
        for _ in range(3):
            gate = BareGate()
            began = time.process_time()  # not what other processes took meanwhile
            gate.admit(data, strategy=strategy, query="error in app.py")
            best = min(best, time.process_time() - began)
        return best

    small, large = seconds(250_000), seconds(1_000_000)
    # Twice the linear cost and a floor: a shared machine is slow at times, and a quadratic cost is 16 times as much.
    assert large <= 8 * max(small, 0.005)


# -- all of them over real outputs -------------------------------------------------------------------------------------

ITEMS = bench_items(os.environ)
FILES = spread(sorted(ITEMS.glob("*/*")), 60) if ITEMS.is_dir() else []
REAL_LIMITS = [Limits(lines=2_000, bytes=51_200), Limits(chars=8_000), Limits(chars=600, lines=12, bytes=700)]


@pytest.mark.skipif(not FILES, reason=f"there are no real outputs in {ITEMS}; PENSTOCK_BENCH names another place")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:40])
def test_laws_hold_over_a_real_output(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    gate = gate_for(store=DiskStore(tmp_path / "kept", durability="none"))
    for bounds in REAL_LIMITS:
        view = gate.admit(data, limits=bounds, query="why did it fail?")
        assert_within(view, bounds)
        assert _told(view) == _told(gate_for(store=gate.store).admit(data, limits=bounds, query="why did it fail?"))
        step = 1 + len(data) // 7
        pieces = (data[at : at + step] for at in range(0, len(data), step))
        assert _told(gate.capture(pieces, limits=bounds, query="why did it fail?")) == _told(view)
        if not view.truncated:
            assert bytes(view) == data
            continue
        assert_honest(view, data, "replace")
        if len(data) < 300_000:
            assert_whole_units(view, data)
        assert view.handle is not None
        assert view.path is not None
        assert Path(view.path).read_bytes() == data
        store = gate.store
        assert store is not None
        assert whole(partial(store.read, view.handle), len(data), 100_000) == data
        envelope = view.envelope()
        assert envelope == {"status": "partial"} or assert_text_within(as_json(envelope), bounds) is None
        page = gate.read(view.handle, start=5, limits=bounds)
        assert_text_within(page.text, bounds)
        assert page.data in data
    assert len(list(gate.records())) <= 1
    gate.close()
