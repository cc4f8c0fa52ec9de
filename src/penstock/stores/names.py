"""The names of kept results: `tool_<YYYYMMDD_HHMMSS>_<tool>.json` or `.txt`, safe on every file system.

A name that does not have exactly this shape is never opened, adopted or deleted: it is not ours.
"""

from __future__ import annotations

import re
import time

from penstock.stores.contract import Media

PREFIX = "tool_"
_SHAPE = re.compile(r"tool_[0-9]{8}_[0-9]{6}_([A-Za-z0-9._-]{1,80})\.(json|txt)")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_DOTS = re.compile(r"\.{2,}")

# Local times outside of these have no eight-digit date, or none at all on some systems.
_EARLIEST, _LATEST = 86_400.0, 253_402_000_000.0

# Longer names of tools are cut: in files as file systems end at 255 bytes, in records as nobody reads them.
_LONGEST_IN_FILE = 64
_LONGEST_IN_RECORD = 200


def file_tool(tool: str) -> str:
    """The tool's part of a file name.

    What Windows reserves (CON, NUL, ...) is reserved as a whole name; ours has a prefix.
    """
    safe = _DOTS.sub(".", _UNSAFE.sub("_", tool[:_LONGEST_IN_RECORD]))
    return safe.strip("._-")[:_LONGEST_IN_FILE].strip("._-") or "tool"


def record_tool(tool: str) -> str:
    """The tool's name as records tell it: bounded, and text that every database takes."""
    return tool[:_LONGEST_IN_RECORD].encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def file_stem(tool: str, at: float) -> str:
    """What the names of all results of this tool in this second begin with (local time, as people read it)."""
    stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(min(max(at, _EARLIEST), _LATEST)))
    return f"{PREFIX}{stamp}_{file_tool(tool)}"


def file_name(stem: str, media: Media, number: int) -> str:
    suffix = "" if number == 1 else f"_{number}"
    return f"{stem}{suffix}.{'json' if media == 'json' else 'txt'}"


def is_result(name: str) -> bool:
    return _SHAPE.fullmatch(name) is not None


def told_by(name: str) -> tuple[str, Media]:
    """Tool and media, as far as the file's name tells them: what an index that is rebuilt has to go by."""
    shape = _SHAPE.fullmatch(name)
    if shape is None:
        raise ValueError(f"{name!r} is not the name of a result")
    return shape[1], "json" if shape[2] == "json" else "text"
