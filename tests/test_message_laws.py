"""The laws, through `messages`: a request whose tool results are bounded by the agent-level guard."""

from __future__ import annotations

import copy
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.messages import Dialect
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.gate import BareGate
from penstock.stores.contract import Store
from penstock.stores.memory import MemoryStore
from strategies import (
    BrokenStore,
    Fourths,
    assert_text_within,
    bench_items,
    content_blocks,
    limits,
    policies,
    spread,
    texts,
    whole,
)

DIALECTS: list[Dialect] = ["openai", "responses", "anthropic"]
QUESTION = "why did the build fail?"


def gate_with(guard: Limits, policy: Policy | None = None, store: Store | None = None) -> BareGate:
    return BareGate(rules=PlainRules(policy=policy or Policy(), guard=guard), store=store or MemoryStore())


def request(result: Any, dialect: Dialect) -> list[dict[str, Any]]:
    """One call of a tool and its result, the last message."""
    if dialect == "openai":
        call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        return [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": result},
        ]
    if dialect == "responses":
        return [
            {"role": "user", "content": QUESTION},
            {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": result},
        ]
    return [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "run", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": result}]},
    ]


def shown_in(messages: list[dict[str, Any]], dialect: Dialect) -> Any:
    if dialect == "anthropic":
        return messages[-1]["content"][0]["content"]
    return messages[-1]["output" if dialect == "responses" else "content"]


def assert_laws_hold(text: str, dialect: Dialect, gate: BareGate, guard: Limits) -> None:
    given = request(text, dialect)
    before = copy.deepcopy(given)
    answered = gate.messages(given, format=dialect)
    shown = shown_in(answered, dialect)
    assert given == before
    assert answered[:-1] == before[:-1]
    assert_text_within(shown, guard)
    records = list(gate.records())
    if shown == text:
        assert not records
    else:
        assert gate.store is not None
        data = text.encode("utf-8", "surrogatepass")
        [record] = records
        assert whole(lambda at, size: gate.store.read(record.handle, at, size), record.size, 70_000) == data
    assert gate.messages(copy.deepcopy(answered), format=dialect) == answered


@given(texts(), limits(tokens=False), policies, st.sampled_from(DIALECTS))
def test_result_in_a_message_is_within_the_guard_and_kept_whole(
    text: str, guard: Limits, policy: Policy, dialect: Dialect
) -> None:
    # The guard tightens the limits of the tool: what it leaves alone they may still cut.
    assert_laws_hold(text, dialect, gate_with(guard, policy), guard)


@given(texts(), limits(tokens=False), policies, st.sampled_from(DIALECTS))
def test_result_in_a_message_is_the_view_of_the_gate_so_that_its_laws_are_the_same(
    text: str, guard: Limits, policy: Policy, dialect: Dialect
) -> None:
    shown = shown_in(gate_with(guard, policy).messages(request(text, dialect), format=dialect), dialect)
    gate = gate_with(guard, policy)
    query = QUESTION if dialect == "anthropic" else "{}\n" + QUESTION
    view = gate.admit(text, tool="run", query=query, limits=gate.policy("run").limits & guard)
    assert shown == view.text


@given(texts(), st.integers(300, 3_000), st.sampled_from(DIALECTS))
def test_handle_in_a_message_leads_to_every_byte(text: str, chars: int, dialect: Dialect) -> None:
    gate = gate_with(Limits(chars=chars))
    shown = shown_in(gate.messages(request(text, dialect), format=dialect), dialect)
    if shown == text:
        return
    handles = re.findall(r"ps-[a-z2-7]{16}", shown)
    read = b""
    follow: Any = {"start": 1}
    while follow is not None:
        page = gate.read(handles[-1], **follow)
        read += page.data
        follow = page.next
    assert read == text.encode("utf-8", "surrogatepass")


# A result may itself hold a notice that somebody else wrote.
@given(texts().filter(lambda text: "output" not in text), limits(tokens=False), st.sampled_from(DIALECTS))
def test_result_in_a_message_that_cannot_be_kept_promises_nothing(text: str, guard: Limits, dialect: Dialect) -> None:
    shown = shown_in(gate_with(guard, store=BrokenStore()).messages(request(text, dialect), format=dialect), dialect)
    assert_text_within(shown, guard)
    assert "ps-" not in shown
    assert "read_output" not in shown


@given(content_blocks(), limits(tokens=False))
def test_blocks_in_a_message_are_together_within_the_guard(blocks: list[dict[str, Any]], guard: Limits) -> None:
    given = request(blocks, "anthropic")
    shown = shown_in(gate_with(guard).messages(given, format="anthropic"), "anthropic")
    said = shown if isinstance(shown, str) else "\n".join(block["text"] for block in shown if block["type"] == "text")
    assert_text_within(said, guard)


ITEMS = bench_items(os.environ)
FILES = spread(sorted(ITEMS.glob("*/*")), 30) if ITEMS.is_dir() else []


@pytest.mark.skipif(not FILES, reason=f"there are no real outputs in {ITEMS}; PENSTOCK_BENCH names another place")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:40])
def test_laws_hold_over_a_real_output_in_a_message(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    for number, guard in enumerate((Limits(chars=8_000), Limits(chars=700, lines=12, bytes=900), Limits(tokens=1_500))):
        assert_laws_hold(text, DIALECTS[number], gate_with(guard, Policy(counter=Fourths())), guard)
