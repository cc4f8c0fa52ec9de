"""Calls that take long, over each way to the server: progress, cancelling, several at once, the end of the server."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

mcp = pytest.importorskip("mcp")
from served import SLOW, answer_of, both, called, client_of, over_http, process, running, say, shake_hands  # noqa: E402  # after it is known to be there

pytestmark = pytest.mark.slow


async def there(path: Path) -> None:
    for _ in range(2_000):
        if path.exists():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{path.name} did not come")


@both
def test_calls_at_once_do_not_wait_for_one_another(project: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode, command=SLOW) as client:
            waiting = [asyncio.create_task(called(client, "wait", of=name)) for name in ("first", "second")]
            for name in ("first", "second"):
                await there(project / f"{name}.began")
            assert (await called(client, "read_file", path="a.txt"))[0].startswith("one\n")
            assert not any(task.done() for task in waiting)
            for name in ("second", "first"):
                (project / f"{name}.go").touch()
            assert await asyncio.gather(*waiting) == [("went", False)] * 2

    running(session)


# With a handshake over HTTP it is not possible: the request to cancel is one of its own, which knows no other.
@pytest.mark.parametrize(("over", "mode"), [("stdio", "legacy"), ("stdio", "auto"), ("http", "auto")])
def test_call_that_is_cancelled_ends_and_the_next_is_answered(project: Path, over: str, mode: str) -> None:
    async def session() -> None:
        async with client_of(over, mode, command=SLOW) as client:
            for name in ("first", "second"):
                waiting = asyncio.create_task(called(client, "wait", of=name))
                await there(project / f"{name}.began")
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                await there(project / f"{name}.ended")
                assert (await called(client, "read_file", path="a.txt"))[0].startswith("one\n")

    running(session)


@pytest.mark.parametrize("cancelled", [False, True])
@both
def test_many_calls_that_go_on_do_not_keep_others_waiting(project: Path, over: str, mode: str, cancelled: bool) -> None:
    async def session() -> None:
        async with client_of(over, mode, command=SLOW) as client:
            calls = []
            for name in map(str, range(45)):
                calls.append(asyncio.create_task(called(client, "wait", of=name, deaf=True)))
                await there(project / f"{name}.began")
                if cancelled:
                    calls[-1].cancel()
            assert (await called(client, "read_file", path="a.txt"))[0].startswith("one\n")
            for name in map(str, range(45)):
                (project / f"{name}.go").touch()
            await asyncio.wait(calls)

    running(session)


def test_call_ends_with_the_http_request_that_made_it(project: Path) -> None:
    arguments = {"name": "wait", "arguments": {"of": "it"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}).encode()

    async def session() -> None:
        async with over_http(command=SLOW) as url:
            host, port = url.split("/")[2].split(":")
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(
                f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
                f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                + body
            )
            await there(project / "it.began")
            writer.close()
            await there(project / "it.ended")

    running(session)


@both
def test_indexing_tells_how_far_it_is_and_that_its_time_was_over(project: Path, over: str, mode: str) -> None:
    told: list[tuple[float, str | None]] = []

    async def keep(done: float, _: float | None, text: str | None) -> None:
        told.append((done, text))

    async def session() -> None:
        async with client_of(over, mode, command=SLOW) as client:
            waiting = asyncio.create_task(client.call_tool("wait", {"of": "it"}, progress_callback=keep))
            while not told:
                await asyncio.sleep(0.01)
            (project / "it.go").touch()
            await waiting
            assert told[0] == (1, "still waiting")
            text, failed = await called(client, "index_repository", path=".", project_id="shop")
            response = json.loads(text)
            assert not failed
            assert response["complete"] is False
            assert "call again with the same arguments" in response["next"]
        told.clear()
        async with client_of(over, mode) as client:
            result = await client.call_tool("index_repository", {"path": ".", "project_id": "shop"})
            response = json.loads(result.content[0].text)
            assert response["complete"] is True
            assert response["indexed"] + response["unchanged"] >= 3
            assert "next" not in response

    running(session)


def test_progress_of_indexing_reaches_the_client(project: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def keep(done: float, _: float | None, text: str | None) -> None:
        told.append((done, text))

    async def session() -> None:
        async with client_of("stdio", "auto", command=[*SLOW[:2], "--unhurried", SLOW[2]]) as client:
            result = await client.call_tool(
                "index_repository", {"path": ".", "project_id": "shop"}, progress_callback=keep
            )
            assert json.loads(result.content[0].text)["complete"] is True
            assert told
            assert [text for _, text in told] == [f"{int(done):,} files" for done, _ in told]
            assert [done for done, _ in told] == sorted(done for done, _ in told)

    running(session)


@both
def test_two_that_index_the_same_at_once_and_a_third_that_searches_are_all_answered(
    project: Path, over: str, mode: str
) -> None:
    for number in range(150):
        (project / "code" / f"part{number}.py").write_text(f"def open_valve_{number}(): ...\n" * 20)

    async def session() -> None:
        async with client_of(over, mode) as client:
            assert not (await called(client, "index_repository", path="many", project_id="shop"))[1]
            calls = [called(client, "index_repository", path="code", project_id="shop") for _ in range(2)]
            searches = [called(client, "search_code", query="valve", project_id="shop") for _ in range(5)]
            for text, failed in await asyncio.gather(*calls, *searches):
                assert not failed, text
            text, _ = await called(client, "index_repository", path="code", project_id="shop")
            response = json.loads(text)
            assert (response["complete"], response["unchanged"]) == (True, 151)
            text, _ = await called(client, "search_code", query="open_valve_149", project_id="shop", limit=1)
            assert json.loads(text)["results"][0]["file_path"] == "part149.py"

    running(session)


def test_indexing_that_was_cancelled_goes_on_where_it_was(project: Path) -> None:
    for number in range(2_000):
        (project / "code" / f"part{number}.py").write_text(f"def open_valve_{number}(): ...\n" * 20)
    told: list[float] = []

    async def keep(done: float, _: float | None, __: str | None) -> None:
        told.append(done)

    async def session() -> None:
        async with client_of("stdio", "auto", command=[*SLOW[:2], "--unhurried", SLOW[2]]) as client:
            arguments = {"path": "code", "project_id": "shop"}
            call = asyncio.create_task(client.call_tool("index_repository", arguments, progress_callback=keep))
            while len(told) < 50:
                await asyncio.sleep(0.001)
            call.cancel()
            await asyncio.wait([call])
            assert told[-1] < 2_000
            text, failed = await called(client, "index_repository", **arguments)
            assert not failed, text
            response = json.loads(text)
            assert (response["complete"], response["indexed"] + response["unchanged"]) == (True, 2_001)
            text, _ = await called(client, "search_code", query="open_valve_1999", project_id="shop", limit=1)
            assert json.loads(text)["results"][0]["file_path"] == "part1999.py"

    running(session)


def kept_busy(server: subprocess.Popen[bytes]) -> None:
    """A call goes on that does not hear."""
    say(server, id=1, method="tools/call", params={"name": "wait", "arguments": {"of": "it", "deaf": True}})
    asyncio.run(there(Path("it.began")))


def ended(server: subprocess.Popen[bytes], code: int) -> None:
    began = time.monotonic()
    assert server.stderr is not None
    assert (server.wait(30), server.stderr.read()) == (code, b"")
    assert time.monotonic() - began < 15  # a call would go on for 50 seconds


@pytest.mark.parametrize("busy", [False, True])
def test_server_whose_stdin_ends_ends_at_once(project: Path, busy: bool) -> None:
    with process(command=SLOW) as server:
        shake_hands(server)
        if busy:
            kept_busy(server)
        assert server.stdin is not None
        server.stdin.close()
        ended(server, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are other things there")
@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_server_on_stdin_ends_on_a_signal_with_its_code(project: Path, name: str, busy: bool) -> None:
    number = getattr(signal, name)
    with process(command=SLOW) as server:
        shake_hands(server)
        if busy:
            kept_busy(server)
        server.send_signal(number)
        ended(server, 128 + number)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are other things there")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_server_over_http_ends_on_a_signal_in_the_middle_of_a_call(project: Path, name: str, mode: str) -> None:
    number = getattr(signal, name)

    async def asking(url: str) -> None:
        async with mcp.Client(url, mode=mode) as client:
            await called(client, "wait", of="it", deaf=True)

    async def session(server: subprocess.Popen[bytes]) -> None:
        assert server.stderr is not None
        line = await asyncio.to_thread(server.stderr.readline)
        client = asyncio.create_task(asking(line.split()[-1].decode()))
        await there(project / "it.began")
        server.send_signal(number)
        await asyncio.to_thread(ended, server, 128 + number)
        client.cancel()
        await asyncio.wait([client])

    with process("--http", "--port", "0", command=SLOW) as server:
        running(lambda: session(server))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are other things there")
def test_what_was_recorded_before_a_signal_is_kept(project: Path) -> None:
    with process() as server:
        shake_hands(server)
        say(server, id=1, method="tools/call", params={"name": "get_repo_structure", "arguments": {}})
        assert "[Truncated" in answer_of(server)["result"]["content"][0]["text"]
        server.terminate()
        ended(server, 143)
    told = subprocess.run([sys.executable, "-m", "penstock", "stats"], capture_output=True, text=True, timeout=60)
    assert re.search(r"^all +1 ", told.stdout, re.MULTILINE), told.stdout
