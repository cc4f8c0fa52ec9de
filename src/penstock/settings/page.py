"""The tables of docs/settings.md, rendered from the declarations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from penstock.settings.table import BUILT_IN, CONFIG, NAME, Setting
from penstock.settings.tree import settings

BEGIN: Final = "<!-- from here to the end mark: python -m penstock.settings docs/settings.md -->"
END: Final = "<!-- end -->"


_FOR_AGENTS: Final = "The same for one agent; limits only tighten the tool's own."


def rendered() -> str:
    return "\n".join([*_all_settings(), "", *_built_in()]) + "\n"


def refreshed(page: str) -> str:
    """`page` with the tables between its marks replaced by those of today."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{rendered()}\n{END}{after}"


def _all_settings() -> Iterator[str]:
    yield "| key | environment | default | allowed | what it sets |"
    yield "|---|---|---|---|---|"
    for key, setting in settings():
        if key[:3] != ("agents", NAME, "tools"):
            yield _row(".".join(key), setting)
        elif key[-1] == "max_chars":
            like = f"`tool_output_limits.tools.{NAME}`"
            yield f"| `agents.{NAME}.tools.{NAME}` | | as the tool's own | the keys of {like} | {_FOR_AGENTS} |"
    yield f"| | `{CONFIG.env}` | | {CONFIG.kind.allowed} | {CONFIG.help} |"


def _row(key: str, setting: Setting) -> str:
    env = f"`{setting.env}`" if setting.env else ""
    return f"| `{key}` | {env} | {_default(key, setting)} | {setting.kind.allowed} | {setting.help} |"


def _default(key: str, setting: Setting) -> str:
    if setting.inherits:
        return f"as {setting.inherits}"
    if setting.default is None:
        return "" if key.endswith(NAME) else "null"
    return f"`{_written(setting.default)}`"


def _built_in() -> Iterator[str]:
    yield "| tool | set while you do not say otherwise |"
    yield "|---|---|"
    for tool, values in BUILT_IN.items():
        yield f"| `{tool}` | " + ", ".join(f"`{key}: {_written(value)}`" for key, value in values.items()) + " |"


def _written(value: object) -> str:
    """As YAML has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
