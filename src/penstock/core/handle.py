"""A handle names content by what it is: the same bytes have the same handle, on every machine, before they are kept."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import NewType

from penstock.errors import HandleError

Handle = NewType("Handle", str)

# fullmatch on a fixed-length class: cannot backtrack, so `re` is as linear as re2 here and costs no import.
_SHAPE = re.compile(r"ps-[a-z2-7]{16}")


def handle_of(digest: bytes) -> Handle:
    """The handle of content whose SHA-256 is `digest`: 80 of its 256 bits, readable aloud and safe in a file name."""
    return Handle("ps-" + base64.b32encode(digest[:10]).decode("ascii").lower())


def handle_for(data: bytes) -> Handle:
    return handle_of(hashlib.sha256(data).digest())


def parse_handle(text: object) -> Handle:
    """The handle in `text`, or a HandleError. What passes holds no path, no dot and no upper case."""
    stripped = text.strip() if isinstance(text, str) else ""
    if not _SHAPE.fullmatch(stripped):
        raise HandleError(text)
    return Handle(stripped)
