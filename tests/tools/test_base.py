"""A tool's result is bounded before its caller sees it, however `execute` was written and inherited."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from penstock.core.limits import Limits
from penstock.core.view import View
from penstock.errors import StoreError
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.stores.memory import MemoryStore
from penstock.tools.base import BareTool
from strategies import BrokenStore, assert_text_within

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 3_001))
SMALL = Limits(chars=1_000)


@pytest.fixture
def gate() -> BareGate:
    return BareGate(store=MemoryStore(), ledger=MemoryLedger())


class ReadLog(BareTool):
    """Reads a log."""

    limits = SMALL

    def execute(self, path: str, *, lines: int = 3_000) -> Any:
        """Read it."""
        return "".join(LOG.splitlines(True)[:lines])


def test_result_of_a_tool_is_bounded_by_its_own_limits(gate: BareGate) -> None:
    assert_text_within(ReadLog(gate).execute("/var/log"), SMALL)
    assert next(gate.records()).tool == "ReadLog"


def test_result_that_fits_is_the_same_object(gate: BareGate) -> None:
    value = {"a": 1}

    class Lookup(BareTool):
        def execute(self) -> dict[str, int]:
            return value

    assert Lookup(gate).execute() is value


def test_tool_has_the_limits_of_its_name_where_it_sets_none(gate: BareGate) -> None:
    class Reader(BareTool):
        name = "read_file"

        def execute(self) -> str:
            return LOG

    assert_text_within(Reader(gate).execute(), Limits(chars=5_000, lines=200))


def test_tool_keeps_the_signature_and_the_words_of_execute() -> None:
    assert ReadLog.execute.__doc__ == "Read it."
    assert list(inspect.signature(ReadLog.execute).parameters) == ["self", "path", "lines"]


def test_strategy_of_a_tool_is_used(gate: BareGate) -> None:
    class Tail(BareTool):
        limits = SMALL
        strategy = "tail"

        def execute(self) -> str:
            return LOG

    assert LOG[-300:] in Tail(gate).execute()


def test_async_execute_is_awaited_and_bounded(gate: BareGate) -> None:
    class Fetch(BareTool):
        limits = SMALL

        async def execute(self, url: str) -> str:
            await asyncio.sleep(0)
            return LOG

    tool = Fetch(gate)
    assert inspect.iscoroutinefunction(tool.execute)
    assert_text_within(asyncio.run(tool.execute("https://example.org")), SMALL)


@pytest.mark.parametrize("is_async", [False, True])
def test_result_of_a_parent_reaches_the_child_whole_and_is_bounded_once(gate: BareGate, is_async: bool) -> None:
    got: list[int] = []

    class Counted(ReadLog):
        def execute(self, path: str, *, lines: int = 3_000) -> Any:
            output = super().execute(path)
            got.append(len(output))
            return output + "counted\n"

    class Awaiting(ReadLog):
        async def execute(self, path: str, *, lines: int = 3_000) -> Any:
            output = super().execute(path)
            got.append(len(output))
            return output + "counted\n"

    class Grandchild(Awaiting):
        async def execute(self, path: str, *, lines: int = 3_000) -> Any:
            return await super().execute(path)

    shown = asyncio.run(Grandchild(gate).execute("/x")) if is_async else Counted(gate).execute("/x")
    assert got == [len(LOG)]
    assert_text_within(shown, SMALL)
    assert shown.count("[Truncated") == 1
    assert [record.size for record in gate.records()] == [len(LOG) + len("counted\n")]


def test_child_that_adds_nothing_is_bounded_by_its_own_limits(gate: BareGate) -> None:
    class Tighter(ReadLog):
        limits = Limits(chars=500)

    assert_text_within(Tighter(gate).execute("/x"), Limits(chars=500))
    assert Tighter.execute is ReadLog.execute


def test_execute_of_a_mixin_is_bounded(gate: BareGate) -> None:
    class Mixin:
        def execute(self) -> str:
            return LOG

    class Mixed(Mixin, BareTool):
        limits = SMALL

    assert_text_within(Mixed(gate).execute(), SMALL)
    assert Mixin().execute() == LOG  # what knows nothing of gates is left as it was


def test_query_is_what_the_call_asks_for(gate: BareGate) -> None:
    asked: list[str] = []

    class Search(ReadLog):
        def admit(self, output: Any, query: str) -> View:
            asked.append(query)
            return super().admit(output, query)

    Search(gate).execute("src/main.py", lines=7)
    assert asked == ["src/main.py 7"]


def test_policy_of_a_tool_can_be_its_own(gate: BareGate) -> None:
    class Own(ReadLog):
        def admit(self, output: Any, query: str) -> View:
            return self.gate.admit(output, tool="mine", limits=Limits(chars=300), envelope=True)

    assert Own(gate).execute("/x")["status"] == "partial"
    assert next(gate.records()).tool == "mine"


def test_errors_of_execute_and_of_strict_keeping_pass() -> None:
    class Failing(BareTool):
        def execute(self) -> str:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Failing(BareGate()).execute()
    with pytest.raises(StoreError):
        ReadLog(BareGate(store=BrokenStore(), strict=True)).execute("/x")


def test_tool_without_execute_cannot_be_made(gate: BareGate) -> None:
    class Nothing(BareTool):
        pass

    with pytest.raises(TypeError, match="Nothing does not define execute"):
        Nothing(gate)


@pytest.mark.parametrize("kind", [staticmethod, classmethod])
def test_execute_that_is_no_method_is_refused(kind: Any) -> None:
    with pytest.raises(TypeError, match="method"):
        type("Odd", (BareTool,), {"execute": kind(lambda *_: LOG)})
