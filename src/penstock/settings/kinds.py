"""What kinds of values settings take. `of` reads what YAML or a caller gives, `of_text` what the environment gives.

Both raise ValueError for what is not allowed; `allowed` says in words what is.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

import msgspec

_NULLS: Final = ("null", "none", "~")
_FLAGS: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


_TOO_MUCH: Final = 2**63  # past it, databases and other programs do not follow


class Kind(Protocol):
    @property
    def allowed(self) -> str: ...

    def of(self, value: object) -> object: ...

    def of_text(self, text: str) -> object: ...


class Whole(msgspec.Struct, frozen=True):
    least: int | None = 1
    null: str = ""  # what null stands for; without it, null is not allowed

    @property
    def allowed(self) -> str:
        return "a whole number" + ("" if self.least is None else f" from {self.least} on") + _or_null(self.null)

    def of(self, value: object) -> object:
        if value is None and self.null:
            return None
        # bool is an int to Python, but `max_lines: true` is a slip.
        if type(value) is not int or abs(value) >= _TOO_MUCH or (self.least is not None and value < self.least):
            raise ValueError
        return value

    def of_text(self, text: str) -> object:
        return self.of(None if text.lower() in _NULLS else int(text))


class Number(msgspec.Struct, frozen=True):
    least: float
    most: float
    above: bool = False  # `least` itself is not allowed

    @property
    def allowed(self) -> str:
        return f"a number {'above' if self.above else 'from'} {self.least:g}, up to {self.most:,g}"

    def of(self, value: object) -> object:
        if type(value) is not int and type(value) is not float:
            raise ValueError
        if math.isnan(value) or not self.least <= value <= self.most or (self.above and value == self.least):
            raise ValueError
        return value

    def of_text(self, text: str) -> object:
        number = float(text)
        return self.of(int(number) if number.is_integer() else number)


class Choice(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    aliases: dict[str, str] = {}

    @property
    def allowed(self) -> str:
        return ", ".join(self.names[:-1]) + " or " + self.names[-1]

    def of(self, value: object) -> object:
        name = value.lower() if isinstance(value, str) else ""
        name = self.aliases.get(name, name)
        if name not in self.names:
            raise ValueError
        return name

    def of_text(self, text: str) -> object:
        return self.of(text)


class Flag(msgspec.Struct, frozen=True):
    @property
    def allowed(self) -> str:
        return "true or false"

    def of(self, value: object) -> object:
        if not isinstance(value, bool):
            raise ValueError
        return value

    def of_text(self, text: str) -> object:
        return self.of(_FLAGS.get(text.lower()))


class Text(msgspec.Struct, frozen=True):
    what: str
    null: str = ""

    @property
    def allowed(self) -> str:
        return self.what + _or_null(self.null)

    def of(self, value: object) -> object:
        if value is None and self.null:
            return None
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise ValueError
        return value

    def of_text(self, text: str) -> object:
        return self.of(None if text.lower() in _NULLS and self.null else text)


class Address(msgspec.Struct, frozen=True):
    """Where a server is. Settings are shown and shared, so they hold no password."""

    schemes: tuple[str, ...]
    null: str = ""
    elsewhere: str = "PGPASSWORD or ~/.pgpass"  # where the password belongs

    @property
    def allowed(self) -> str:
        schemes = " or ".join(f"{scheme}://" for scheme in self.schemes)
        return f"a {schemes} address without a password, which belongs into {self.elsewhere}" + _or_null(self.null)

    def of(self, value: object) -> object:
        if value is None and self.null:
            return None
        if not isinstance(value, str) or not value.isprintable():
            raise ValueError
        parts = urlsplit(value)
        # What stands behind a password with a slash in it looks like a path.
        has_password = parts.password is not None or "password=" in parts.query or "@" in parts.path
        if parts.scheme not in self.schemes or has_password:
            raise ValueError
        return value

    def of_text(self, text: str) -> object:
        return self.of(None if text.lower() in _NULLS and self.null else text)


class Place(msgspec.Struct, frozen=True):
    """A file or a folder. Where a relative one begins depends on who names it, so that is left to who asks."""

    what: str
    null: str = ""

    @property
    def allowed(self) -> str:
        return self.what + _or_null(self.null)

    def of(self, value: object) -> object:
        if value is None and self.null:
            return None
        text = str(value) if isinstance(value, Path) else value
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise ValueError
        return Path(text)

    def of_text(self, text: str) -> object:
        return self.of(text)


def _or_null(meaning: str) -> str:
    return f", or null for {meaning}" if meaning else ""
