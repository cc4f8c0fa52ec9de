"""How a refused setting is put into words: whatever was given, the sentence stays short."""

from __future__ import annotations

import re

import msgspec

from penstock.errors import SettingsError

_SHOWN = 200
_PASSWORD = re.compile(r"(://[^:/@\s]*:)\S*(?=@)|(password=)[^&\s]*")  # with what it has in it, as people paste it


class Thing(msgspec.Struct, frozen=True):
    """What no setting can be, by what it is: "a list"."""

    what: str

    def __repr__(self) -> str:
        return self.what


class Lined(dict[str, object]):
    """A mapping from a file, which knows in what line each of its keys stands."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}


def refusal(source: str, key: str, value: object, allowed: str) -> SettingsError:
    key = str(_brief(key))
    return SettingsError(source, key if key.isprintable() else repr(key), _brief(value), allowed)


def unreadable(source: str, why: str) -> SettingsError:
    """A file that gives no settings at all: there is no key to name."""
    error = SettingsError(source, "", None, why)
    error.args = (f"{source}: {why}",)
    return error


def _brief(value: object) -> object:
    if isinstance(value, dict):
        return Thing("a mapping")
    if isinstance(value, list | tuple | set | frozenset):
        return Thing("a list")
    if isinstance(value, str):
        value = _PASSWORD.sub(r"\1\2***", value[: 10 * _SHOWN])  # whose time grows faster than the text
        return value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
    # Python refuses to write out numbers of more than 4,300 digits.
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return Thing(f"a number of {value.bit_length()} bits")
    return value
