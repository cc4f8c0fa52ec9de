"""The gate: what passes, what is kept, what is said when keeping fails, and who is told."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.errors import (
    CallerError,
    HandleError,
    LimitError,
    PatternError,
    ResultError,
    StoreError,
    UnknownHandle,
)
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import SqliteLedger
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import (
    BreakingStore,
    BrokenLedger,
    BrokenStore,
    Clock,
    Fourths,
    assert_text_within,
    assert_within,
)

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 3_001))
SMALL = Limits(chars=1_000)


def rules(**options: Any) -> PlainRules:
    return PlainRules(policy=Policy(**options))


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def gate(ledger: MemoryLedger) -> BareGate:
    return BareGate(store=MemoryStore(), ledger=ledger)


def kept(gate: BareGate) -> list[str]:
    return [record.handle for record in gate.records()]


# -- what fits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["", "short", "two\nlines\n", "lone \ud800 surrogate", "\x00\r\n"])
def test_text_that_fits_passes_untouched_and_is_not_kept(gate: BareGate, output: str) -> None:
    view = gate.admit(output)
    assert (view.text, view.reason, view.form, view.handle) == (output, "fits", "text", None)
    assert kept(gate) == []


def test_bytes_that_fit_keep_what_is_not_utf8(gate: BareGate) -> None:
    view = gate.admit(b"caf\xe9\n")
    assert view.text == "caf\ufffd\n"
    assert bytes(view) == b"caf\xe9\n"


@pytest.mark.parametrize("value", [{"a": [1, None]}, [1, 2], 3, None, True, 0.5, (1, "x"), {"k": b"bytes"}])
def test_value_that_fits_is_shown_as_compact_json(gate: BareGate, value: Any) -> None:
    view = gate.admit(value)
    assert view.form == "json"
    assert json.loads(view.text) == json.loads(json.dumps(value, default=lambda raw: "Ynl0ZXM="))
    assert " " not in view.text


@pytest.mark.parametrize("output", [object(), {1j: 2}, lambda: 0, float("nan") * 1j])
def test_value_without_a_json_form_is_refused_as_the_callers_fault(gate: BareGate, output: Any) -> None:
    with pytest.raises(ResultError):
        gate.admit(output)


def test_memoryview_and_bytearray_are_bytes(gate: BareGate) -> None:
    assert bytes(gate.admit(bytearray(b"ab"))) == bytes(gate.admit(memoryview(b"ab"))) == b"ab"


# -- what does not -----------------------------------------------------------------------------------------------------


def test_log_over_the_limit_is_kept_whole_and_shown_within_it(gate: BareGate, ledger: MemoryLedger) -> None:
    view = gate.admit(LOG, tool="Bash", limits=SMALL)
    assert_within(view, SMALL)
    assert view.reason == "chars"
    assert view.handle is not None
    assert view.handle in view.text
    assert gate.store is not None
    assert gate.store.read(view.handle, 0, len(LOG)) == LOG.encode()
    [event] = ledger.recent()
    assert event.what.tool == "Bash"
    assert event.what.handle == view.handle


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(chars=1_000, lines=10), "chars"),
        (Limits(lines=10, bytes=1_000), "lines"),
        (Limits(bytes=1_000), "bytes"),
        (Limits(tokens=300), "tokens"),
    ],
)
def test_reason_is_the_first_limit_that_was_exceeded(gate: BareGate, limits: Limits, reason: str) -> None:
    assert gate.admit(LOG, limits=limits).reason == reason


def test_reason_is_true_where_only_the_envelope_makes_it_too_long(gate: BareGate) -> None:
    view = gate.admit("x" * 980, limits=Limits(chars=1_000), envelope=True)
    assert view.reason == "chars"
    assert_within(view, SMALL)


def test_json_is_kept_indented_so_that_it_can_be_paged(gate: BareGate) -> None:
    value = {"rows": [{"id": number, "name": f"row {number}"} for number in range(500)]}
    view = gate.admit(value, limits=SMALL)
    assert_within(view, SMALL)
    assert view.handle is not None
    assert gate.store is not None
    record = gate.store.stat(view.handle)
    assert record.media == "json"
    assert record.newlines > 500
    assert json.loads(gate.store.read(view.handle, 0, record.size)) == value


def test_value_stays_a_value_and_the_whole_is_kept(gate: BareGate, ledger: MemoryLedger) -> None:
    value = {"rows": [{"id": number, "name": f"row {number}"} for number in range(500)], "next": None}
    bounded = gate.value(value, tool="query", query="row 317", limits=SMALL)
    assert len(bounded.text) <= 1_000
    assert json.loads(bounded.text) == bounded.value
    assert {"id": 317, "name": "row 317"} in bounded.value["rows"] and bounded.value["next"] is None
    assert bounded.handle is not None and gate.store is not None
    record = gate.store.stat(bounded.handle)
    assert json.loads(gate.store.read(bounded.handle, 0, record.size)) == value and record.newlines > 500
    [event] = ledger.recent()
    assert (event.what.tool, event.what.kind, event.what.reason) == ("query", "value", "chars")  # type: ignore[union-attr]


def test_value_that_fits_is_not_kept(gate: BareGate, ledger: MemoryLedger) -> None:
    value = [1, {"a": "b"}]
    assert gate.value(value).value is value
    assert kept(gate) == []
    assert gate.value("word " * 900, limits=Limits(tokens=50)).handle
    assert [event.what.reason for event in ledger.recent()] == ["tokens", "fits"]  # type: ignore[union-attr]


@pytest.mark.parametrize("store", [BrokenStore(), None])
def test_value_that_cannot_be_kept_promises_nothing(store: Any) -> None:
    ledger = MemoryLedger()
    gate = BareGate(store=store, ledger=ledger)
    bounded = gate.value(list(range(5_000)), limits=SMALL)
    assert (bounded.handle, bounded.path) == (None, None) and bounded.failure
    assert ledger.totals()[0].failed == 1
    with pytest.raises(StoreError):
        gate.value(list(range(5_000)), limits=SMALL, strict=True)


def test_limits_of_a_call_stand_in_for_those_of_the_tool(gate: BareGate) -> None:
    assert gate.policy("read_file").limits == Limits(chars=5_000, lines=200, bytes=51_200)
    assert gate.policy("read_file", limits=Limits(chars=9_000)).limits == Limits(chars=9_000)


def test_agent_and_window_only_tighten_the_limits() -> None:
    gate = BareGate(rules=PlainRules(agents={"small": 500, "large": 90_000}, windows={"tiny": 4_000}), agent="small")
    assert gate.policy("x").limits.chars == 1_000  # 500 is raised to the least that is useful
    assert gate.policy("x", agent="large", limits=SMALL).limits.chars == 1_000
    assert gate.policy("x", agent="large", limits=Limits(bytes=10)).limits == Limits(chars=90_000, bytes=10)
    assert gate.policy("x", model="tiny").limits.tokens == 600
    assert gate.policy("x", model="tiny", used_tokens=3_000).limits.tokens == 250
    assert gate.policy("x").limits.tokens is None


def test_used_tokens_without_a_model_are_refused(gate: BareGate) -> None:
    with pytest.raises(CallerError, match="model"):
        gate.admit("x", used_tokens=10)


def test_unknown_agent_is_refused_when_the_gate_is_made() -> None:
    with pytest.raises(CallerError, match="nobody"):
        BareGate(agent="nobody")


def test_policies_of_names_that_a_model_makes_up_do_not_pile_up(gate: BareGate) -> None:
    for number in range(2_500):
        gate.admit("x", tool=f"tool{number}")
    assert len(gate._policies) <= 1_000


def test_summarize_without_a_model_says_that_it_shows_parts(gate: BareGate) -> None:
    assert "No summary" in gate.admit(LOG, limits=SMALL, strategy="summarize").text


# -- envelopes ---------------------------------------------------------------------------------------------------------

ENVELOPE = {
    "status": "success",
    "data": {"rows": list(range(2_000))},
    "text": "2000 rows",
    "stats": {"time_ms": 3},
    "context": {"cwd": "/x"},
    "error": None,
}


def test_envelope_over_the_limit_leaves_as_a_partial_envelope(gate: BareGate) -> None:
    view = gate.admit(ENVELOPE, limits=Limits(chars=2_000))
    shown = json.loads(view.text)
    assert view.envelope() == shown
    assert shown["status"] == "partial"
    assert shown["stats"] == ENVELOPE["stats"]
    assert shown["context"] == ENVELOPE["context"]
    assert shown["data"]["truncated"] is True
    assert shown["data"]["truncation"]["handle"] == view.handle
    assert_within(view, Limits(chars=2_000))


def test_envelope_of_an_error_stays_an_error(gate: BareGate) -> None:
    failed = {"status": "error", "text": LOG, "error": {"code": "E", "message": "it failed"}}
    shown = gate.admit(failed, limits=Limits(chars=2_000)).envelope()
    assert shown["status"] == "error"
    assert shown["error"] == failed["error"]


def test_envelope_that_asks_to_be_let_through_passes_whole(gate: BareGate, ledger: MemoryLedger) -> None:
    asking = {**ENVELOPE, "context": {"truncation_skip": True}}
    view = gate.admit(asking, limits=SMALL)
    assert view.reason == "skip"
    assert json.loads(view.text) == asking
    assert not view.truncated
    assert kept(gate) == []
    assert ledger.recent()[0].what.reason == "skip"  # type: ignore[union-attr]


def test_envelope_of_a_stranger_is_not_let_through() -> None:
    gate = BareGate(rules=rules(trust_skip=False), store=MemoryStore())
    view = gate.admit({**ENVELOPE, "context": {"truncation_skip": True}}, limits=SMALL)
    assert view.truncated
    assert_within(view, SMALL)


@pytest.mark.parametrize("output", [LOG, LOG.encode(), ENVELOPE["data"]])
def test_plain_output_can_be_asked_for_in_an_envelope(gate: BareGate, output: Any) -> None:
    view = gate.admit(output, limits=Limits(chars=2_000), envelope=True)
    assert view.form == "envelope"
    assert json.loads(view.text)["status"] == "partial"
    assert_within(view, Limits(chars=2_000))


# -- content blocks ----------------------------------------------------------------------------------------------------

IMAGE = {"type": "image", "data": "A" * 5_000, "mimeType": "image/png"}


def test_texts_of_blocks_are_bounded_together_and_an_image_passes(gate: BareGate) -> None:
    blocks = [{"type": "text", "text": LOG, "id": 1}, IMAGE, {"type": "text", "text": "the end"}]
    view = gate.admit(blocks, limits=SMALL)
    assert_within(view, SMALL)
    assert [block["type"] for block in view.blocks] == ["text", "image"]
    assert view.blocks[1] is IMAGE
    assert view.blocks[0]["id"] == 1
    assert blocks[0]["text"] == LOG
    assert view.handle is not None
    assert gate.store is not None
    assert gate.store.read(view.handle, 0, 10**6) == (LOG + "\nthe end").encode()


def test_blocks_that_fit_are_the_same_objects(gate: BareGate) -> None:
    blocks = [{"type": "text", "text": "small"}, IMAGE, {"type": "text", "text": "texts"}]
    view = gate.admit(blocks)
    assert not view.truncated
    assert all(new is old for new, old in zip(view.blocks, blocks, strict=True))


def test_image_over_its_own_limit_is_kept_and_named(ledger: MemoryLedger) -> None:
    gate = BareGate(rules=rules(media_bytes=1_000), store=MemoryStore(), ledger=ledger)
    view = gate.admit([{"type": "input_text", "text": "see"}, IMAGE, {"type": "input_text", "text": "that"}])
    assert view.truncated
    assert view.reason == "bytes"
    assert [block["type"] for block in view.blocks] == ["input_text"] * 3
    assert [view.blocks[0]["text"], view.blocks[2]["text"]] == ["see", "that"]
    [handle] = kept(gate)
    assert handle in view.blocks[1]["text"]
    assert "image/png" in view.blocks[1]["text"]
    assert gate.store is not None
    assert json.loads(gate.store.read(gate.store.stat(handle).handle, 0, 10**5)) == IMAGE  # type: ignore[arg-type]
    assert ledger.totals()[0].truncated == 1


def test_reader_of_files_is_told_the_file_of_an_image_that_is_left_out(tmp_path: Path) -> None:
    gate = BareGate(rules=rules(media_bytes=1_000, reader="files"), store=DiskStore(tmp_path / "kept"))
    view = gate.admit([IMAGE])
    [record] = gate.records()
    assert record.path is not None
    assert record.path in view.blocks[0]["text"]
    assert json.loads(Path(record.path).read_text()) == IMAGE


@pytest.mark.parametrize("chars", [*range(1, 90), 150, 300, 1_000])
def test_note_of_an_image_that_is_left_out_counts_to_the_limit(chars: int) -> None:
    gate = BareGate(rules=rules(media_bytes=10), store=MemoryStore())
    for lines in (None, 1, 2, 5):
        view = gate.admit([{"type": "text", "text": LOG}, IMAGE, IMAGE], limits=Limits(chars=chars, lines=lines))
        assert_within(view, Limits(chars=chars, lines=lines))
        assert "image" not in [block["type"] for block in view.blocks]


class Whole(Fourths):
    """A text has more tokens than its parts have together."""

    def count(self, text: str) -> int:
        return len(text) + 200 * ("image" in text and "log" in text)


def test_note_of_an_image_gives_way_where_the_whole_has_more_tokens_than_its_parts() -> None:
    gate = BareGate(rules=rules(media_bytes=10, counter=Whole()), store=MemoryStore())
    bounds = Limits(tokens=600)
    view = gate.admit([{"type": "text", "text": LOG}, IMAGE], limits=bounds)
    assert Whole().count(view.text) <= 600
    assert [block["type"] for block in view.blocks] == ["text"]


def test_image_that_cannot_be_kept_is_said_not_to_be(ledger: MemoryLedger) -> None:
    gate = BareGate(rules=rules(media_bytes=10), store=BrokenStore(), ledger=ledger)
    view = gate.admit([IMAGE])
    assert "not kept" in view.blocks[0]["text"]
    assert "disk is gone" in view.failure
    assert ledger.totals()[0].failed == 1
    with pytest.raises(StoreError, match="disk is gone"):
        gate.admit([IMAGE], strict=True)


# -- keeping fails -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [BrokenStore(), BreakingStore(), None])
@pytest.mark.parametrize("output", [LOG, LOG.encode() * 20, {"rows": list(range(5_000))}, ENVELOPE])
@pytest.mark.parametrize("reader", ["penstock", "files", "cli", "task", "none"])
def test_result_that_cannot_be_kept_is_shown_without_a_promise(store: Any, output: Any, reader: Any) -> None:
    ledger = MemoryLedger()
    gate = BareGate(rules=rules(reader=reader), store=store, ledger=ledger)
    view = gate.admit(output, limits=Limits(chars=2_000))
    assert_within(view, Limits(chars=2_000))
    assert (view.handle, view.path) == (None, None)
    assert "not kept" in view.text
    assert "ps-" not in view.text
    assert "read_output" not in view.text
    assert view.failure
    assert view.envelope()["data"]["truncation"]["handle"] is None
    [event] = ledger.recent()
    assert event.what.failure == view.failure  # type: ignore[union-attr]
    assert ledger.totals()[0].failed == 1


@pytest.mark.parametrize("store", [BrokenStore(), BreakingStore(), None])
def test_strict_gate_records_and_raises_what_cannot_be_kept(store: Any) -> None:
    ledger = MemoryLedger()
    gate = BareGate(store=store, ledger=ledger, strict=True)
    with pytest.raises(StoreError, match=r"gone|no store"):
        gate.admit(LOG, limits=SMALL)
    assert ledger.totals()[0].failed == 1
    assert gate.admit("small").text == "small"
    assert gate.admit(LOG, limits=SMALL, strict=False).truncated


def test_failure_to_keep_is_logged_with_the_tool(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "penstock"):
        BareGate(store=BrokenStore()).admit(LOG, tool="Bash", limits=SMALL)
        BareGate().admit(LOG, tool="Bash", limits=SMALL)  # without a store there is nothing to complain of
    assert [record.getMessage() for record in caplog.records] == [
        "the output of Bash could not be kept: the disk is gone"
    ]


def test_broken_ledger_loses_no_result_and_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    gate = BareGate(store=MemoryStore(), ledger=BrokenLedger())
    with caplog.at_level(logging.WARNING, "penstock"):
        views = [gate.admit(LOG, limits=SMALL) for _ in range(3)]
        assert gate.admit("small").text == "small"
        handle = views[0].handle
        assert handle is not None
        assert gate.read(handle).text
        assert gate.grep(handle, "log").hits
        assert gate.unseen(handle).text
        gate.close()
    assert len([record for record in caplog.records if "ledger" in record.getMessage()]) == 1
    assert all(view.handle == handle for view in views)


def test_gate_without_a_store_knows_no_handle() -> None:
    gate = BareGate()
    assert list(gate.records()) == []
    assert gate.sweep().results == 0
    with pytest.raises(UnknownHandle):
        gate.read("ps-aaaaaaaaaaaaaaaa")
    gate.close()


# -- notices name only what can be used --------------------------------------------------------------------------------


@pytest.mark.parametrize("reader", ["files", "task", "none"])
def test_notice_names_no_tool_and_no_path_where_there_is_none_to_use(reader: Any) -> None:
    gate = BareGate(rules=rules(reader=reader), store=MemoryStore())
    view = gate.admit(LOG, limits=SMALL)
    assert view.handle is not None  # a program may use it; the model cannot
    for word in ("read_output", "grep_output", "penstock", "ps-", "tool_2", "Read ", "Task"):
        assert word not in view.text


def test_notice_for_a_reader_of_files_names_a_file_that_holds_the_whole(tmp_path: Path) -> None:
    gate = BareGate(rules=rules(reader="files"), store=DiskStore(tmp_path / "kept"))
    view = gate.admit(LOG, limits=SMALL)
    assert view.path is not None
    assert view.path in view.text
    assert Path(view.path).read_text() == LOG
    assert "read_output" not in view.text


# -- what is logged and recorded ---------------------------------------------------------------------------------------


def test_truncation_logs_one_line_with_tool_sizes_and_percent(gate: BareGate, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "penstock"):
        gate.admit("small", tool="Bash")
        view = gate.admit(LOG, tool="Bash", limits=SMALL)
    [record] = caplog.records
    percent = 100 * (1 - len(view.text) / len(LOG))
    assert record.levelno == logging.INFO
    assert record.getMessage() == (f"Bash: truncated {len(LOG)} -> {len(view.text)} characters ({percent:.1f} % less)")


def test_ledger_has_what_was_admitted_and_what_was_read_back() -> None:
    clock = Clock()
    ledger = MemoryLedger()
    gate = BareGate(rules=PlainRules(agents={"coder": 9_000}), store=MemoryStore(), ledger=ledger, clock=clock)
    gate.admit("small", tool="Bash", agent="coder")
    handle = gate.admit(LOG, tool="Bash", limits=SMALL).handle
    assert handle is not None
    clock.now += 5
    gate.read(handle, start=100, agent="coder")
    gate.grep(handle, "log")
    unseen, grep, read, cut, small = (event.what for event in [gate.unseen(handle)] and ledger.recent())
    assert (small.agent, small.reason, small.strategy) == ("coder", "fits", "")  # type: ignore[union-attr]
    assert (cut.handle, cut.reason, cut.strategy) == (handle, "chars", "auto")  # type: ignore[union-attr]
    assert cut.before.tokens and cut.after.tokens  # type: ignore[union-attr]
    assert (read.action, read.agent, read.tool) == ("read", "coder", "Bash")  # type: ignore[union-attr]
    assert (grep.action, unseen.action) == ("grep", "unseen")  # type: ignore[union-attr]
    [total] = ledger.totals()
    assert (total.admissions, total.truncated, total.read_backs, total.regretted) == (2, 1, 3, 1)


# -- a turn ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget", [Limits(chars=4_000), Limits(lines=40), Limits(bytes=3_000, lines=50), Limits(tokens=900)]
)
def test_turn_is_within_its_budget_together_and_small_results_pass(budget: Limits) -> None:
    results = [(LOG, "Bash"), ("small\n", "Read"), (LOG[::-1], "Grep"), ({"rows": list(range(900))}, "Query")]
    gate = BareGate(rules=rules(counter=Fourths()), store=MemoryStore())
    views = gate.turn(results, budget=budget)
    assert views[1].text == "small\n"
    assert all(view.truncated for view in (views[0], views[2]))
    for unit, size in (
        ("chars", sum(len(view.text) for view in views)),
        ("lines", sum(view.size.lines for view in views)),
        ("bytes", sum(view.size.bytes for view in views)),
        ("tokens", sum(Fourths().count(view.text) for view in views)),
    ):
        limit = getattr(budget, unit)
        assert limit is None or size <= limit


def test_turn_gives_large_results_what_small_ones_leave(gate: BareGate) -> None:
    views = gate.turn([(LOG, "Bash"), ("x", "Read")], budget=Limits(chars=4_000))
    assert 3_600 < len(views[0].text) <= 3_999


def test_turn_gives_no_more_than_a_tools_own_limits_can_use(gate: BareGate) -> None:
    """read_file takes 5,000 characters at most, so the other one may have the remaining 15,000."""
    views = gate.turn([(LOG, "read_file"), (LOG, "Bash")], budget=Limits(chars=20_000))
    assert len(views[0].text) <= 5_000
    assert 14_000 < len(views[1].text) <= 15_000


def test_turn_lets_a_result_through_that_asks_and_leaves_the_rest_to_the_others(gate: BareGate) -> None:
    asking = {"status": "success", "text": "x" * 2_000, "context": {"truncation_skip": True}}
    views = gate.turn([(LOG, "Bash"), (asking, "Skill")], budget=Limits(chars=4_000))
    assert views[1].reason == "skip"
    assert len(views[0].text) + len(views[1].text) <= 4_000
    assert len(views[0].text) > 1_000


def test_turn_of_no_results_has_no_views(gate: BareGate) -> None:
    assert gate.turn([], budget=SMALL) == []


# -- functions ---------------------------------------------------------------------------------------------------------


def test_decorated_function_returns_what_fits_as_the_same_object(gate: BareGate) -> None:
    value = {"a": 1}

    @gate.tool
    def lookup(key: str) -> dict[str, int]:
        """Look a key up."""
        return value

    assert lookup("a") is value
    assert (lookup.__name__, lookup.__doc__) == ("lookup", "Look a key up.")


def test_decorated_function_is_bounded_under_its_own_name(gate: BareGate, ledger: MemoryLedger) -> None:
    @gate.tool(limits=SMALL)
    def run(command: str) -> str:
        return LOG

    assert_text_within(run("make"), SMALL)
    assert ledger.recent()[0].what.tool == "run"

    @gate.tool(name="shell", limits=SMALL, strategy="tail")
    def other() -> str:
        return LOG

    assert LOG[-100:] in other()
    assert ledger.recent()[0].what.tool == "shell"


def test_decorated_coroutine_is_awaited_and_bounded(gate: BareGate) -> None:
    @gate.tool(limits=SMALL)
    async def run(command: str) -> str:
        await asyncio.sleep(0)
        return LOG

    assert asyncio.iscoroutinefunction(run)
    assert_text_within(asyncio.run(run("make")), SMALL)


def test_decorated_function_that_hands_on_a_coroutine_is_bounded(gate: BareGate) -> None:
    async def run() -> str:
        return LOG

    @gate.tool(limits=SMALL)
    def indirect() -> Any:
        return run()

    async def main() -> str:
        return await indirect()  # type: ignore[no-any-return]

    assert_text_within(asyncio.run(main()), SMALL)


def test_decorated_function_may_be_called_inside_a_running_loop(gate: BareGate) -> None:
    @gate.tool(limits=SMALL)
    def run() -> str:
        return LOG

    async def main() -> str:
        return run()

    assert_text_within(asyncio.run(main()), SMALL)


def test_decorated_functions_own_errors_pass(gate: BareGate) -> None:
    @gate.tool
    def fail() -> str:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail()


def test_decorated_method_takes_no_address_into_its_query(monkeypatch: pytest.MonkeyPatch, gate: BareGate) -> None:
    asked: list[str] = []
    admit = gate.admit
    monkeypatch.setattr(gate, "admit", lambda output, **options: asked.append(options["query"]) or admit(output))

    class Reader:
        @gate.tool
        def read(self, path: Path, pattern: str, *, depth: int = 1, flags: list[str], quiet: bool) -> str:
            return "x"

    Reader().read(Path("/a/b"), "TODO", depth=3, flags=["-i"], quiet=True)
    assert asked == ["/a/b TODO 3 -i"]


def test_decorated_functions_query_is_short_whatever_its_arguments(
    monkeypatch: pytest.MonkeyPatch, gate: BareGate
) -> None:
    asked: list[str] = []
    admit = gate.admit
    monkeypatch.setattr(gate, "admit", lambda output, **options: asked.append(options["query"]) or admit(output))

    @gate.tool
    def write(*texts: str) -> str:
        return "x"

    write("a" * 1_500, "b" * 10_000, "c")
    assert len(asked[0]) <= 2_001
    assert asked[0].startswith("a" * 1_500 + " bbb")


def test_envelope_of_a_decorated_function_stays_an_envelope(gate: BareGate) -> None:
    @gate.tool(limits=Limits(chars=2_000))
    def query() -> dict[str, Any]:
        return ENVELOPE

    assert query()["status"] == "partial"


# -- reading back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("handle", ["", "ps-", "ps-AAAAAAAAAAAAAAAA", "../etc/passwd", "ps-aaaaaaaaaaaaaaa\x00"])
def test_text_that_is_no_handle_is_refused(gate: BareGate, handle: str) -> None:
    with pytest.raises(HandleError):
        gate.read(handle)


def test_handle_of_nothing_kept_is_unknown(gate: BareGate) -> None:
    for read in (gate.read, gate.unseen, lambda handle: gate.grep(handle, "x")):
        with pytest.raises(UnknownHandle):
            read("ps-aaaaaaaaaaaaaaaa")


@pytest.mark.parametrize(
    "options",
    [{"start": 0}, {"limit": 0}, {"limit": True}, {"offset": -1}, {"unit": "words"}, {"direction": "up"}],
)
def test_wrong_page_is_refused_with_what_is_allowed(gate: BareGate, options: dict[str, Any]) -> None:
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    with pytest.raises(LimitError, match="allowed"):
        gate.read(handle, **options)


@pytest.mark.parametrize("options", [{"context": -1}, {"limit": 0}, {"start": 0}, {"limit": 2.0}])
def test_wrong_search_is_refused_with_what_is_allowed(gate: BareGate, options: dict[str, Any]) -> None:
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    with pytest.raises(LimitError, match="allowed"):
        gate.grep(handle, "x", **options)


def test_wrong_pattern_is_refused(gate: BareGate) -> None:
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    for pattern in ("(", "", r"(a)\1"):
        with pytest.raises(PatternError):
            gate.grep(handle, pattern)


def test_page_is_bounded_by_tool_guard_and_agent() -> None:
    gate = BareGate(rules=PlainRules(agents={"small": 2_000}), store=MemoryStore(), ledger=MemoryLedger())
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    assert 7_000 < len(gate.read(handle, limit=2_000).text) <= 8_000
    assert len(gate.read(handle, limit=2_000, agent="small").text) <= 2_000
    assert len(gate.read(handle, limits=Limits(chars=500)).text) <= 500
    assert len(gate.grep(handle, "log", limit=1_000, agent="small").text) <= 2_000
    assert len(gate.unseen(handle, agent="small").text) <= 2_000


@pytest.mark.parametrize(
    ("reader", "language", "told"),
    [
        ("penstock", "en", 'call read_output(handle="{handle}", unseen=true)'),
        ("penstock", "zh", 'read_output(handle="{handle}", unseen=true)'),
        ("cli", "en", "penstock unseen {handle} shows"),
        ("cli", "zh", "penstock unseen {handle} "),
    ],
)
def test_unseen_does_not_send_its_reader_back_to_what_was_shown(reader: Any, language: Any, told: str) -> None:
    gate = BareGate(rules=rules(reader=reader, language=language), store=MemoryStore(), ledger=MemoryLedger())
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    text = gate.unseen(handle).text
    assert told.format(handle=handle) in text
    assert "start" not in text.rpartition("\n")[2]


def test_unseen_goes_on_until_all_has_been_shown(gate: BareGate) -> None:
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    seen = [gate.unseen(handle) for _ in range(40)]
    assert seen[-1].text == "[all of it has been shown]"
    shown: set[int] = set()
    assert gate.ledger is not None
    for start, stop in gate.ledger.shown(handle):
        shown.update(range(start, stop))
    assert len(shown) == len(LOG)
    assert gate.unseen(handle, limits=Limits(chars=5)).text == ""


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), None, "5", True])
def test_search_has_an_end_in_sight(gate: BareGate, seconds: Any) -> None:
    handle = gate.admit(LOG).handle
    assert handle is not None
    with pytest.raises(LimitError, match=r"seconds = .* a number above 0"):
        gate.grep(handle, "x", seconds=seconds)


def test_wrong_kinds_of_argument_are_told_in_a_sentence(gate: BareGate) -> None:
    handle = gate.admit(LOG).handle
    assert handle is not None
    odd: Any = {"chars": 5}
    for wrong in (
        lambda: gate.admit(LOG, limits=odd),
        lambda: gate.open(limits=odd),
        lambda: gate.turn([(LOG, "run")], budget=odd),
        lambda: gate.read(handle, limits=odd),
        lambda: gate.grep(handle, "x", limits=odd),
        lambda: gate.unseen(handle, limits=odd),
    ):
        with pytest.raises(LimitError, match=r"limits = .* it must be Limits"):
            wrong()
    with pytest.raises(PatternError, match="it is not text"):
        gate.grep(handle, b"x")  # type: ignore[arg-type]  # what is wrong here
    with pytest.raises(HandleError, match="a view that was not cut has none"):
        gate.read(gate.admit("short").handle)  # type: ignore[arg-type]  # as above


def test_unseen_says_so_where_the_ledger_cannot_tell_what_was_shown() -> None:
    gate = BareGate(store=MemoryStore(), ledger=BrokenLedger())
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    for _ in range(2):
        text = gate.unseen(handle).text
        assert text.startswith("1 a line of a log")
        assert "cannot be told now" in text
        assert "unseen=true" not in text  # which would begin anew each time


def test_unseen_needs_a_ledger() -> None:
    gate = BareGate(store=MemoryStore())
    handle = gate.admit(LOG, limits=SMALL).handle
    assert handle is not None
    with pytest.raises(CallerError, match="recorded"):
        gate.unseen(handle)
    assert gate.call("read_output", {"handle": handle, "unseen": True}).startswith("Error: ")


# -- threads -----------------------------------------------------------------------------------------------------------


def test_eight_threads_use_one_gate_at_once(tmp_path: Path) -> None:
    gate = BareGate(
        store=DiskStore(tmp_path / "kept", durability="none"), ledger=SqliteLedger(tmp_path / "kept" / "index.sqlite")
    )
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(6):
                text = f"thread {number} turn {turn % 3}\n" + LOG
                view = gate.admit(text, tool=f"tool{number}", limits=SMALL)
                assert view.handle is not None
                assert text.encode().startswith(gate.read(view.handle, limit=5).data)
                assert gate.grep(view.handle, f"^thread {number} ").hits
                history = [{"role": "tool", "tool_call_id": "1", "content": text}]
                assert gate.messages(history) == gate.messages(history)
                assert gate.unseen(view.handle).text
        except BaseException as error:  # noqa: BLE001  # told below: a thread's own error fails no test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(kept(gate)) == 8 * 3
    assert gate.ledger is not None
    assert gate.ledger.totals()[0].failed == 0
    gate.close()
