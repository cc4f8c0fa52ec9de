"""A server of tools as a process, and the official client's ways to it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

import mcp

SERVE = (sys.executable, "-m", "penstock", "serve-tools")

# The same with a tool that waits, and an index_repository that has no time.
SLOW = (sys.executable, str(Path(__file__).parent / "slow_server.py"), "serve-tools")

# The protocol with a handshake, and that of 2026-07-28.
ways = pytest.mark.parametrize(("over", "mode"), [(o, m) for o in ("stdio", "http") for m in ("legacy", "auto")])


# One of each, for what does not depend on both at once.
both = pytest.mark.parametrize(("over", "mode"), [("stdio", "auto"), ("http", "legacy")])


def stdio(*args: str, command: Sequence[str] = SERVE) -> StdioServerParameters:
    return StdioServerParameters(command=command[0], args=[*command[1:], *args], env=dict(os.environ))


@asynccontextmanager
async def over_http(*args: str, command: Sequence[str] = SERVE) -> AsyncIterator[str]:
    server = await asyncio.create_subprocess_exec(*command, "--http", "--port", "0", *args, stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None
        line = (await asyncio.wait_for(server.stderr.readline(), 30)).decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert found, line
        yield found[0]
    finally:
        server.terminate()
        await server.wait()


@asynccontextmanager
async def client_of(
    over: str, mode: str, *args: str, command: Sequence[str] = SERVE, **options: Any
) -> AsyncIterator[Any]:
    if over == "stdio":
        async with mcp.Client(stdio(*args, command=command), mode=mode, **options) as client:
            yield client
    else:
        async with over_http(*args, command=command) as url, mcp.Client(url, mode=mode, **options) as client:
            yield client


async def called(client: Any, name: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool(name, arguments)
    assert len(result.content) == 1
    return result.content[0].text, bool(result.is_error)


def running(session: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(session(), 60)

    asyncio.run(bounded())


@contextmanager
def process(*args: str, command: Sequence[str] = SERVE) -> Iterator[subprocess.Popen[bytes]]:
    """A server for a client of our own, which lives a minute at most."""
    server = subprocess.Popen([*command, *args], stdin=-1, stdout=-1, stderr=-1)
    end = threading.Timer(60, server.kill)
    end.start()
    try:
        yield server
    finally:
        end.cancel()
        server.kill()
        server.wait()
        for pipe in (server.stdin, server.stdout, server.stderr):
            assert pipe is not None
            pipe.close()


def say(server: subprocess.Popen[bytes], **fields: Any) -> None:
    """Half surrogate pairs are written as JSON has them."""
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **fields}).encode() + b"\n")
    server.stdin.flush()


def answer_of(server: subprocess.Popen[bytes]) -> Any:
    assert server.stdout is not None
    return json.loads(server.stdout.readline())


def shake_hands(server: subprocess.Popen[bytes]) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    say(server, id=0, method="initialize", params=client)
    assert answer_of(server)["result"]["protocolVersion"] == "2025-06-18"
    say(server, method="notifications/initialized")
