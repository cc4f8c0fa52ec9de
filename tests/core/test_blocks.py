"""Content blocks: which lists are blocks, and which of them are too heavy."""

from __future__ import annotations

from typing import Any

import pytest

from core.hurtful import HANDLE
from penstock.core.blocks import is_blocks, left_out, text_of, too_heavy, weight
from penstock.core.jsontext import to_json

IMAGE = {"type": "image", "data": "A" * 1_000, "mimeType": "image/png"}
TEXT = {"type": "text", "text": "hello"}


@pytest.mark.parametrize(
    "block",
    [
        TEXT,
        {"type": "input_text", "text": ""},
        {"type": "output_text", "text": "a", "annotations": []},
        IMAGE,
        {"type": "image", "source": {"type": "base64", "data": "A"}},
        {"type": "image_url", "image_url": {"url": "data:"}},
        {"type": "image_url", "image_url": "data:"},
        {"type": "input_image", "image_url": "data:"},
        {"type": "input_image", "file_id": "f"},
        {"type": "audio", "data": "A"},
        {"type": "input_audio", "input_audio": {"data": "A"}},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
        {"type": "document", "source": {"type": "text", "data": "a"}},
        {"type": "file", "file": {"file_id": "f"}},
        {"type": "input_file", "file_url": "https://"},
        {"type": "search_result", "source": "s", "content": []},
        {"type": "tool_reference", "tool_name": "t"},
        {"type": "video", "data": "A"},
    ],
)
def test_blocks_of_every_dialect_are_known(block: dict[str, Any]) -> None:
    assert is_blocks([block]) and is_blocks((TEXT, block))


@pytest.mark.parametrize(
    "items",
    [
        [],
        "text",
        None,
        {"type": "text", "text": "a"},
        [{"type": "text"}],
        [{"type": "text", "text": 1}],
        [{"type": "file", "name": "a.txt"}],  # a listing of a folder
        [{"type": "image", "path": "a.png"}],
        [{"type": "document", "source": "wiki", "text": "x"}],
        [{"type": ["text"], "text": "a"}],
        [{"type": "other", "data": "a"}],
        [{"text": "a"}],
        [TEXT, "a"],
        [TEXT, 1],
    ],
)
def test_json_that_looks_like_blocks_is_json(items: Any) -> None:
    assert not is_blocks(items)


def test_texts_of_blocks_stand_on_lines_of_their_own() -> None:
    assert text_of([TEXT, IMAGE, {"type": "input_text", "text": "world"}]) == "hello\nworld"
    assert text_of([IMAGE]) == ""


def test_text_weighs_nothing_and_the_rest_its_json() -> None:
    assert weight(TEXT) == 0
    assert weight(IMAGE) == len(to_json(IMAGE))


def test_earlier_blocks_stay_where_not_all_have_room() -> None:
    one = weight(IMAGE)
    blocks = [IMAGE, TEXT, {**IMAGE, "data": "A" * 5_000}, IMAGE, IMAGE]
    assert too_heavy(blocks, None) == []
    assert too_heavy(blocks, 0) == [0, 2, 3, 4]
    assert too_heavy(blocks, 2 * one) == [2, 4]
    assert too_heavy(blocks, 10 * one) == []


def test_block_that_is_left_out_is_named_by_what_it_was() -> None:
    size = f"{weight(IMAGE):,}"
    assert left_out(IMAGE, HANDLE) == f"[image/png of {size} characters not shown, kept as {HANDLE}]"
    assert left_out(IMAGE, None) == f"[image/png of {size} characters not shown, not kept]"
    assert left_out({"type": "audio", "data": "A"}, None).startswith("[audio of ")
    assert len(left_out({"type": "image", "data": "A", "mimeType": "x" * 900}, None)) < 120
