"""What a client is told in its log, by each way to the server and each protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
from mcp.shared.exceptions import MCPError  # noqa: E402  # after it is known to be there
from served import called, client_of, running, ways  # noqa: E402  # as above

pytestmark = pytest.mark.slow

LIMIT = 5_000


@pytest.fixture
def pages(project: Path) -> Path:
    """Code of which some results fit the limit, and twelve do not."""
    (project / "penstock.yaml").write_text(f"tool_output_limits: {{tools: {{search_code: {{max_chars: {LIMIT}}}}}}}\n")
    for number in range(12):
        body = "".join(f"    step_{number}_{line} = valve\n" for line in range(10))
        (project / "code" / f"part{number:02d}.py").write_text(f"def open_valve_{number}(valve):\n{body}")
    return project


async def searched(client: Any, messages: list[Any], limit: int) -> tuple[str, Any]:
    """The level of what was told in the log, or nothing, and the response."""
    messages.clear()
    text, failed = await called(client, "search_code", query="open the valve", project_id="shop", limit=limit)
    assert not failed, text
    assert len(messages) <= 1
    return (messages[0].level if messages else ""), json.loads(text)


def due(response: Any) -> str:
    info = response["truncation_info"]
    if response["truncated"]:
        return "warning"
    near = max(info["estimated_chars"] / info["limit_chars"], info["estimated_tokens"] / info["limit_tokens"]) >= 0.7
    return "info" if near else ""


@ways
def test_truncated_search_is_a_warning_and_one_near_the_limit_an_info(pages: Path, over: str, mode: str) -> None:
    messages: list[Any] = []

    async def keep(message: Any) -> None:
        messages.append(message)

    async def session() -> None:
        async with client_of(over, mode, logging_callback=keep, log_level="info") as client:
            await called(client, "index_repository", path="code", project_id="shop")
            levels = []
            for limit in range(1, 13):
                level, response = await searched(client, messages, limit)
                assert level == due(response), response["truncation_info"]
                assert response["truncation_info"]["limit_chars"] == 0.8 * LIMIT
                levels.append(level)
            assert list(dict.fromkeys(levels)) == ["", "info", "warning"]
            assert messages[0].logger == "search_code"
            assert messages[0].data.startswith("results truncated: 12 -> ")

    running(session)


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_request_of_the_protocol_of_2026_that_wants_no_messages_gets_none(pages: Path, over: str) -> None:
    messages: list[Any] = []

    async def keep(message: Any) -> None:
        messages.append(message)

    async def session() -> None:
        for wanted, told in ((None, ""), ("error", ""), ("warning", "warning")):
            async with client_of(over, "auto", logging_callback=keep, log_level=wanted) as client:
                await called(client, "index_repository", path="code", project_id="shop")
                assert (await searched(client, messages, 12))[0] == told

    running(session)


def test_level_that_a_client_sets_holds_over_stdio(pages: Path) -> None:
    messages: list[Any] = []

    async def keep(message: Any) -> None:
        messages.append(message)

    async def session() -> None:
        async with client_of("stdio", "legacy", logging_callback=keep) as client:
            assert client.server_capabilities.logging is not None
            await called(client, "index_repository", path="code", project_id="shop")
            for level, told in (("error", ""), ("warning", "warning"), ("emergency", ""), ("debug", "warning")):
                with pytest.warns(match="deprecated"):
                    await client.set_logging_level(level)
                assert (await searched(client, messages, 12))[0] == told

    running(session)


def test_level_that_cannot_hold_over_http_is_refused_with_those_that_can(pages: Path) -> None:
    async def session() -> None:
        async with client_of("http", "legacy") as client:
            for level in ("debug", "info"):
                with pytest.warns(match="deprecated"):
                    await client.set_logging_level(level)
            with pytest.warns(match="deprecated"), pytest.raises(MCPError, match="allowed are debug, info"):
                await client.set_logging_level("warning")

    running(session)
