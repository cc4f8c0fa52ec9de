"""What a store promises. One contract test (tests/stores/test_contract.py) runs on every store.

- `commit` returns only after the whole content is kept as durably as the store says it keeps things.
- The same content is kept once: a second commit renews its date and returns the same name.
- `read` returns exactly the bytes that were written, or raises: UnknownHandle (never kept), ExpiredHandle (deleted
  by retention or quota), Damaged (what is there is not what was kept). It never returns wrong bytes.
- Nothing that was not committed is visible to any reader, also not after a crash.
- Several processes may use one store at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from penstock.core.handle import Handle

Media = Literal["text", "json"]

# Digests and newline counts are kept for each block of this size, so that one page of a huge result is found and
# verified by reading one block and not the whole.
BLOCK = 256 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """One kept result."""

    handle: Handle
    digest: str  # hex SHA-256 of the whole content
    size: int  # bytes
    newlines: int
    media: Media
    tool: str
    name: str  # of the file, or what stands for one
    path: str | None  # where any other program can open it, if that is possible
    kept_at: float  # Unix time of the last time it was kept


@dataclass(frozen=True, slots=True)
class Swept:
    """What an expiry pass deleted."""

    results: int = 0
    bytes: int = 0
    leftovers: int = 0  # unfinished files of processes that were killed


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that `check` found; `repaired` tells whether it was put right."""

    problem: Literal["missing", "damaged", "unindexed", "leftover", "index", "permission"]
    name: str
    handle: Handle | None
    detail: str
    repaired: bool = False


class Writer(Protocol):
    """Content on its way in. Exactly one of `commit` and `abort` ends it; `abort` after either is a no-op."""

    def write(self, data: bytes) -> None: ...

    def commit(self, *, tool: str, media: Media, expect: Handle | None = None) -> Record:
        """Keep what was written. With `expect`, content with another handle is refused as Damaged."""
        ...

    def abort(self) -> None: ...


class Store(Protocol):
    name: str  # "memory", "disk": what the settings call it

    def open(self) -> Writer: ...

    def stat(self, handle: Handle) -> Record: ...

    def read(self, handle: Handle, offset: int, size: int) -> bytes:
        """Verified bytes from `offset`; fewer than `size` only at the end. Reads at most the blocks it touches."""
        ...

    def seek_line(self, handle: Handle, line: int) -> tuple[int, int]:
        """An offset at or before the start of 1-based `line`, with the number of newlines before that offset.

        The nearest block start, found without reading content; past the last line it is the last block's start.
        """
        ...

    def records(self) -> Iterator[Record]:
        """All that can be read now, newest first."""
        ...

    def delete(self, handle: Handle) -> None:
        """Delete one result now; its handle answers ExpiredHandle from then on."""
        ...

    def sweep(self) -> Swept:
        """Delete what is past its retention or over the quota, and what killed processes left unfinished."""
        ...

    def check(self, *, read_data: bool = False, repair: bool = False) -> list[Finding]: ...

    def close(self) -> None: ...


def keep(store: Store, data: bytes, *, tool: str, media: Media, expect: Handle | None = None) -> Record:
    """Keep content that is in memory as a whole."""
    writer = store.open()
    try:
        writer.write(data)
        return writer.commit(tool=tool, media=media, expect=expect)
    finally:
        writer.abort()
