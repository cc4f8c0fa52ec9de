"""What a format is: the literals that a call may begin with, and how to read what follows.

Several formats may share an opener. They are asked in the order of the list, and the first that proves a call has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from penstock.core.stream.scan import Scan, Steps

Read = Callable[[Scan, str], Steps[None]]


class Format(NamedTuple):
    name: str
    openers: tuple[str, ...]
    read: Read
    """Reads from the opener on, which it is told. It settles what it has read with `scan.hide()` and the like."""

    default: bool = True
    """Whether it is among "all"; what looks too much like prose is not."""

    first: bool = False
    """Whether it counts only where the stream begins; elsewhere it is not looked for."""

    fresh: bool = False
    """Whether it counts only where nothing was shown since the start or since other markup."""
