"""The gate as the command line has it: the settings, with `--config` and `--directory` in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from penstock.cli.nowhere import WHY, Nowhere
from penstock.configured import Gate
from penstock.core.policy import Reader
from penstock.errors import CallerError, PenstockError, SettingsError
from penstock.ledger.contract import Ledger
from penstock.settings import Settings, load_settings
from penstock.stores.contract import Store


def settings() -> Settings:
    overrides = _overrides()
    try:
        return load_settings(overrides=overrides)
    except SettingsError as error:
        if error.source != "call":
            raise
        # Nobody here has made a call: name what was typed.
        option = f"--{error.key.rpartition('.')[2]}"
        raise CallerError(f"{option} {error.value} is not allowed: {error.allowed}") from error


def _overrides() -> dict[str, object]:
    given = click.get_current_context().find_root().params
    named = {"config": given.get("config"), "store.directory": given.get("directory")}
    return {key: value for key, value in named.items() if value is not None}


@contextmanager
def opened() -> Iterator[Gate]:
    chosen = settings()
    store = Nowhere() if chosen.store.kind == "memory" else None
    with Gate(settings=chosen, store=store, reader=reader_of(chosen)) as gate:
        yield gate


@contextmanager
def opened_for_server() -> Iterator[Gate]:
    """For a process that answers many calls: what is kept in memory is there for the next, and tools read on in it."""
    chosen = settings()
    with Gate(settings=chosen, reader=chosen.reader_or("penstock")) as gate:
        yield gate


@contextmanager
def opened_store() -> Iterator[Store]:
    """For what has nothing to do where nothing is kept."""
    with opened() as gate:
        if gate.store is None or isinstance(gate.store, Nowhere):
            raise PenstockError(f"nothing is kept: {WHY}")
        yield gate.store


@contextmanager
def opened_ledger() -> Iterator[Ledger]:
    with opened() as gate:
        if gate.ledger is None:
            raise PenstockError("nothing is recorded: ledger.enabled is false in the settings")
        if isinstance(gate.store, Nowhere):
            raise PenstockError(f"nothing is recorded: {WHY}")
        yield gate.ledger


def reader_of(chosen: Settings) -> Reader:
    """What the notices name. The settings may say it; else `penstock read`, wherever that will find the output."""
    if chosen.reader != "auto":
        return chosen.reader
    return "cli" if not _overrides() or _found_without_options(chosen) else "files"


def _found_without_options(chosen: Settings) -> bool:
    """Whether a call that has not the options of this one finds the same output."""
    try:
        return load_settings().store.directory == chosen.store.directory
    except SettingsError:  # that of the file for whose sake another one was named
        return False
