"""Where maps of trees are kept, and for how long.

Nobody asks for the map of a tree that is gone. So what no map was drawn from for a while is deleted, when a map of
another tree is begun and by `penstock gc`; should the tree be there after all, its files are parsed again.
"""

from __future__ import annotations

import logging
import os
import re
import time
from pathlib import Path
from typing import Final

from penstock.search.sqlite_file import delete_file

# In the folder of indexes.
MAPS: Final = "maps"

DAYS: Final = 30

_DAY: Final = 86_400.0
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+-[0-9a-f]{16}\.sqlite")

_log = logging.getLogger("penstock.tools")


def used(path: Path) -> None:
    """Note that a map was drawn from this file just now."""
    os.utime(path)


def swept(folder: Path, now: float | None = None) -> int:
    """Delete what was not used for too long; how many files."""
    deleted = 0
    for path in folder.glob("*.sqlite"):
        try:
            if _NAME.fullmatch(path.name) and path.stat().st_mtime < (now or time.time()) - DAYS * _DAY:
                delete_file(path)
                deleted += 1
        except FileNotFoundError:  # another process was faster
            continue
        except OSError as error:
            _log.warning("the map %s cannot be deleted: %s", path, error.strerror)
    return deleted
