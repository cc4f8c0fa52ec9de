"""The tools as the inspector of MCP meets them, by its `--cli`. `make inspector` installs it beside the environment."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from served import SERVE, over_http, running  # as above

from penstock import __version__  # after it is known to be there

INSPECTOR = Path(sys.prefix) / "inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="the MCP inspector needs node, which is not installed"),
    pytest.mark.skipif(
        not INSPECTOR.is_file(),
        reason=f"the MCP inspector is not in {sys.prefix}/inspector: `make inspector` needs npm",
    ),
]

# What its process ends with where a tool's answer is an error, or there is no such tool.
FAILED = 5

# Of all variables it gives a server on stdin only some that are safe.
HANDED_ON = ("PYTHONPATH", "XDG_DATA_HOME", "PENSTOCK_SEARCH_DIR")


@dataclass(frozen=True)
class Told:
    code: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """What a tool answered."""
        [content] = self.result["content"]
        assert content["type"] == "text"
        return str(content["text"])


def on_stdin() -> list[str]:
    given = [f"{name}={os.environ[name]}" for name in HANDED_ON if name in os.environ]
    return [*(part for one in given for part in ("-e", one)), *SERVE]


def asked(server: list[str], method: str, *options: str) -> Told:
    done = subprocess.run(
        ["node", str(INSPECTOR), "--cli", *server, "--method", method, *options],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return Told(done.returncode, done.stdout, done.stderr)


def called(server: list[str], tool: str, *options: str, **arguments: object) -> Told:
    given = ["--tool-args-json", json.dumps(arguments)] if arguments else []
    return asked(server, "tools/call", "--tool-name", tool, *given, *options)


def lists_and_calls(server: list[str], *era: str) -> None:
    listed = asked(server, "tools/list", "--strict", *era)
    assert (listed.code, listed.err.strip()) == (0, "")
    tools = {tool["name"]: tool for tool in listed.result["tools"]}
    assert tools["read_file"]["inputSchema"]["required"] == ["path"]
    assert tools["read_file"]["annotations"]["readOnlyHint"] is True
    assert tools["index_repository"]["annotations"]["readOnlyHint"] is False
    page = called(server, "read_file", *era, path="a.txt", limit=2)
    assert (page.code, page.text) == (0, "one\nneedle\n[lines 1-2 of 3; next: start=3]")


def is_told_what_is_wrong(server: list[str], *era: str) -> None:
    for tool, arguments, told in (
        (
            "read_file",
            {"path": "a.txt", "start": 0},
            "Error: read_file: start = 0 is not allowed: a whole number from 1 on",
        ),
        ("read_file", {"start": 1}, "Error: read_file needs the argument path: a text"),
        ("search_code", {"query": "x", "project_id": "gone"}, "one of those that are indexed: shop"),
    ):
        wrong = called(server, tool, *era, **arguments)
        assert wrong.code == FAILED
        assert wrong.result["isError"] is True
        assert told in wrong.text
    unknown = called(server, "nonsense", *era)
    assert unknown.code == FAILED
    assert "Tool 'nonsense' not found on server" in unknown.err


def test_inspector_uses_the_tools_over_stdio(project: Path) -> None:
    server = on_stdin()
    first = asked(server, "initialize").result
    assert first["serverInfo"] == {"name": "penstock-tools", "version": __version__}
    assert set(first["capabilities"]) == {"tools", "logging"}
    lists_and_calls(server)
    indexed = called(server, "index_repository", path="code", project_id="shop")
    assert json.loads(indexed.text)["complete"] is True
    found = asked(
        server, "tools/call", "--tool-name", "search_code", "--tool-arg", "query=open the valve", "project_id=shop"
    )
    assert json.loads(found.text)["results"][0]["file_path"] == "valve.py"
    is_told_what_is_wrong(server)
    assert asked(server, "logging/setLevel", "--log-level", "warning").code == 0


def test_inspector_uses_the_tools_over_http(project: Path) -> None:
    async def session() -> None:
        async with over_http() as url:

            def work() -> None:
                lists_and_calls([url])
                lists_and_calls([url], "--protocol-era", "modern")
                called([url], "index_repository", path="code", project_id="shop")
                is_told_what_is_wrong([url])
                assert asked([url], "logging/setLevel", "--log-level", "info").code == 0
                refused = asked([url], "logging/setLevel", "--log-level", "error")
                assert refused.code == 1
                assert "allowed are debug, info" in refused.err

            await asyncio.to_thread(work)

    running(session)
