"""Content blocks (MCP, Anthropic, OpenAI): their texts are bounded together, as one; the rest passes.

Images, audio and resources are not text and are not cut. They have a limit of their own; over it, a block is replaced
by a line that says what it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penstock.core.jsontext import to_json

TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text"})
# What else a block can be, with what holds its content: a list of files, each with "type": "file", is no content.
_MEDIA: Final[Mapping[str, Mapping[str, type]]] = {
    "image": {"data": str, "source": Mapping},
    "image_url": {"image_url": object},
    "input_image": {"data": str, "image_url": str, "file_id": str},
    "audio": {"data": str},
    "input_audio": {"data": str, "input_audio": Mapping},
    "video": {"data": str, "source": Mapping},
    "document": {"source": Mapping},
    "file": {"file": Mapping},
    "input_file": {"file_data": str, "file_id": str, "file_url": str},
    "resource": {"resource": Mapping},
    "resource_link": {"uri": str},
    "search_result": {"content": list},
    "tool_reference": {"tool_name": str},
}

Block = Mapping[str, Any]


def is_blocks(value: Any) -> bool:
    """Whether a list is content blocks and not just JSON: every item has a type that a block can have."""
    return isinstance(value, Sequence) and bool(value) and all(_is_block(item) for item in value)


def _is_block(item: Any) -> bool:
    if not isinstance(item, Mapping):
        return False
    kind = item.get("type")
    if not isinstance(kind, str):
        return False
    if kind in TEXT_TYPES:
        return isinstance(item.get("text"), str)
    return any(isinstance(item.get(key), held) for key, held in _MEDIA.get(kind, {}).items())


def text_of(blocks: Sequence[Block]) -> str:
    """The texts of all text blocks, each on lines of its own."""
    return "\n".join(block["text"] for block in blocks if block["type"] in TEXT_TYPES)


def weight(block: Block) -> int:
    """What a block that is not text weighs: its JSON, in characters."""
    return 0 if block["type"] in TEXT_TYPES else len(to_json(block))


def too_heavy(blocks: Sequence[Block], limit: int | None) -> list[int]:
    """The blocks to leave out, so that the rest is within the limit; the earlier ones stay."""
    if limit is None:
        return []
    left, out = limit, []
    for index, block in enumerate(blocks):
        size = weight(block)
        if size > left:
            out.append(index)
        else:
            left -= size
    return out


def left_out(block: Block, handle: str | None) -> str:
    what = block.get("mimeType") or block.get("media_type") or block["type"]
    where = f", kept as {handle}" if handle else ", not kept"
    return f"[{str(what)[:60]} of {weight(block):,} characters not shown{where}]"
