"""The layers that settings come from, each checked against the declarations: built in, file, environment, call."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from penstock.errors import SettingsError
from penstock.settings import places
from penstock.settings.refusal import Lined, refusal
from penstock.settings.table import BUILT_IN, CONFIG, EMBEDDING_KEY, Setting
from penstock.settings.tree import TREE, Key, Named, Section, Tree, nearest, no_such, place_of, settings

_log = logging.getLogger("penstock.settings")

DEFAULT: Final = "default"

_PREFIXES: Final = ("PENSTOCK_", "TOOL_OUTPUT_")

# What is no setting but read elsewhere: a secret, and what the command line and the benchmarks read.
_OTHERS: Final = frozenset(
    {
        EMBEDDING_KEY,
        *("PENSTOCK_DEBUG", "PENSTOCK_BENCH", "PENSTOCK_BENCH_HOME", "PENSTOCK_BENCH_PYTHON", "PENSTOCK_BENCH_REPOS"),
    }
)


class Given(msgspec.Struct, frozen=True):
    value: object
    origin: str


Layer = dict[Key, Given]


def built_in() -> Layer:
    return {
        ("tool_output_limits", "tools", tool, key): Given(value, DEFAULT)
        for tool, values in BUILT_IN.items()
        for key, value in values.items()
    }


def from_file(path: Path, environ: Mapping[str, str]) -> Layer:
    """Relative folders begin at the file, which is found from any folder below it."""
    from penstock.settings.file import read_file  # noqa: PLC0415  # loads PyYAML, which nobody without a file needs

    found = _Source(str(path), path.parent, environ).read(TREE, read_file(path))
    return {key: Given(value, f"file {path}") for key, value in found}


def from_environment(environ: Mapping[str, str], base: Path) -> Layer:
    """An empty variable counts as one that is not set: not every launcher can unset one."""
    source = _Source("environment", base, environ)
    found: Layer = {}
    for key, setting in settings():
        text = environ.get(setting.env, "").strip() if setting.env else ""
        if text:
            found[key] = Given(source.text(setting, text), f"environment {setting.env}")
    _warn_of_unknown(environ)
    return found


def from_call(overrides: Mapping[str, object], base: Path, environ: Mapping[str, str]) -> Layer:
    """Keys as in the file, nested or with dots: {"store": {"kind": "memory"}}, {"store.kind": "memory"}."""
    source = _Source("call", base, environ)
    found: Layer = {}
    for dotted, value in overrides.items():
        place = place_of(str(dotted).split("."))
        if place is None:
            raise refusal("call", str(dotted), value, no_such(str(dotted), TREE))
        found.update((key, Given(one, "call")) for key, one in source.read(place[1], value, place[0]))
    return found


def config_file(overrides: Mapping[str, object], environ: Mapping[str, str], base: Path) -> Path | None:
    """The settings file that the call or the environment names."""
    source = _Source("call", base, environ)
    value = source.value(CONFIG, overrides.get("config"), "config", None)
    key = "config"
    if value is None:
        source, key = _Source("environment", base, environ), CONFIG.env
        text = environ.get(CONFIG.env, "").strip()
        value = source.text(CONFIG, text) if text else None
    if not isinstance(value, Path):
        return None
    if not places.is_readable(value):
        raise source.refused(key, str(value), CONFIG.kind.allowed)
    return value


class _Source(msgspec.Struct, frozen=True):
    name: str
    base: Path  # where relative paths begin
    environ: Mapping[str, str]

    def read(self, tree: Tree, value: object, at: Key = (), line: int | None = None) -> Iterator[tuple[Key, object]]:
        """Every setting in `value`, which stands at the key `at`, as it is used."""
        if isinstance(tree, Setting):
            yield at, self.value(tree, value, ".".join(at), line)
            return
        if value is None:  # a key with nothing, or only comments, below it
            return
        if not isinstance(value, Mapping):
            inside = f"with the keys {', '.join(tree.keys)}" if isinstance(tree, Section) else "of names"
            raise self.refused(".".join(at), value, f"a mapping {inside}", line)
        for key, inner in value.items():
            below = value.lines.get(key) if isinstance(value, Lined) else None
            if not isinstance(key, str) or not key:
                raise self.refused(".".join((*at, str(key))), inner, "a key is text", below)
            if isinstance(tree, Section) and key not in tree.keys:
                raise self.refused(".".join((*at, key)), inner, no_such(key, tree), below)
            if isinstance(tree, Named):
                yield (*at, key), None  # an agent with nothing below it is an agent all the same
            yield from self.read(tree.keys[key] if isinstance(tree, Section) else tree.each, inner, (*at, key), below)

    def value(self, setting: Setting, value: object, key: str, line: int | None) -> object:
        try:
            checked = setting.kind.of(value)
        except ValueError:
            raise self.refused(key, value, setting.kind.allowed, line) from None
        return self._placed(checked, key)

    def text(self, setting: Setting, text: str) -> object:
        try:
            checked = setting.kind.of_text(text)
        except ValueError:
            raise self.refused(setting.env, text, setting.kind.allowed) from None
        return self._placed(checked, setting.env)

    def refused(self, key: str, value: object, allowed: str, line: int | None = None) -> SettingsError:
        where = f"{self.name}, line {line}" if line else self.name
        return refusal(where, key, value, allowed)

    def _placed(self, value: object, key: str) -> object:
        if isinstance(value, Path):
            return places.absolute(value, self.base, self.environ, self.name, key)
        return value


def _warn_of_unknown(environ: Mapping[str, str]) -> None:
    """Only a warning: a newer or another program may have set it. TOOL_OUTPUT_ is a prefix that others use too."""
    known = [CONFIG.env, *(setting.env for _, setting in settings() if setting.env)]
    by_meaning = {_without_prefix(name): name for name in known}
    for name in environ:
        if name in known or name in _OTHERS or not name.startswith(_PREFIXES):
            continue
        near = nearest(_without_prefix(name), list(by_meaning))
        if near:
            _log.warning("the environment variable %s is unknown; did you mean %s?", name, by_meaning[near])
        elif name.startswith("PENSTOCK_"):
            _log.warning("the environment variable %s is unknown", name)


def _without_prefix(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
