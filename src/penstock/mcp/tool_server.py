"""A set of tools as an MCP server, over stdin and stdout or over HTTP."""

from __future__ import annotations

import json
import re
import sys
import time
from io import TextIOWrapper
from typing import Any, Final, cast

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette

from penstock import __version__
from penstock.core.offers import Offer
from penstock.mcp.client_log import ClientLog, Context
from penstock.tools.toolset import Progress, Toolset

NAME: Final = "penstock-tools"

# At most so often is a client told how far a call is.
_PROGRESS_SECONDS: Final = 0.5

_INSTRUCTIONS: Final = (
    "Every answer is bounded. One that was cut says so in its last line, with a handle: read_output and grep_output"
    " read the rest of it."
)

# They have threads of their own: reading what a client writes must not wait for the end of a call.
CALLS_AT_ONCE: Final = 200

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def server_of(tools: Toolset) -> Server[dict[str, Any]]:
    offered = [_tool(offer, changes=tools.changes(offer.name)) for offer in tools.offers]
    log = ClientLog()
    calls = anyio.CapacityLimiter(CALLS_AT_ONCE)

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offered)

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        def call() -> Any:
            return tools.call(params.name, params.arguments or {}, _progress(context))

        # In a thread, as tools wait for disks and programs. A client that cancels is not kept waiting for its end.
        answer = await anyio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=calls)
        for level, text in answer.notes:
            await log.tell(context, cast("types.LoggingLevel", level), text, params.name)
        content = types.TextContent(type="text", text=_sendable(answer.text))
        return types.CallToolResult(content=[content], is_error=answer.failed)

    server = Server(
        NAME, version=__version__, instructions=_INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )
    log.offered_by(server)
    return server


def _tool(offer: Offer, *, changes: bool) -> types.Tool:
    return types.Tool(
        name=offer.name,
        description=offer.description,
        input_schema=offer.schema(),
        annotations=types.ToolAnnotations(read_only_hint=not changes, destructive_hint=False, open_world_hint=False),
    )


def _sendable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which files may hold and the protocol's UTF-8 may not."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _progress(context: Context) -> Progress:
    """From the thread of a call to its client, if it asked for it. A call that was cancelled ends here."""
    told = time.monotonic()

    def tell(done: float, text: str) -> None:
        nonlocal told
        anyio.from_thread.check_cancelled()
        if time.monotonic() - told >= _PROGRESS_SECONDS:
            told = time.monotonic()
            anyio.from_thread.run(context.session.report_progress, done, None, text)

    return tell


class _Lines(anyio.AsyncFile[str]):
    """What a client writes. Whoever waits for a line can be stopped, which the SDK's own reader cannot."""

    async def readline(self) -> str:
        return _readable(await anyio.to_thread.run_sync(self.wrapped.readline, abandon_on_cancel=True))


def _readable(line: str) -> str:
    """A message with U+FFFD for each lone surrogate, which JSON may hold; the SDK would drop it unanswered."""
    if _SURROGATE.search(line) is None:
        return line
    try:
        return _sendable(json.dumps(json.loads(line), ensure_ascii=False))
    except (ValueError, RecursionError):
        return line


async def serve_stdio(tools: Toolset) -> None:
    server = server_of(tools)
    lines = _Lines(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))
    async with stdio_server(lines) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_app(tools: Toolset, host: str) -> Starlette:
    """At /mcp. Other hosts than this machine are answered only where `host` is another one."""
    return server_of(tools).streamable_http_app(host=host, stateless_http=True)
