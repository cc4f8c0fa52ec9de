"""The formats of tool calls, one file a family. Where openers are shared, the earlier format is asked first."""

from __future__ import annotations

from typing import Final

from penstock.core.stream.formats import channels, cline, gemma, objects, pairs, reasoning, tagged_json, tags, tokens
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.formats.tagged_json import marker_pair

__all__ = ["ALL", "BY_NAME", "Format", "marker_pair"]

ALL: Final[tuple[Format, ...]] = (
    *tagged_json.FORMATS,
    *tags.FORMATS,
    *pairs.FORMATS,
    *tokens.FORMATS,
    *channels.FORMATS,
    *gemma.FORMATS,
    *cline.FORMATS,
    *objects.FORMATS,
    *reasoning.FORMATS,
)
BY_NAME: Final = {
    name: tuple(known for known in ALL if known.name == name) for name in sorted({known.name for known in ALL})
}
