"""The settings that are in effect, with where each of them comes from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from penstock.core.limits import Limits, window_of
from penstock.core.policy import Reader, Strategy
from penstock.errors import LimitError
from penstock.settings import layers, places
from penstock.settings.layers import DEFAULT, Given, Layer
from penstock.settings.refusal import refusal
from penstock.settings.table import Agent, Setting, Table, ToolBounds
from penstock.settings.tree import TREE, Key, Named, Section, Tree

_FOLDER: Final[Key] = ("store", "directory")
_EMBEDDER: Final[Key] = ("search", "embedder")
_EMBEDDING_URL: Final[Key] = ("search", "embedding_url")
_EMBEDDING_URL_ENV: Final = "PENSTOCK_EMBEDDING_URL"
_INDEXES: Final[Key] = ("search", "directory")
_AGENT: Final = cast("Section", cast("Named", TREE.keys["agents"]).each)


class Effective(NamedTuple):
    key: str
    value: object
    origin: str  # "default", "file /x/penstock.yaml", "environment TOOL_OUTPUT_DIR" or "call"


class Settings(Table, frozen=True):
    """As the file has them (`settings.store.kind`), and the questions that are asked of them."""

    file: Path | None = None  # the one that was read
    root: Path | None = None  # of the project; None outside of one
    entries: tuple[Effective, ...] = ()
    origins: Mapping[str, str] = {}  # of each key in `entries`
    any_tool: ToolBounds = ToolBounds()  # one for which nothing is set by name

    def effective(self) -> list[Effective]:
        """Every setting that has a value, in the order of docs/settings.md."""
        return list(self.entries)

    def tool(self, name: str, agent: str = "") -> ToolBounds:
        """All that is set for one tool, as one agent may use it; "" for no agent in particular."""
        if agent and name in self.agent(agent).tools:
            return self.agent(agent).tools[name]
        return self.tool_output_limits.tools.get(name, self.any_tool)

    def limits_for(self, tool: str, agent: str = "") -> Limits:
        """The tool's limits. The agent's own limit on all its tools is `agent_limits`."""
        return self.tool(tool, agent).limits

    def strategy_for(self, tool: str, agent: str = "") -> Strategy:
        return self.tool(tool, agent).truncation_strategy

    def ratio_for(self, tool: str, agent: str = "") -> float:
        return self.tool(tool, agent).head_ratio

    def reader_or(self, door: Reader) -> Reader:
        """The reader that is set, or the door's own where it is `auto`."""
        return door if self.reader == "auto" else self.reader

    def agent(self, name: str) -> Agent:
        if name in self.agents:
            return self.agents[name]
        known = ", ".join(sorted(self.agents)) or "none is declared under `agents:`"
        raise refusal(str(self.file or "settings"), "agents", name, f"the name of an agent: {known}")

    def agent_limits(self, name: str) -> Limits | None:
        """By what an agent's profile tightens the limits of its tools; None for not at all, as without an agent."""
        length = self.agent(name).max_tool_result_length if name else None
        return None if length is None else Limits.for_agent(length)

    @property
    def guard(self) -> Limits:
        return Limits(chars=self.agent_guard.max_chars)

    @property
    def windows(self) -> Mapping[str, int]:
        """Context windows that extend the built-in table."""
        return self.models

    def obeys_skip(self, *, trusted_sender: bool) -> bool:
        """Whether a result may ask to be passed untouched. A stranger may, only where somebody has said so."""
        return self.trust_skip and (trusted_sender or self.origins["trust_skip"] != DEFAULT)


def load_settings(
    start: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """The settings in effect in the folder `start`: defaults, then the file, the environment, `overrides`."""
    environ = os.environ if environ is None else environ
    overrides = dict(overrides or {})
    start = _here(start)
    root = places.project_root(start)
    file = layers.config_file(overrides, environ, start) or places.settings_file(start, environ)
    overrides.pop("config", None)
    given = {
        **layers.built_in(),
        **(layers.from_file(file, environ) if file else {}),
        **layers.from_environment(environ, root or start),
        **layers.from_call(overrides, start, environ),
    }
    folder = given.get(_FOLDER, Given(None, DEFAULT))
    if folder.value is None:
        given[_FOLDER] = Given(places.output_folder(root, start, environ), folder.origin)
    indexes = given.get(_INDEXES, Given(None, DEFAULT))
    if indexes.value is None:
        given[_INDEXES] = Given(places.index_folder(start, environ), indexes.origin)
    entries = tuple(_entries(TREE, given))
    origins = MappingProxyType({entry.key: entry.origin for entry in entries})
    return replace(_settings(given), file=file, root=root, entries=entries, origins=origins)


def _here(start: Path | None) -> Path:
    try:
        return Path(os.path.abspath(start or "."))  # noqa: PTH100  # resolve() would name another folder than the user did
    except FileNotFoundError:
        return Path(os.sep)  # the working directory has been deleted


def _settings(given: Layer) -> Settings:
    settings = Settings(**_parts(TREE, (), given))
    limits = settings.tool_output_limits
    any_tool = ToolBounds(**msgspec.structs.asdict(limits.default))
    tools = {name: _tool(key, given, any_tool) for name, key in _names(("tool_output_limits", "tools"), given)}
    models = {name: given[key].value for name, key in _names(("models",), given)}
    _check_embedder(settings, given)
    agents = {}
    for name, key in _names(("agents",), given):
        _check_model((*key, "model"), given, models)
        own = {
            tool: _tightened(tools.get(tool, any_tool), inner, given) for tool, inner in _names((*key, "tools"), given)
        }
        agents[name] = Agent(**_parts(_AGENT, key, given), tools=MappingProxyType(own))
    return replace(
        settings,
        any_tool=any_tool,
        tool_output_limits=replace(limits, tools=MappingProxyType(tools)),
        agents=MappingProxyType(agents),
        models=MappingProxyType(models),
    )


def _check_model(at: Key, given: Layer, models: Mapping[str, Any]) -> None:
    """A model whose window nobody knows tightens nothing: it is told now, and not at the first result."""
    said = given.get(at)
    if said is None or said.value is None:
        return
    try:
        window_of(str(said.value), models)
    except LimitError as error:
        raise refusal(said.origin.removeprefix("file "), ".".join(at), said.value, error.allowed) from None


def _check_embedder(settings: Settings, given: Layer) -> None:
    """A server needs its address and a model: what is missing is told now, and not at the first search."""
    if settings.search.embedder == "endpoint":
        origin = given[_EMBEDDER].origin.removeprefix("file ")
        for word in ("embedding_url", "embedding_model"):
            if getattr(settings.search, word) is None:
                raise refusal(origin, f"search.{word}", None, "with `embedder: endpoint` it must be set")
        _check_address(given[_EMBEDDING_URL])


def _check_address(url: Given) -> None:
    """A file may have come with somebody's code, and could have questions and code sent to anybody."""
    from penstock.hosts import is_this_machine  # noqa: PLC0415  # costs a start more than it mostly needs

    if url.origin.startswith("file") and not is_this_machine(urlsplit(str(url.value)).hostname or ""):
        allowed = f"in a file it must be an address of this machine; {_EMBEDDING_URL_ENV} may name any"
        raise refusal(url.origin.removeprefix("file "), ".".join(_EMBEDDING_URL), url.value, allowed)


def _parts(section: Section, at: Key, given: Layer) -> dict[str, Any]:
    """The values of a section by their words, without the parts that people name."""
    parts: dict[str, Any] = {}
    for word, inner in section.keys.items():
        key = (*at, word)
        if isinstance(inner, Section):
            parts[word] = inner.declared(**_parts(inner, key, given))
        elif isinstance(inner, Setting):
            parts[word] = given[key].value if key in given else inner.default
    return parts


def _tool(at: Key, given: Layer, unset: ToolBounds) -> ToolBounds:
    """What is given for one tool below `at`, and for the rest what `unset` has."""
    words = ToolBounds.__struct_fields__
    return replace(unset, **{word: given[*at, word].value for word in words if (*at, word) in given})


def _tightened(tool: ToolBounds, at: Key, given: Layer) -> ToolBounds:
    """An agent's own settings for a tool: they replace the tool's, but of its limits they only take away."""
    own = _tool(at, given, tool)
    limits = own.limits & tool.limits
    return replace(
        own, max_chars=limits.chars, max_lines=limits.lines, max_bytes=limits.bytes, max_tokens=limits.tokens
    )


def _names(at: Key, given: Layer) -> list[tuple[str, Key]]:
    """The names given below `at`, each with its key."""
    names = {key[len(at)] for key in given if key[: len(at)] == at and len(key) > len(at)}
    return [(name, (*at, name)) for name in sorted(names)]


def _entries(tree: Tree, given: Layer, at: Key = (), named: bool = False) -> Iterator[Effective]:
    if isinstance(tree, Setting):
        if at in given:
            yield Effective(".".join(at), given[at].value, given[at].origin)
        elif not named:  # below a name, what is not set is what is set elsewhere
            yield Effective(".".join(at), tree.default, DEFAULT)
    elif isinstance(tree, Named):
        for _, key in _names(at, given):
            yield from _entries(tree.each, given, key, True)
    else:
        for word, inner in tree.keys.items():
            yield from _entries(inner, given, (*at, word), named)
