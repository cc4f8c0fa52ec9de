"""`penstock serve-tools`."""

from __future__ import annotations

import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Final

import click

from penstock.cli import console
from penstock.cli.endings import ended
from penstock.cli.indexes import opened_search
from penstock.cli.opening import opened_for_server
from penstock.cli.signals import caught
from penstock.errors import MissingExtra, ToolError
from penstock.hosts import is_this_machine
from penstock.search.code_search import CodeSearch
from penstock.tools.builtin import TOOLS, toolset
from penstock.tools.roots import Roots
from penstock.tools.toolset import Toolset, Workshop

PORT: Final = 8765


@click.command("serve-tools")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder that the tools may look into, and nothing besides; may be repeated. By default this folder.",
)
@click.option(
    "--tool",
    "names",
    multiple=True,
    type=click.Choice(list(TOOLS)),
    metavar="NAME",
    help=f"Offer this tool; may be repeated. By default all: {', '.join(TOOLS)}.",
)
@click.option("--http", is_flag=True, help="Serve over HTTP at /mcp. By default over stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: an address of this machine's own.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True, help="With --http; 0 takes a free one."
)
def command(roots: tuple[Path, ...], names: tuple[str, ...], http: bool, host: str, port: int) -> int:
    """Serve tools for reading and searching files over MCP.

    Every answer is within the limits of its tool. What was cut is kept, and can be read with read_output and
    grep_output, which are offered too.

    \b
      penstock serve-tools --root ~/src/project
      penstock serve-tools --http --port 8765
    """
    if http and not is_this_machine(host):
        raise click.BadParameter(
            f"{host} can be reached from elsewhere, and whoever reaches it may read your files; allowed are 127.0.0.1,"
            " ::1 and localhost. Put a proxy that asks for a password before it",
            param_hint="--host",
        )
    confined = Roots(roots or (Path(),))
    return _alone(lambda: _serve(confined, names, (host, port) if http else None))


def _alone(serve: Callable[[], int]) -> int:
    """The exit code of a server. Calls that nobody waits for any more go on in threads, which do not keep it."""
    before = threading.active_count()
    code = ended(serve)
    if threading.active_count() > before:
        os._exit(code)  # all is flushed and closed
    return code


def _serve(roots: Roots, names: tuple[str, ...], address: tuple[str, int] | None) -> int:
    with opened_for_server() as gate, ExitStack() as stack:

        def search() -> CodeSearch:
            return stack.enter_context(opened_search())

        indexes = gate.settings.search.directory
        tools, missing = toolset(Workshop(gate, roots, gate.settings.tool, cache(search), indexes), names)
        for error in missing:
            console.note(str(error))
        try:
            return _serve_stdio(tools) if address is None else _serve_http(tools, *address)
        except ModuleNotFoundError as error:
            if error.name not in ("mcp", "mcp_types", "anyio", "starlette", "uvicorn"):
                raise
            raise MissingExtra("serving over MCP", "mcp") from None


def _serve_stdio(tools: Toolset) -> int:
    from penstock.mcp.tool_server import serve_stdio  # noqa: PLC0415  # loads what only a server needs

    return _until_told(lambda: serve_stdio(tools))


def _serve_http(tools: Toolset, host: str, port: int) -> int:
    import socket  # noqa: PLC0415  # loads what only a server needs

    from penstock.mcp.http_server import serve_http  # noqa: PLC0415  # as above

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen()  # whoever reads the line below may connect at once
        except OSError as error:
            raise ToolError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        where = f"[{host}]" if ":" in host else host
        console.note(f"serving tools at http://{where}:{listening.getsockname()[1]}/mcp")
        return _until_told(lambda: serve_http(tools, host, listening))


def _until_told(serve: Callable[[], Awaitable[None]]) -> int:
    """Serve until there is nobody left, or a signal comes; the exit code."""
    import asyncio  # noqa: PLC0415  # loads what only a server needs

    signals: list[int] = []

    async def main() -> None:
        serving = asyncio.ensure_future(serve())
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            signals.append(number)
            loop.call_soon_threadsafe(serving.cancel)

        with caught(stop):
            await asyncio.wait([serving])
        # Who is told to stop takes the streams away from those who just write into them, and that is no failure.
        error = None if serving.cancelled() else serving.exception()
        if error is not None and not signals:
            raise error

    asyncio.run(main())
    return 128 + signals[0] if signals else 0
