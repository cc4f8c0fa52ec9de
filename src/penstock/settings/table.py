"""Every setting, declared once: its place among these classes is its key in penstock.yaml.

Files, environment, errors, `penstock config` and docs/settings.md all derive from what is declared here. Below a name
that people choose (a tool, an agent, a model) there are no environment variables.

The classes are Structs and not dataclasses, of which each costs a third of a millisecond at every start.
"""

# Annotations are read at run time (see tree.py), so they are not postponed.

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

import msgspec

from penstock.core.limits import AGENT_CHARS, DEFAULT_LIMITS, GUARD_LIMITS, TOOL_LIMITS, UNITS, Limits
from penstock.core.policy import (
    ARRANGEMENTS,
    LANGUAGES,
    PLACES,
    READERS,
    STRATEGIES,
    Arrangement,
    Language,
    Policy,
    Reader,
    Strategy,
)
from penstock.core.policy import Place as NoticePlace
from penstock.settings.kinds import Address, Choice, Flag, Kind, Number, Place, Text, Whole

Counter = Literal["estimate", "o200k_base", "cl100k_base"]
Durability = Literal["full", "normal", "none"]
EmbedderKind = Literal["none", "bundled", "endpoint"]
EMBEDDERS: Final[tuple[EmbedderKind, ...]] = get_args(EmbedderKind)
EMBEDDING_KEY: Final = "PENSTOCK_EMBEDDING_KEY"  # from the environment alone: what is in a file is shown and shared

NAME: Final = "<name>"  # stands in a key for any name


class Setting(msgspec.Struct, frozen=True):
    kind: Kind
    help: str
    env: str = ""
    default: object = None
    inherits: str = ""  # where its value comes from while it is not set


_LIMIT: Final = Whole(null="no limit")
_TOOLS_OWN: Final = "the tool's default"


class Bounds(msgspec.Struct, frozen=True):
    """What a model sees of one result."""

    max_chars: Annotated[
        int | None, Setting(_LIMIT, "Characters of one result, notice included.", "PENSTOCK_MAX_CHARS")
    ] = DEFAULT_LIMITS.chars
    max_lines: Annotated[
        int | None, Setting(_LIMIT, "Lines of one result, notice included.", "TOOL_OUTPUT_MAX_LINES")
    ] = DEFAULT_LIMITS.lines
    max_bytes: Annotated[
        int | None, Setting(_LIMIT, "Bytes (UTF-8) of one result, notice included.", "TOOL_OUTPUT_MAX_BYTES")
    ] = DEFAULT_LIMITS.bytes
    max_tokens: Annotated[
        int | None, Setting(_LIMIT, "Tokens of one result, notice included.", "PENSTOCK_MAX_TOKENS")
    ] = DEFAULT_LIMITS.tokens
    truncation_strategy: Annotated[
        Strategy,
        Setting(
            Choice(STRATEGIES, {"head_only": "head", "tail_only": "tail"}),
            "What a result that is over a limit shows; `auto` decides by its kind.",
            "TOOL_OUTPUT_TRUNCATE_DIRECTION",
        ),
    ] = "auto"
    head_ratio: Annotated[
        float,
        Setting(Number(0, 1), "The head's share where `head_tail` shows head and tail.", "PENSTOCK_HEAD_RATIO"),
    ] = 0.5

    @property
    def limits(self) -> Limits:
        return Limits(self.max_chars, self.max_lines, self.max_bytes, self.max_tokens)


class ToolBounds(Bounds, frozen=True):
    """The same for one tool, with what the tools that come with Penstock can be told besides."""

    show_context: Annotated[int | None, Setting(Whole(0, _TOOLS_OWN), "Lines around each match (grep_search).")] = None
    max_depth: Annotated[int | None, Setting(Whole(1, _TOOLS_OWN), "Levels of folders (get_repo_structure).")] = None
    max_files: Annotated[int | None, Setting(Whole(1, _TOOLS_OWN), "Files listed (get_repo_structure).")] = None


class OutputLimits(msgspec.Struct, frozen=True):
    default: Bounds = Bounds()
    tools: Annotated[Mapping[str, ToolBounds], "tool_output_limits.default"] = {}


class Guard(msgspec.Struct, frozen=True):
    max_chars: Annotated[
        int | None,
        Setting(
            _LIMIT,
            "Characters of each tool message of a request, whatever the tool's own limits are.",
            "PENSTOCK_AGENT_GUARD_CHARS",
        ),
    ] = GUARD_LIMITS.chars


class Summarization(msgspec.Struct, frozen=True):
    enabled: Annotated[
        bool, Setting(Flag(), "Whether `summarize` may ask a model, which costs.", "PENSTOCK_SUMMARIZATION_ENABLED")
    ] = False
    model: Annotated[
        str | None,
        Setting(Text("the name of a model", "none"), "The model that writes.", "PENSTOCK_SUMMARIZATION_MODEL"),
    ] = None
    max_input_chars: Annotated[
        int,
        Setting(Whole(), "Characters of a result that the model is sent.", "PENSTOCK_SUMMARIZATION_MAX_INPUT_CHARS"),
    ] = 50_000
    trigger_threshold: Annotated[
        int,
        Setting(
            Whole(),
            "Characters from which on a result is summarized; shorter ones are cut.",
            "PENSTOCK_SUMMARIZATION_TRIGGER_THRESHOLD",
        ),
    ] = 20_000


class StoreSettings(msgspec.Struct, frozen=True):
    kind: Annotated[
        Literal["disk", "memory"],
        Setting(Choice(("disk", "memory")), "Where whole results are kept.", "PENSTOCK_STORE"),
    ] = "disk"
    # load_settings puts the folder into the place of null.
    directory: Annotated[
        Path,
        Setting(
            Place("a folder", "tool-output at the project's root"),
            "The folder of the disk store. A relative one begins at the file that names it, or at the project's root.",
            "TOOL_OUTPUT_DIR",
        ),
    ] = None  # type: ignore[assignment]  # as said above
    retention_days: Annotated[
        float,
        Setting(Number(0, 36_500, above=True), "Days until a kept result is deleted.", "TOOL_OUTPUT_RETENTION_DAYS"),
    ] = 7
    quota_bytes: Annotated[
        int | None,
        Setting(
            Whole(null="no quota"),
            "Bytes of all kept results; over it, the oldest are deleted.",
            "PENSTOCK_QUOTA_BYTES",
        ),
    ] = None
    durability: Annotated[
        Durability,
        Setting(
            Choice(get_args(Durability)),
            "What a result survives once the model sees it: `full` a power loss, `normal` a power loss unless it is "
            "one of the last, `none` only the end of the process.",
            "PENSTOCK_DURABILITY",
        ),
    ] = "full"


class LedgerSettings(msgspec.Struct, frozen=True):
    enabled: Annotated[bool, Setting(Flag(), "Whether admissions and read-backs are recorded.", "PENSTOCK_LEDGER")] = (
        True
    )
    retention_days: Annotated[
        float,
        Setting(Number(0, 36_500, above=True), "Days until a record is deleted.", "PENSTOCK_LEDGER_RETENTION_DAYS"),
    ] = 90


class SearchSettings(msgspec.Struct, frozen=True):
    # load_settings puts the folder into the place of null.
    directory: Annotated[
        Path,
        Setting(
            Place("a folder", "penstock/code-search in the user's data folder"),
            "The folder of the indexes of code, one file a project.",
            "PENSTOCK_SEARCH_DIR",
        ),
    ] = None  # type: ignore[assignment]  # as said above
    database: Annotated[
        str | None,
        Setting(
            Address(("postgresql", "postgres"), "the folder"),
            "The database that holds the indexes of code in place of the folder, one schema a project.",
            "PENSTOCK_SEARCH_DATABASE",
        ),
    ] = None
    embedder: Annotated[
        EmbedderKind,
        Setting(
            Choice(EMBEDDERS),
            "What makes vectors of code and questions: nothing, the bundled model, the server at `embedding_url`.",
            "PENSTOCK_SEARCH_EMBEDDER",
        ),
    ] = "none"
    embedding_url: Annotated[
        str | None,
        Setting(
            Address(("https", "http"), "none", EMBEDDING_KEY),
            "What comes before /embeddings at a server that speaks OpenAI's protocol.",
            "PENSTOCK_EMBEDDING_URL",
        ),
    ] = None
    embedding_model: Annotated[
        str | None,
        Setting(Text("the name of a model", "none"), "The model of that server.", "PENSTOCK_EMBEDDING_MODEL"),
    ] = None


class Agent(msgspec.Struct, frozen=True):
    max_tool_result_length: Annotated[
        int | None,
        Setting(
            Whole(None, "no limit of its own"),
            "Characters of one result for this agent: 0 and less mean 4,000, and 1 to 999 are raised to 1,000.",
        ),
    ] = AGENT_CHARS
    model: Annotated[
        str | None,
        Setting(
            Text("the name of a model", "none"),
            "The model of this agent, built in or under `models:`; its context window tightens the limits.",
        ),
    ] = None
    tools: Annotated[Mapping[str, ToolBounds], "the tool's own"] = {}


class Table(msgspec.Struct, frozen=True):
    """The whole file."""

    tool_output_limits: OutputLimits = OutputLimits()
    agent_guard: Guard = Guard()
    summarization: Summarization = Summarization()
    store: StoreSettings = StoreSettings()
    ledger: LedgerSettings = LedgerSettings()
    search: SearchSettings = SearchSettings()
    agents: Mapping[str, Agent] = {}
    models: Mapping[
        str,
        Annotated[
            int,
            Setting(
                Whole(), "The context window in tokens of models whose name starts so; asked before the built-in ones."
            ),
        ],
    ] = {}
    reader: Annotated[
        Literal["auto"] | Reader,
        Setting(
            Choice(("auto", *READERS)),
            "What the model can use to read on, which the notice names; `auto` leaves it to each door.",
            "PENSTOCK_READER",
        ),
    ] = "auto"
    language: Annotated[Language, Setting(Choice(LANGUAGES), "The language of notices.", "PENSTOCK_LANGUAGE")] = "en"
    notice: Annotated[
        NoticePlace,
        Setting(Choice(PLACES), "Where the notice stands; `head` where a client cuts the tail.", "PENSTOCK_NOTICE"),
    ] = "end"
    layout: Annotated[
        Arrangement,
        Setting(
            Choice(ARRANGEMENTS),
            "Whether keys, paths and prefixes that repeat may be shown once (`auto`), or all is shown as it was.",
            "PENSTOCK_LAYOUT",
        ),
    ] = "auto"
    counter: Annotated[
        Counter,
        Setting(
            Choice(get_args(Counter)), "What counts tokens; the exact ones need `penstock[tokens]`.", "PENSTOCK_COUNTER"
        ),
    ] = "estimate"
    trust_skip: Annotated[
        bool,
        Setting(
            Flag(),
            "Whether `context.truncation_skip` of a result is obeyed. Proxy and gateway do not, while this is not set.",
            "PENSTOCK_TRUST_SKIP",
        ),
    ] = True
    media_bytes: Annotated[
        int | None,
        Setting(
            Whole(0, "no limit"), "Bytes of the images, audio and resources of one result.", "PENSTOCK_MEDIA_BYTES"
        ),
    ] = Policy().media_bytes


# Read from the call and the environment only: it says which file to read.
CONFIG: Final = Setting(
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
