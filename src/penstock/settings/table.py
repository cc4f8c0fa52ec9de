"""Every setting, declared once: its place among these classes is its key in penstock.yaml.

Files, environment, errors, `penstock config` and docs/settings.md all derive from what is declared here. Below a name
that people choose (a tool, an agent, a model) there are no environment variables.
"""

# ruff: noqa: RUF009  # the calls are dataclasses.field(), with the declaration in its metadata

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from penstock.core.limits import AGENT_CHARS, DEFAULT_LIMITS, GUARD_LIMITS, TOOL_LIMITS, UNITS, Limits
from penstock.core.policy import LANGUAGES, PLACES, READERS, STRATEGIES, Language, Policy, Reader, Strategy
from penstock.core.policy import Place as NoticePlace
from penstock.settings.kinds import Choice, Flag, Kind, Number, Place, Text, Whole

Counter = Literal["estimate", "o200k_base", "cl100k_base"]
Durability = Literal["full", "normal", "none"]

NAME: Final = "<name>"  # stands in a key for any name


@dataclass(frozen=True, slots=True)
class Setting:
    default: object
    kind: Kind
    help: str
    env: str = ""
    inherits: str = ""  # where its value comes from while it is not set


def _setting(default: object, kind: Kind, help: str, env: str = "") -> Any:  # noqa: A002  # as in click and argparse
    return field(default=default, metadata={"declared": Setting(default, kind, help, env)})


def _section(section: type) -> Any:
    return field(default_factory=section, metadata={"declared": section})


def _named(each: type | Setting, inherits: str = "") -> Any:
    return field(default_factory=dict, metadata={"declared": each, "named": True, "inherits": inherits})


_LIMIT = Whole(null="no limit")


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a model sees of one result."""

    max_chars: int | None = _setting(
        DEFAULT_LIMITS.chars, _LIMIT, "Characters of one result, notice included.", "PENSTOCK_MAX_CHARS"
    )
    max_lines: int | None = _setting(
        DEFAULT_LIMITS.lines, _LIMIT, "Lines of one result, notice included.", "TOOL_OUTPUT_MAX_LINES"
    )
    max_bytes: int | None = _setting(
        DEFAULT_LIMITS.bytes, _LIMIT, "Bytes (UTF-8) of one result, notice included.", "TOOL_OUTPUT_MAX_BYTES"
    )
    max_tokens: int | None = _setting(
        DEFAULT_LIMITS.tokens, _LIMIT, "Tokens of one result, notice included.", "PENSTOCK_MAX_TOKENS"
    )
    truncation_strategy: Strategy = _setting(
        "auto",
        Choice(STRATEGIES, {"head_only": "head", "tail_only": "tail"}),
        "What a result that is over a limit shows; `auto` decides by its kind.",
        "TOOL_OUTPUT_TRUNCATE_DIRECTION",
    )
    head_ratio: float = _setting(
        0.5, Number(0, 1), "The head's share where `head_tail` shows head and tail.", "PENSTOCK_HEAD_RATIO"
    )

    @property
    def limits(self) -> Limits:
        return Limits(self.max_chars, self.max_lines, self.max_bytes, self.max_tokens)


@dataclass(frozen=True, slots=True)
class ToolBounds(Bounds):
    """The same for one tool, with what the tools that come with Penstock can be told besides."""

    show_context: int | None = _setting(None, Whole(0, "the tool's default"), "Lines around each match (grep_search).")
    max_depth: int | None = _setting(None, Whole(1, "the tool's default"), "Levels of folders (get_repo_structure).")
    max_files: int | None = _setting(None, Whole(1, "the tool's default"), "Files listed (get_repo_structure).")


@dataclass(frozen=True, slots=True)
class OutputLimits:
    default: Bounds = _section(Bounds)
    tools: Mapping[str, ToolBounds] = _named(ToolBounds, "tool_output_limits.default")


@dataclass(frozen=True, slots=True)
class Guard:
    max_chars: int | None = _setting(
        GUARD_LIMITS.chars,
        _LIMIT,
        "Characters of each tool message of a request, whatever the tool's own limits are.",
        "PENSTOCK_AGENT_GUARD_CHARS",
    )


@dataclass(frozen=True, slots=True)
class Summarization:
    enabled: bool = _setting(
        False, Flag(), "Whether `summarize` may ask a model, which costs.", "PENSTOCK_SUMMARIZATION_ENABLED"
    )
    model: str | None = _setting(
        None, Text("the name of a model", "none"), "The model that writes.", "PENSTOCK_SUMMARIZATION_MODEL"
    )
    max_input_chars: int = _setting(
        50_000, Whole(), "Characters of a result that the model is sent.", "PENSTOCK_SUMMARIZATION_MAX_INPUT_CHARS"
    )
    trigger_threshold: int = _setting(
        20_000,
        Whole(),
        "Characters from which on a result is summarized; shorter ones are cut.",
        "PENSTOCK_SUMMARIZATION_TRIGGER_THRESHOLD",
    )


@dataclass(frozen=True, slots=True)
class StoreSettings:
    kind: Literal["disk", "memory"] = _setting(
        "disk", Choice(("disk", "memory")), "Where whole results are kept.", "PENSTOCK_STORE"
    )
    directory: Path = _setting(  # load_settings puts a folder in the place of null
        None,
        Place("a folder", "tool-output at the project's root"),
        "The folder of the disk store. A relative one begins at the file that names it, or else at the project's root.",
        "TOOL_OUTPUT_DIR",
    )
    retention_days: float = _setting(
        7,
        Number(0, 36_500, above=True),
        "Days until a kept result is deleted.",
        "TOOL_OUTPUT_RETENTION_DAYS",
    )
    quota_bytes: int | None = _setting(
        None,
        Whole(null="no quota"),
        "Bytes of all kept results; over it, the oldest are deleted.",
        "PENSTOCK_QUOTA_BYTES",
    )
    durability: Durability = _setting(
        "full",
        Choice(get_args(Durability)),
        "What a result survives before the model sees it: `full` a power loss, `normal` usually one, "
        "`none` the end of the process.",
        "PENSTOCK_DURABILITY",
    )


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    enabled: bool = _setting(True, Flag(), "Whether admissions and read-backs are recorded.", "PENSTOCK_LEDGER")
    retention_days: float = _setting(
        90, Number(0, 36_500, above=True), "Days until a record is deleted.", "PENSTOCK_LEDGER_RETENTION_DAYS"
    )


@dataclass(frozen=True, slots=True)
class Agent:
    max_tool_result_length: int | None = _setting(
        AGENT_CHARS,
        Whole(None, "no limit of its own"),
        "Characters of one result for this agent: 0 and less mean 4,000, and 1 to 999 are raised to 1,000.",
    )
    model: str | None = _setting(
        None, Text("the name of a model", "none"), "The model of this agent; its context window tightens the limits."
    )
    tools: Mapping[str, ToolBounds] = _named(ToolBounds, "the tool's own; limits only tighten those")


@dataclass(frozen=True, slots=True)
class Table:
    """The whole file."""

    tool_output_limits: OutputLimits = _section(OutputLimits)
    agent_guard: Guard = _section(Guard)
    summarization: Summarization = _section(Summarization)
    store: StoreSettings = _section(StoreSettings)
    ledger: LedgerSettings = _section(LedgerSettings)
    agents: Mapping[str, Agent] = _named(Agent)
    models: Mapping[str, int] = _named(
        Setting(
            None,
            Whole(),
            "The context window in tokens of models whose name starts so; asked before the built-in ones.",
        )
    )
    reader: Literal["auto"] | Reader = _setting(
        "auto",
        Choice(("auto", *READERS)),
        "What the model can use to read on, which the notice names; `auto` leaves it to each door.",
        "PENSTOCK_READER",
    )
    language: Language = _setting("en", Choice(LANGUAGES), "The language of notices.", "PENSTOCK_LANGUAGE")
    notice: NoticePlace = _setting(
        "end", Choice(PLACES), "Where the notice stands; `head` where a client cuts the tail.", "PENSTOCK_NOTICE"
    )
    counter: Counter = _setting(
        "estimate",
        Choice(get_args(Counter)),
        "What counts tokens; the exact ones need `penstock[tokens]`.",
        "PENSTOCK_COUNTER",
    )
    trust_skip: bool = _setting(
        True,
        Flag(),
        "Whether `context.truncation_skip` of a result is obeyed. Proxy and gateway do not, while this is not set.",
        "PENSTOCK_TRUST_SKIP",
    )
    media_bytes: int | None = _setting(
        Policy().media_bytes,
        Whole(0, "no limit"),
        "Bytes of the images, audio and resources of one result.",
        "PENSTOCK_MEDIA_BYTES",
    )


# Read from the call and the environment only: it says which file to read.
CONFIG: Final = Setting(
    None,
    Place("a file that can be read", "a search for penstock.yaml"),
    "The settings file. `/dev/null` stands for none.",
    "PENSTOCK_CONFIG",
)

_BESIDES: Final[Mapping[str, Mapping[str, int]]] = {
    "grep_search": {"show_context": 2},
    "get_repo_structure": {"max_depth": 3, "max_files": 500},
}

# What the tools that come with Penstock are told while nobody says otherwise.
BUILT_IN: Final[Mapping[str, Mapping[str, int]]] = {
    tool: {
        f"max_{unit}": value for unit in UNITS if (value := getattr(TOOL_LIMITS.get(tool, Limits()), unit)) is not None
    }
    | dict(_BESIDES.get(tool, {}))
    for tool in (*TOOL_LIMITS, *(_BESIDES.keys() - TOOL_LIMITS.keys()))
}
