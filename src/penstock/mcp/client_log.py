"""Messages for the log of a client, as it wants them.

1. From the protocol of 2026-07-28 on a request says with which level it wants messages; one that does not gets none.
2. Before, a client sets a level. Over stdin and stdout it holds from then on; without one all is told.
3. HTTP requests know nothing of one another, so no level can hold from one to the next: what would have a client
   told more than it wants is refused.
4. A message goes with the answer that it belongs to. Over HTTP there is no other way to the client.
"""

from __future__ import annotations

from typing import Any, Final, get_args

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[dict[str, Any], Any]

LEAST: Final[types.LoggingLevel] = "info"  # the lowest level of what tools tell

_LEVELS: Final[tuple[types.LoggingLevel, ...]] = get_args(types.LoggingLevel)  # from the least on


class ClientLog:
    """Of the one client of a process, or of all that ask over HTTP."""

    def __init__(self) -> None:
        self._least = _LEVELS[0]

    def offered_by(self, server: Server[dict[str, Any]]) -> None:
        """Have a server say that it tells of its work, and take the level that a client sets."""
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set)

    async def tell(self, context: Context, level: types.LoggingLevel, text: str, logger: str) -> None:
        if level not in allowed_log_levels(context.protocol_version, context.meta) or not _reaches(level, self._least):
            return
        params = types.LoggingMessageNotificationParams(level=level, data=text, logger=logger)
        await context.session.send_notification(types.LoggingMessageNotification(params=params), context.request_id)

    async def _set(self, context: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        if context.request is None:  # the request of HTTP
            self._least = params.level
        elif not _reaches(LEAST, params.level):
            least = ", ".join(_LEVELS[: _LEVELS.index(LEAST) + 1])
            raise MCPError(
                types.INVALID_PARAMS,
                f"level = {params.level!r} is not allowed: over HTTP no level holds for later requests, and they tell"
                f" what is {LEAST} or more; allowed are {least}",
            )
        return types.EmptyResult()


def _reaches(level: types.LoggingLevel, least: types.LoggingLevel) -> bool:
    return _LEVELS.index(level) >= _LEVELS.index(least)
