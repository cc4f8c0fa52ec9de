"""How much a reader may be shown. `None` is unlimited; the tighter of two limits is `a & b`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from penstock.errors import LimitError

UNITS: Final = ("chars", "lines", "bytes", "tokens")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the whole text that a model sees, notice and envelope included."""

    chars: int | None = None
    lines: int | None = None
    bytes: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for unit in UNITS:
            value = getattr(self, unit)
            # bool is an int to Python, but `chars=True` is a slip.
            if value is not None and (type(value) is not int or value < 1):
                raise LimitError(unit, value)

    def __and__(self, other: Limits) -> Limits:
        if not isinstance(other, Limits):
            return NotImplemented
        return Limits(*(_tighter(getattr(self, unit), getattr(other, unit)) for unit in UNITS))

    def override(self, other: Limits) -> Limits:
        """These limits, with each that `other` sets in its place: how a tool's own limits replace the defaults."""
        return replace(self, **{unit: getattr(other, unit) for unit in UNITS if getattr(other, unit) is not None})

    def less(self, *, chars: int = 0, lines: int = 0, bytes: int = 0) -> Limits:  # noqa: A002  # the unit's name
        """What is left of these limits once something else is shown too; never less than 1."""
        taken = {"chars": chars, "lines": lines, "bytes": bytes}
        return replace(
            self, **{u: max(1, getattr(self, u) - n) for u, n in taken.items() if getattr(self, u) is not None}
        )

    def part(self, share: float) -> Limits:
        """So much of each of these limits, never less than 1."""
        most = {unit: getattr(self, unit) for unit in UNITS}
        return Limits(**{unit: None if n is None else max(1, int(n * share)) for unit, n in most.items()})

    @property
    def unlimited(self) -> bool:
        return self.chars is None and self.lines is None and self.bytes is None and self.tokens is None

    @classmethod
    def for_agent(cls, max_tool_result_length: int) -> Limits:
        """An agent profile's limit: 0 and less mean the default, too little is raised to the least that is useful."""
        if type(max_tool_result_length) is not int:
            raise LimitError("max_tool_result_length", max_tool_result_length, "a whole number")
        if max_tool_result_length <= 0:
            return cls(chars=AGENT_CHARS)
        return cls(chars=max(max_tool_result_length, AGENT_CHARS_LEAST))

    @classmethod
    def for_model(cls, model: str, *, used_tokens: int = 0, windows: Mapping[str, int] | None = None) -> Limits:
        """What one result may take of the context window of `model`, when `used_tokens` of it are taken already.

        At most RESULT_SHARE_OF_WINDOW of the window and RESULT_SHARE_OF_LEFT of what is left, but never less than
        RESULT_TOKENS_LEAST: a result of nothing tells a model nothing.
        """
        if not isinstance(model, str):
            raise LimitError("model", model, "the name of a model")
        if type(used_tokens) is not int or used_tokens < 0:
            raise LimitError("used_tokens", used_tokens, "a whole number from 0 on")
        window = window_of(model, windows)
        left = max(0, window - used_tokens)
        share = min(int(window * RESULT_SHARE_OF_WINDOW), int(left * RESULT_SHARE_OF_LEFT))
        return cls(tokens=max(share, RESULT_TOKENS_LEAST))


def checked_limits(value: object) -> Limits:
    """`value`, or a LimitError where a number or a mapping stands in for limits."""
    if not isinstance(value, Limits):
        raise LimitError("limits", value, "Limits(chars=..., lines=..., bytes=..., tokens=...)")
    return value


def _tighter(a: int | None, b: int | None) -> int | None:
    if a is None:
        return b
    return a if b is None else min(a, b)


DEFAULT_LIMITS: Final = Limits(lines=2_000, bytes=51_200)
GUARD_LIMITS: Final = Limits(chars=8_000)
AGENT_CHARS: Final = 4_000
AGENT_CHARS_LEAST: Final = 1_000

# The tools that come with Penstock whose limits differ from the default.
TOOL_LIMITS: Final[Mapping[str, Limits]] = {
    "repo_map": Limits(chars=10_000, lines=1_000),
    "read_file": Limits(chars=5_000, lines=200),
    "grep_search": Limits(lines=100),
    # Whole results only, packed by characters: the default's lines and bytes would cut them before.
    "search_code": Limits(chars=100_000, lines=100_000, bytes=400_000),
}

RESULT_SHARE_OF_WINDOW: Final = 0.15
RESULT_SHARE_OF_LEFT: Final = 0.25
RESULT_TOKENS_LEAST: Final = 250

# Context windows in tokens, by the start of the model's name; the longest start that fits counts. Settings extend it.
CONTEXT_WINDOWS: Final[Mapping[str, int]] = {
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4o": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 400_000,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
    "claude-2": 100_000,
    "claude": 200_000,
    "gemini": 1_048_576,
    "llama-2": 4_096,
    "llama-3": 131_072,
    "llama-4": 1_048_576,
    "mistral": 131_072,
    "mixtral": 32_768,
    "qwen": 131_072,
    "deepseek": 131_072,
    "glm": 131_072,
    "kimi": 262_144,
    "minimax": 204_800,
}


def window_of(model: str, windows: Mapping[str, int] | None = None) -> int:
    """The context window of `model`; `windows` is asked first."""
    wanted = model.lower().rsplit("/", 1)[-1]  # "openai/gpt-4o" and "gpt-4o" are the same model
    for table in (windows or {}, CONTEXT_WINDOWS):
        starts = [start for start in table if wanted.startswith(start.lower())]
        if starts:
            return table[max(starts, key=len)]
    known = ", ".join(sorted({*CONTEXT_WINDOWS, *(windows or {})}))
    raise LimitError(
        "model", model, f"a model whose name starts with one of: {known}; or add it under `models:` in the settings"
    )
