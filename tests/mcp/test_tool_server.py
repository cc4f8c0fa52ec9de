"""The tools as the official Python client meets them: as a process on stdin and stdout, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

mcp = pytest.importorskip("mcp")
from served import called, over_http, stdio  # noqa: E402  # as above

from penstock.tools.builtin import TOOLS  # noqa: E402  # after it is known to be there

pytestmark = pytest.mark.slow

READS = {"read_output", "grep_output", "list_outputs"}
NAMES = READS | set(TOOLS)


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
