"""`penstock serve-tools`."""

from __future__ import annotations

import ipaddress
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Final

import click

from penstock.cli import console
from penstock.cli.indexes import opened_search
from penstock.cli.opening import opened
from penstock.errors import MissingExtra, ToolError
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
def command(roots: tuple[Path, ...], names: tuple[str, ...], http: bool, host: str, port: int) -> None:
    """Serve tools for reading and searching files over MCP.

    Every answer is within the limits of its tool. What was cut is kept, and can be read with read_output and
    grep_output, which are offered too.

    \b
      penstock serve-tools --root ~/src/project
      penstock serve-tools --http --port 8765
    """
    if http and not _is_own(host):
        raise click.BadParameter(
            f"{host} can be reached from elsewhere, and whoever reaches it may read your files; allowed are 127.0.0.1,"
            " ::1 and localhost. Put a proxy that asks for a password before it",
            param_hint="--host",
        )
    confined = Roots(roots or (Path(),))
    with opened() as gate, ExitStack() as stack:

        def search() -> CodeSearch:
            return stack.enter_context(opened_search())

        indexes = gate.settings.search.directory
        tools, missing = toolset(Workshop(gate, confined, gate.settings.tool, cache(search), indexes), names)
        for error in missing:
            console.note(str(error))
        try:
            if http:
                _serve_http(tools, host, port)
            else:
                _serve_stdio(tools)
        except ModuleNotFoundError as error:
            if error.name not in ("mcp", "mcp_types", "anyio", "starlette", "uvicorn"):
                raise
            raise MissingExtra("serving over MCP", "mcp") from None


def _is_own(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _serve_stdio(tools: Toolset) -> None:
    import asyncio  # noqa: PLC0415  # loads what only a server needs

    from penstock.mcp.tool_server import serve_stdio  # noqa: PLC0415  # as above

    asyncio.run(serve_stdio(tools))


def _serve_http(tools: Toolset, host: str, port: int) -> None:
    import socket  # noqa: PLC0415  # loads what only a server needs

    import uvicorn  # noqa: PLC0415  # as above

    from penstock.mcp.tool_server import http_app  # noqa: PLC0415  # as above

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
        server = uvicorn.Server(uvicorn.Config(http_app(tools, host), log_level="warning", lifespan="on"))
        server.run([listening])
