"""Times as people write and read them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_AGO: Final = re.compile(r"(\d{1,6})([smhdw])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def local(at: float) -> str:
    return _moment(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def utc(at: float) -> str:
    return _moment(at).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def since(text: str, now: float) -> float:
    """The time that "7d", "12h", "2026-11-01" or "2026-11-01T10:00" means; ValueError for anything else."""
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return now - int(ago[1]) * _SECONDS[ago[2]]
    return datetime.fromisoformat(text.strip()).timestamp()


def _moment(at: float) -> datetime:
    # A clock that is wrong, or a file's date that is, must not end a listing.
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(max(at, 0.0), 253_402_000_000.0))
