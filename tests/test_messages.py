"""The agent-level guard: every tool result in a model request is bounded, and nothing else is touched."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.messages import Dialect
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.errors import CallerError, StoreError
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.remembered import Remembered, key_of
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import BrokenStore, Clock, assert_text_within, outputs, texts

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 1_001))
GUARD = Limits(chars=2_000)
DIALECTS: list[Dialect] = ["openai", "responses", "anthropic"]


class CountingStore(MemoryStore):
    """Counts what is written."""

    written = 0

    def open(self) -> Any:
        self.written += 1
        return super().open()


@pytest.fixture
def gate() -> BareGate:
    return BareGate(rules=PlainRules(guard=GUARD), store=CountingStore(), ledger=MemoryLedger(), clock=Clock())


def openai(*results: Any, name: str = "run", arguments: Any = '{"command": "make"}') -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "why did the build fail?"},
    ]
    for number, result in enumerate(results):
        call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    return messages


def responses(*results: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "input_text", "text": "why?"}]}]
    for number, result in enumerate(results):
        items += [
            {"type": "function_call", "call_id": f"c{number}", "name": "run", "arguments": '{"command": "make"}'},
            {"type": "function_call_output", "call_id": f"c{number}", "output": result},
        ]
    return items


def anthropic(*results: Any) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "why did the build fail?"}]
    for number, result in enumerate(results):
        call = {"type": "tool_use", "id": f"t{number}", "name": "run", "input": {"command": "make"}}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": True}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return messages


CONVERSATIONS = {"openai": openai, "responses": responses, "anthropic": anthropic}


def result_in(message: Any, dialect: Dialect) -> Any:
    if dialect == "anthropic":
        return message["content"][0]["content"]
    return message["output" if dialect == "responses" else "content"]


# -- dialects ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_long_result_is_bounded_and_all_else_is_the_same_object(gate: BareGate, dialect: Dialect) -> None:
    messages = CONVERSATIONS[dialect](LOG, "short")
    before = copy.deepcopy(messages)
    bounded = gate.messages(messages, format=dialect)
    changed = [index for index, (new, old) in enumerate(zip(bounded, messages, strict=True)) if new is not old]
    assert len(changed) == 1
    shown = result_in(bounded[changed[0]], dialect)
    assert_text_within(shown, GUARD)
    assert "read_output" in shown
    assert messages == before
    [record] = gate.records()
    assert record.tool == "run"
    assert gate.store is not None
    assert gate.store.read(record.handle, 0, 10**6) == LOG.encode()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parts_of_a_result_are_bounded_together_and_an_image_stays(gate: BareGate, dialect: Dialect) -> None:
    kinds = {"openai": "text", "responses": "input_text", "anthropic": "text"}
    image = {"type": "input_image" if dialect == "responses" else "image", "data": "AAAA"}
    parts = [{"type": kinds[dialect], "text": LOG}, image, {"type": kinds[dialect], "text": LOG}]
    messages = CONVERSATIONS[dialect](parts)
    shown = result_in(gate.messages(messages, format=dialect)[-1], dialect)
    assert [part["type"] for part in shown] == [kinds[dialect], image["type"]]
    assert shown[1] is image
    assert_text_within(shown[0]["text"], GUARD)
    assert len(parts) == 3


def test_function_role_is_bounded_under_its_own_name(gate: BareGate) -> None:
    [bounded] = gate.messages([{"role": "function", "name": "lookup", "content": LOG}])
    assert_text_within(bounded["content"], GUARD)
    assert next(gate.records()).tool == "lookup"


def test_error_flag_and_cache_marks_of_a_tool_result_stay(gate: BareGate) -> None:
    messages = anthropic(LOG)
    messages[-1]["content"][0]["cache_control"] = {"type": "ephemeral"}
    messages[-1]["content"].append({"type": "text", "text": LOG})
    old, new = messages[-1]["content"], gate.messages(messages, format="anthropic")[-1]["content"]
    assert {**new[0], "content": None} == {**old[0], "content": None}
    assert new[1] is old[1]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": LOG},
        {"role": "assistant", "content": LOG},
        {"role": "system", "content": [{"type": "text", "text": LOG}]},
        {"role": "tool", "content": None},
        {"role": "tool", "content": ""},
        {"role": "tool"},
        {"type": "function_call_output", "call_id": "1", "output": LOG},  # another dialect's
        object(),
        LOG,
        None,
    ],
)
def test_what_is_no_tool_result_of_the_dialect_is_handed_on(gate: BareGate, message: Any) -> None:
    assert gate.messages([message])[0] is message


def test_unknown_dialect_is_refused(gate: BareGate) -> None:
    with pytest.raises(CallerError, match="anthropic"):
        gate.messages([], format="smoke")  # type: ignore[arg-type]


def test_query_is_the_call_and_the_question_before_it(gate: BareGate, monkeypatch: pytest.MonkeyPatch) -> None:
    origins: list[Any] = []
    admit = gate._admission.admit
    monkeypatch.setattr(
        gate._admission, "admit", lambda result, policy, origin, **o: origins.append(origin) or admit(
            result, policy, origin, **o
        )
    )  # fmt: skip
    gate.messages([*anthropic(LOG), {"role": "user", "content": "another question"}], format="anthropic")
    assert [(origin.tool, origin.query) for origin in origins] == [("run", "make\nwhy did the build fail?")]


def test_agent_tightens_the_guard() -> None:
    gate = BareGate(rules=PlainRules(guard=GUARD, agents={"small": 1_000}), store=MemoryStore())
    assert_text_within(gate.messages(openai(LOG), agent="small")[-1]["content"], Limits(chars=1_000))
    assert len(gate.messages(openai(LOG))[-1]["content"]) > 1_000


# -- the same bytes in every request -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_message_has_the_same_bytes_in_a_later_longer_request(gate: BareGate, dialect: Dialect) -> None:
    first = CONVERSATIONS[dialect](LOG)
    second = [*CONVERSATIONS[dialect](LOG, LOG + "more"), {"role": "user", "content": "and now something else"}]
    bounded = gate.messages(first, format=dialect)
    assert gate.messages(second, format=dialect)[: len(first)] == bounded
    assert gate.messages(copy.deepcopy(second), format=dialect)[: len(first)] == bounded


@given(texts(), st.sampled_from(DIALECTS), texts(200))
def test_message_has_the_same_bytes_after_a_restart(text: str, dialect: Dialect, question: str) -> None:
    rules = PlainRules(policy=Policy(), guard=Limits(chars=600, lines=20))
    messages = CONVERSATIONS[dialect](text, text + "!")
    one, other = (BareGate(rules=rules, store=MemoryStore()) for _ in range(2))
    first = one.messages(messages, format=dialect)
    longer = [*copy.deepcopy(messages), {"role": "user", "content": question}, *messages[1:]]
    assert one.messages(longer, format=dialect)[: len(messages)] == first
    assert other.messages(longer, format=dialect)[: len(messages)] == first


def test_message_that_was_bounded_once_is_not_cut_again(gate: BareGate) -> None:
    once = gate.messages(openai(LOG))
    again = gate.messages(once)
    assert all(new is old for new, old in zip(again, once, strict=True))


@given(outputs)
def test_message_is_within_the_guard(output: str | bytes) -> None:
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    guard = Limits(chars=500, lines=12, bytes=700)
    gate = BareGate(rules=PlainRules(guard=guard), store=MemoryStore())
    shown = gate.messages(openai(text))[-1]["content"]
    assert_text_within(shown, guard) if shown != text else assert_text_within(text, guard)


# -- what was bounded before is remembered -----------------------------------------------------------------------------


def test_second_request_writes_nothing_and_records_nothing(gate: BareGate) -> None:
    messages = openai(LOG, "small", LOG + "2", [{"type": "text", "text": LOG}])
    first = gate.messages(messages)
    assert isinstance(gate.store, CountingStore)
    assert gate.ledger is not None
    written, recorded = gate.store.written, gate.ledger.totals()[0].admissions
    assert (written, recorded) == (3, 4)
    assert gate.messages(copy.deepcopy(messages)) == first
    assert (gate.store.written, gate.ledger.totals()[0].admissions) == (written, recorded)


def test_date_of_what_is_kept_is_renewed_once_an_hour() -> None:
    clock = Clock()
    store = CountingStore(clock=clock)
    gate = BareGate(rules=PlainRules(guard=GUARD), store=store, ledger=MemoryLedger(), clock=clock)
    first = gate.messages(openai(LOG))
    for minutes in (30, 29, 2, 30, 29, 2):
        clock.now += 60 * minutes
        assert gate.messages(openai(LOG)) == first
    assert store.written == 3
    assert next(gate.records()).kept_at > clock.now - 3_600
    assert gate.ledger is not None
    assert gate.ledger.totals()[0].admissions == 1
    clock.now += 6.9 * 86_400
    assert gate.messages(openai(LOG)) == first
    assert next(gate.records()).kept_at == clock.now


def test_conversation_of_more_than_retention_keeps_its_results_readable() -> None:
    clock = Clock()
    gate = BareGate(rules=PlainRules(guard=GUARD), store=MemoryStore(clock=clock), clock=clock)
    first = gate.messages(openai(LOG))
    clock.now += 8 * 86_400
    assert gate.messages(openai(LOG)) == first
    assert gate.read(next(gate.records()).handle).text


def test_result_that_was_deleted_meanwhile_is_kept_again(gate: BareGate) -> None:
    first = gate.messages(openai(LOG))
    assert gate.store is not None
    [record] = gate.records()
    gate.store.delete(record.handle)
    assert gate.messages(openai(LOG)) == first
    assert gate.read(record.handle).text


def test_failure_to_keep_is_not_remembered() -> None:
    ledger = MemoryLedger()
    gate = BareGate(rules=PlainRules(guard=GUARD), store=BrokenStore(), ledger=ledger)
    for number in (1, 2):
        shown = gate.messages(openai(LOG))[-1]["content"]
        assert "not kept" in shown
        assert "ps-" not in shown
        assert ledger.totals()[0].failed == number
    gate.store = MemoryStore()
    assert "read_output" in gate.messages(openai(LOG))[-1]["content"]
    gate.store = BrokenStore()  # what was promised cannot be read any more
    assert "not kept" in gate.messages(openai(LOG))[-1]["content"]


def test_strict_gate_raises_what_cannot_be_kept_in_a_request() -> None:
    gate = BareGate(rules=PlainRules(guard=GUARD), store=BrokenStore(), strict=True)
    with pytest.raises(StoreError):
        gate.messages(openai(LOG))


def test_same_result_of_another_question_is_another_message(gate: BareGate) -> None:
    other = openai(LOG)
    other[1] = {"role": "user", "content": "which line is the longest?"}
    gate.messages(openai(LOG))
    gate.messages(other)
    gate.messages(openai(LOG))
    assert gate.ledger is not None
    assert gate.ledger.totals()[0].admissions == 2


def test_path_that_is_shown_is_the_one_where_the_result_is(tmp_path: Path) -> None:
    gate = BareGate(rules=PlainRules(policy=Policy(reader="files"), guard=GUARD), store=DiskStore(tmp_path / "one"))
    assert str(tmp_path / "one") in gate.messages(openai(LOG))[-1]["content"]
    gate.store = DiskStore(tmp_path / "other")
    gate.admit(LOG, limits=GUARD)
    assert str(tmp_path / "other") in gate.messages(openai(LOG))[-1]["content"]


@pytest.mark.parametrize("mark", [None, {"type": "ephemeral"}])
def test_part_that_gets_a_cache_mark_later_shows_it(gate: BareGate, mark: Any) -> None:
    gate.messages(openai([{"type": "text", "text": LOG}]))
    part = {"type": "text", "text": LOG, "cache_control": mark}
    assert gate.messages(openai([part]))[-1]["content"][0]["cache_control"] == mark


def test_memory_is_bounded_in_messages_and_characters() -> None:
    gate = BareGate(store=MemoryStore())
    view = gate.admit(LOG, limits=Limits(chars=1_000))
    remembered = Remembered(messages=10, chars=8 * len(view.text) + 100)
    keys = [bytes([number]) for number in range(30)]
    for key in keys:
        remembered.put(key, view, 0.0)
    held = [key for key in keys if remembered.get(key) is not None]
    assert held == keys[-8:]
    remembered.put(b"large", gate.admit(LOG, limits=Limits(chars=2_000)), 0.0)
    assert remembered.get(b"large") is None
    assert [key for key in keys if remembered.get(key) is not None] == held


def test_memory_keeps_what_was_used_last() -> None:
    gate = BareGate(store=MemoryStore())
    view = gate.admit("small")
    remembered = Remembered(messages=2)
    for key in (b"1", b"2"):
        remembered.put(key, view, 0.0)
    assert remembered.get(b"1") is not None
    remembered.put(b"3", view, 0.0)
    assert remembered.get(b"2") is None
    assert remembered.get(b"1") is not None


def test_key_tells_apart_what_could_be_joined_to_the_same() -> None:
    keys = [
        key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("ab", "c", ""), key_of(["ab"], "c"),
        key_of('["ab"]', "c"), key_of("c", "ab"), key_of("ab\ud800", "c"),
    ]  # fmt: skip
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key_of([object()], "c") is None


# -- reads of kept output ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["read_output", "grep_output", "mcp__penstock__read_output", "penstock.grep_output"])
def test_read_of_kept_output_is_cut_but_never_kept_again(gate: BareGate, name: str) -> None:
    arguments = json.dumps({"handle": "ps-aaaaaaaaaaaaaaaa", "start": 5})
    shown = gate.messages(openai(LOG, "small", name=name, arguments=arguments))[-3]["content"]
    assert_text_within(shown, GUARD)
    assert shown.startswith("1 a line")
    assert "smaller range" in shown
    assert "ps-" not in shown
    assert "_output(" not in shown
    assert gate.admit(LOG, tool=name, query=arguments, limits=GUARD).handle is None
    assert list(gate.records()) == []
    assert gate.ledger is not None
    assert gate.ledger.totals()[0].admissions == 0


@pytest.mark.parametrize(
    ("name", "arguments"), [("read_output", '{"pid": 7}'), ("reread_output", '{"handle": "ps-aaaaaaaaaaaaaaaa"}')]
)
def test_result_of_a_strangers_tool_of_that_name_is_kept(gate: BareGate, name: str, arguments: str) -> None:
    gate.messages(openai(LOG, name=name, arguments=arguments))
    assert len(list(gate.records())) == 1


def test_own_answers_pass_the_guard_untouched() -> None:
    gate = BareGate(store=MemoryStore(), ledger=MemoryLedger())
    handle = gate.admit(LOG * 3, limits=GUARD).handle
    assert handle is not None
    for name, arguments in (
        ("read_output", {"handle": handle, "limit": 1_000}),
        ("read_output", {"handle": handle, "unseen": True}),
        ("grep_output", {"handle": handle, "pattern": "line", "limit": 1_000}),
        ("list_outputs", {"limit": 1_000}),
        ("read_output", {"handle": "no handle" * 5_000}),
        ("grep_output", {"handle": handle, "pattern": "(" * 9_000}),
    ):
        answer = gate.call(name, arguments)
        messages = openai(answer, name=name, arguments=json.dumps(arguments))
        assert gate.messages(messages)[-1] is messages[-1]
    assert len(list(gate.records())) == 1


def test_streams_of_a_shell_are_within_the_guard_and_kept_whole(gate: BareGate) -> None:
    item = {
        "type": "shell_call_output",
        "call_id": "c",
        "output": [{"stdout": LOG, "stderr": LOG[::-1]}, {"stdout": LOG}],
    }
    [answered] = gate.messages([item], format="responses")
    shown = "".join(text for part in answered["output"] for text in part.values())
    assert_text_within(shown, GUARD)
    [record] = gate.records()
    assert gate.store is not None
    assert gate.store.read(record.handle, 0, record.size).decode() == "\n".join([LOG, LOG[::-1], LOG])
    assert gate.messages([answered], format="responses") == [answered]
