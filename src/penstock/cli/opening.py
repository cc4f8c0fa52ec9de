"""The gate as the command line has it: the settings, with `--config` and `--directory` in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from penstock.configured import Gate
from penstock.core.policy import Reader
from penstock.ledger.contract import Ledger
from penstock.settings import Settings, load_settings
from penstock.stores.contract import Store
from penstock.stores.memory import MemoryStore
from penstock.errors import PenstockError


def settings() -> Settings:
    given = click.get_current_context().find_root().params
    overrides: dict[str, object] = {}
    if given.get("config") is not None:
        overrides["config"] = given["config"]
    if given.get("directory") is not None:
        overrides["store.directory"] = given["directory"]
    return load_settings(overrides=overrides)


@contextmanager
def opened(**options: Any) -> Iterator[Gate]:
    chosen = settings()
    with Gate(settings=chosen, reader=reader_of(chosen), **options) as gate:
        if isinstance(gate.store, MemoryStore):
            # It ends with this process: to say that something is kept there would be an empty promise.
            gate.store = None
        yield gate


@contextmanager
def opened_store() -> Iterator[tuple[Gate, Store]]:
    """For commands that have nothing to do without one."""
    with opened() as gate:
        if gate.store is None:
            raise PenstockError("nothing is kept between two calls: store.kind is memory in the settings")
        yield gate, gate.store


@contextmanager
def opened_ledger() -> Iterator[Ledger]:
    with opened() as gate:
        if gate.ledger is None or gate.store is None:
            raise PenstockError("nothing is recorded: ledger.enabled is false or store.kind is memory in the settings")
        yield gate.ledger


def reader_of(chosen: Settings) -> Reader:
    """What the notices name. The settings may say it; else `penstock read`, wherever that would find the output."""
    if chosen.reader != "auto":
        return chosen.reader
    # The call that reads on will not have the options of this one.
    plain = load_settings()
    return "cli" if plain.store.directory == chosen.store.directory else "files"
