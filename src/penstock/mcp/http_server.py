"""A set of tools over HTTP, until a signal comes. Calls that go on then have a second."""

from __future__ import annotations

import logging
import socket
from types import FrameType
from typing import Final

import uvicorn

from penstock.mcp.tool_server import http_app
from penstock.tools.toolset import Toolset

GRACE_SECONDS: Final = 1


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Each call that is ended would tell where in the code it was.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)


async def serve_http(tools: Toolset, host: str, listening: socket.socket) -> None:
    config = uvicorn.Config(
        http_app(tools, host), log_level="warning", lifespan="on", timeout_graceful_shutdown=GRACE_SECONDS
    )
    await _Server(config).serve([listening])
