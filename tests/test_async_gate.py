"""The gate for asyncio: the same answers as the gate, without holding up the loop."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from penstock.async_gate import AsyncGate
from penstock.configured import Gate
from penstock.core.limits import Limits
from penstock.errors import CallerError, UnknownHandle
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import assert_text_within

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 3_001))
SMALL = Limits(chars=1_000)


@pytest.fixture
def bare() -> BareGate:
    return BareGate(store=MemoryStore(), ledger=MemoryLedger())


def test_every_call_gives_what_the_gate_gives(bare: BareGate) -> None:
    async def main() -> None:
        async with AsyncGate(bare) as gate:
            view = await gate.admit(LOG, tool="Bash", limits=SMALL)
            assert view.text == bare.admit(LOG, tool="Bash", limits=SMALL).text
            handle = view.handle
            assert handle is not None
            assert await gate.read(handle, limit=5) == bare.read(handle, limit=5)
            assert (await gate.grep(handle, "99")).text == bare.grep(handle, "99").text
            assert (await gate.unseen(handle)).text
            assert [record.handle for record in await gate.records()] == [handle]
            assert await gate.call("read_output", {"handle": handle}) == bare.call("read_output", {"handle": handle})
            rows = list(range(3_000))
            assert await gate.value(rows, limits=SMALL) == bare.value(rows, limits=SMALL)
            [one] = await gate.turn([(LOG, "Bash")], budget=SMALL)
            assert one.text == view.text
            messages = [{"role": "tool", "content": LOG}]
            assert await gate.messages(messages) == bare.messages(messages)
            assert (await gate.sweep()).results == 0
            assert gate.tools("anthropic") == bare.tools("anthropic")
            with pytest.raises(UnknownHandle):
                await gate.read("ps-aaaaaaaaaaaaaaaa")

    asyncio.run(main())


def test_async_gate_has_a_twin_for_every_method_of_the_gate() -> None:
    def public(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}

    # What is left answers at once, or is for output that a thread brings in.
    assert public(BareGate) - public(AsyncGate) == {"open", "policy", "reading", "size", "close"}
    assert public(AsyncGate) - public(BareGate) == {"aclose"}


def test_async_gate_makes_a_gate_of_its_own(tmp_path: Path) -> None:
    gate = AsyncGate(directory=tmp_path / "kept", limits=SMALL)
    assert isinstance(gate.gate, Gate)
    assert asyncio.run(gate.admit(LOG)).handle is not None
    with pytest.raises(CallerError, match="not both"):
        AsyncGate(gate.gate, limits=SMALL)


def test_decorated_coroutine_is_bounded(bare: BareGate) -> None:
    gate = AsyncGate(bare)

    @gate.tool(limits=SMALL)
    async def run(command: str) -> str:
        return LOG

    assert_text_within(asyncio.run(run("make")), SMALL)


def test_keeping_does_not_hold_up_the_loop(bare: BareGate, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the store is busy the loop goes on: it is the loop that lets the store finish."""
    released = threading.Event()
    stat = bare.store.open  # type: ignore[union-attr]
    monkeypatch.setattr(bare.store, "open", lambda: released.wait(20) and stat())

    async def main() -> Any:
        admitting = asyncio.ensure_future(AsyncGate(bare).admit(LOG, limits=SMALL))
        await asyncio.sleep(0.05)
        assert not admitting.done()
        released.set()
        return await admitting

    assert asyncio.run(main()).handle is not None


async def pieces(*given: Any) -> AsyncIterator[Any]:
    for piece in given:
        await asyncio.sleep(0)
        yield piece


def test_async_pieces_give_the_view_of_the_whole(bare: BareGate) -> None:
    view = asyncio.run(AsyncGate(bare).capture(pieces(LOG[:99], LOG[99:]), limits=SMALL, tool="Bash"))
    assert view.text == bare.admit(LOG, limits=SMALL, tool="Bash").text


def test_pipe_of_a_subprocess_is_taken_whole_with_lines_of_any_length(bare: BareGate) -> None:
    async def main() -> Any:
        program = "print('x' * 300_000); print('the end')"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        view = await AsyncGate(bare).capture(process.stdout, limits=SMALL)
        await process.wait()
        return view

    view = asyncio.run(main())
    assert (view.original.bytes, view.original.lines) == (300_009, 2)
    assert "the end" in view.text


def test_cancelled_capture_keeps_nothing_and_leaves_no_file(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "kept", durability="none")
    bare = BareGate(store=store, ledger=MemoryLedger())

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 700_000
            await asyncio.sleep(0)

    async def main() -> None:
        capturing = asyncio.ensure_future(AsyncGate(bare).capture(endless(), limits=SMALL))
        while not any(name.startswith(".part-") for name in _names(tmp_path / "kept")):
            await asyncio.sleep(0.01)
        for _ in range(3):  # also while a piece is being written
            await asyncio.sleep(0)
        capturing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await capturing

    for _ in range(5):
        asyncio.run(main())
    assert list(store.records()) == []
    assert [name for name in _names(tmp_path / "kept") if name.startswith((".part-", "tool_"))] == []
    assert bare.ledger is not None
    assert bare.ledger.recent() == []


def test_error_of_a_source_ends_its_capture(bare: BareGate) -> None:
    async def failing() -> AsyncIterator[str]:
        yield LOG
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(AsyncGate(bare).capture(failing(), limits=SMALL))
    assert list(bare.records()) == []


def _names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()] if directory.is_dir() else []
