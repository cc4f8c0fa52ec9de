"""The tools as the official Python client meets them: as a process on stdin and stdout, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

mcp = pytest.importorskip("mcp")
from mcp.client.stdio import StdioServerParameters  # noqa: E402  # after it is known to be there

from penstock.tools.builtin import TOOLS  # noqa: E402  # as above

pytestmark = pytest.mark.slow

SERVE = [sys.executable, "-m", "penstock", "serve-tools"]
READS = {"read_output", "grep_output", "list_outputs"}
NAMES = READS | set(TOOLS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "penstock.yaml").write_text("tool_output_limits: {tools: {get_repo_structure: {max_chars: 2000}}}\n")
    (folder / "a.txt").write_text("one\nneedle\nthree\n")
    (folder / "surrogate.txt").write_bytes(b"half \xed\xa0\x80 a pair\n")
    (folder / "code").mkdir()
    (folder / "code" / "valve.py").write_text("def open_valve(pressure):\n    return pressure\n")
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(tmp_path / "indexes"))
    (folder / "valve.py").write_text("class Valve: ...\n")
    (folder / "many").mkdir()
    for number in range(400):
        (folder / "many" / f"file-{number:03d}.txt").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(folder)
    return folder


def stdio(*args: str) -> StdioServerParameters:
    return StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], *args], env=dict(os.environ))


@asynccontextmanager
async def over_http(*args: str) -> AsyncIterator[str]:
    server = await asyncio.create_subprocess_exec(*SERVE, "--http", "--port", "0", *args, stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None
        line = (await asyncio.wait_for(server.stderr.readline(), 30)).decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
        assert found, line
        yield found[0]
    finally:
        server.terminate()
        await server.wait()


async def called(client: Any, name: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool(name, arguments)
    assert len(result.content) == 1
    return result.content[0].text, bool(result.is_error)


async def session(client: Any) -> None:
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == NAMES
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed)
    assert await called(client, "read_file", path="a.txt") == ("one\nneedle\nthree\n[lines 1-3 of 3; end]", False)
    text, failed = await called(client, "read_file", path="surrogate.txt")
    assert (text, failed) == ("half \N{REPLACEMENT CHARACTER} a pair\n[line 1 of 1; end]", False)
    text, _ = await called(client, "grep_search", pattern="needle", context=0)
    assert text == "a.txt (1 match)\n2:needle\n\n[1 match in 1 file]"
    text, failed = await called(client, "repo_map", query="gate", files=["valve.py"], max_tokens=500)
    assert text.startswith("code/valve.py:\n")
    assert "def open_valve(pressure):" in text
    assert "without the 1 that you have" in text
    text, failed = await called(client, "get_repo_structure")
    assert len(text) <= 2_000
    assert not failed
    handle = re.search(r"ps-[a-z2-7]{16}", text)
    assert handle, text
    page, _ = await called(client, "read_output", handle=handle[0], start=1, limit=3)
    assert page.startswith("project/ (40")
    listed = {tool.name: tool for tool in listed}
    assert listed["index_repository"].annotations.read_only_hint is False
    assert listed["read_file"].annotations.read_only_hint is True
    text, failed = await called(client, "index_repository", path="code", project_id="shop")
    assert json.loads(text)["complete"], text
    text, failed = await called(client, "search_code", query="open the valve", project_id="shop", limit=3)
    found = json.loads(text)
    assert found["results"][0]["file_path"] == "valve.py"
    assert found["truncation_info"]["reason"] is None
    assert {"chunk_id", "content", "start_line", "end_line", "similarity_score"} <= found["results"][0].keys()
    for name, arguments, told in (
        ("read_file", {"path": "../x"}, "outside of what may be read"),
        ("read_file", {"path": "a.txt", "start": 0}, "start = 0 is not allowed: a whole number from 1 on"),
        ("read_file", {"file": "a.txt"}, "read_file needs the argument path"),
        ("read_file", {"path": "a.txt", "colour": 1}, "has no argument 'colour': it has path, start"),
        ("search_code", {"query": "x", "project_id": "gone"}, "one of those that are indexed: shop"),
        (
            "search_code",
            {"query": "x", "project_id": "shop", "limit": 51},
            "limit = 51 is not allowed: a whole number from",
        ),
        ("index_repository", {"path": "..", "project_id": "x"}, "outside of what may be read"),
        ("nonsense", {}, "there is no tool 'nonsense': there are get_repo_structure"),
        ("read_output", {"handle": "ps-" + "a" * 16}, "is unknown"),
    ):
        text, failed = await called(client, name, **arguments)
        assert failed, name
        assert text.startswith("Error: "), text
        assert told in text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_official_client_uses_every_tool_over_stdio(project: Path, mode: str) -> None:
    async def run() -> None:
        async with mcp.Client(stdio(), mode=mode) as client:
            await session(client)

    asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_official_client_uses_every_tool_over_http(project: Path, mode: str) -> None:
    async def run() -> None:
        async with over_http() as url, mcp.Client(url, mode=mode) as client:
            await session(client)

    asyncio.run(asyncio.wait_for(run(), 60))


def test_many_calls_at_once_are_all_answered(project: Path) -> None:
    async def run() -> None:
        async with mcp.Client(stdio("--tool", "read_file")) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {"read_file", *READS}
            answers = await asyncio.gather(*(called(client, "read_file", path="a.txt") for _ in range(50)))
            assert set(answers) == {("one\nneedle\nthree\n[lines 1-3 of 3; end]", False)}

    asyncio.run(asyncio.wait_for(run(), 60))


def test_page_of_another_site_is_refused_over_http(project: Path) -> None:
    def asked(url: str, **headers: str) -> int:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        try:
            with urlopen(Request(url, json.dumps(call).encode(), {**accepted, **headers}), timeout=10) as answer:
                return int(answer.status)
        except HTTPError as error:
            return int(error.code)

    async def run() -> None:
        async with over_http() as url:
            assert await asyncio.to_thread(asked, url) == 200
            assert await asyncio.to_thread(asked, url, Origin="https://evil.example") in (400, 403)
            assert await asyncio.to_thread(asked, url, Host="evil.example") in (400, 403, 421)

    asyncio.run(asyncio.wait_for(run(), 60))
