"""What `store.kind: memory` is for a program that ends with its one result: a store that keeps nothing, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from penstock.core.handle import Handle
from penstock.errors import StoreError, UnknownHandle
from penstock.stores.contract import Finding, Record, Swept

WHY: Final = "store.kind is memory in the settings, which ends with each call"


class Nowhere:
    name = "memory"

    def open(self) -> NoReturn:
        raise StoreError(WHY)

    def stat(self, handle: Handle) -> NoReturn:
        raise UnknownHandle(handle)

    def read(self, handle: Handle, offset: int, size: int) -> NoReturn:  # noqa: ARG002
        raise UnknownHandle(handle)

    def seek_line(self, handle: Handle, line: int) -> NoReturn:  # noqa: ARG002
        raise UnknownHandle(handle)

    def delete(self, handle: Handle) -> NoReturn:
        raise UnknownHandle(handle)

    def records(self) -> Iterator[Record]:
        return iter(())

    def sweep(self) -> Swept:
        return Swept()

    def check(self, *, read_data: bool = False, repair: bool = False) -> list[Finding]:  # noqa: ARG002
        return []

    def close(self) -> None:
        pass
