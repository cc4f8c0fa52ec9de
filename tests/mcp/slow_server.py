"""The command line with a tool that waits for a file, and an index_repository that has no time, or `--unhurried`."""

import sys

from penstock.tools import index_repository
from penstock.tools.builtin import TOOLS
from penstock.tools.index_repository import IndexRepository
from penstock.tools.toolset import Workshop

TOOLS["wait"] = "waiting"


def hurried(of: Workshop) -> IndexRepository:
    return IndexRepository(of.gate, of.search(), of.roots, seconds=0)


if __name__ == "__main__":
    from penstock.cli import main
    from penstock.mcp import tool_server

    if sys.argv[1] == "--unhurried":
        sys.argv.pop(1)
    else:
        index_repository.made = hurried
    tool_server._PROGRESS_SECONDS = 0
    sys.exit(main())
