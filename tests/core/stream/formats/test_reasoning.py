"""Reasoning blocks and wrappers: markup that is no call."""

from __future__ import annotations

import pytest

from core.stream.feeding import called, fed, letters, shown, thought
from penstock.core.stream.formats.reasoning import BLOCKS


def found(text: str) -> tuple[str, str]:
    events = fed(text)
    assert fed(text, letters(text)) == events
    return thought(events), shown(events)


@pytest.mark.parametrize(("opener", "closer"), BLOCKS.items())
def test_a_block_is_reasoning_and_what_follows_is_text(opener: str, closer: str) -> None:
    assert found(f"{opener}\nSo, < and {{ it.{closer}\n\nYes.") == ("So, < and { it.", "Yes.")
    assert found(f"{opener}never closed") == ("never closed", "")
    assert found(f"Yes. {opener} is a tag") == ("", f"Yes. {opener} is a tag")


@pytest.mark.parametrize("closer", BLOCKS.values())
def test_the_end_of_a_block_that_began_before_the_stream_is_hidden_once(closer: str) -> None:
    assert found(f"So.\n{closer}\n\nYes.\n{closer}\n") == ("", f"So.\nYes.\n{closer}\n")
    assert found(f"So.{closer}\nYes.") == ("", "So.Yes.")
    assert found(f"So {closer} is a tag") == ("", f"So {closer} is a tag")


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("<think>so</think><response>Yes.</response>", "Yes."),
        ("<think>so</think>\n<answer>\nYes.\n</answer>", "Yes.\n"),
        ("<response>Yes.</response>", "<response>Yes.</response>"),
        ("<|START_RESPONSE|>Yes.<|END_RESPONSE|>", "Yes."),
        ("Yes.<|END_RESPONSE|>", "Yes.<|END_RESPONSE|>"),
        ("<|open|>response<|sep|>Yes.<|close|>response<|sep|><|close|>message<|sep|>", "Yes."),
        ("Yes.<|close|>message<|sep|>", "Yes.<|close|>message<|sep|>"),
        ("<|START_THINKING|>so<|END_THINKING|><|START_TEXT|>Yes.<|END_TEXT|>", "Yes."),
    ],
)
def test_wrappers_around_an_answer_are_hidden_where_they_were_opened(text: str, visible: str) -> None:
    assert found(text)[1] == visible


def test_a_call_follows_reasoning() -> None:
    text = '<think>so</think>\n\n<tool_call>{"name":"f","arguments":{}}</tool_call>'
    assert called(fed(text)) == [("f", {})]
    assert found(text) == ("so", "")


def test_what_says_that_the_model_is_done_is_hidden_behind_markup_and_at_the_end() -> None:
    call = '<tool_call>{"name":"f","arguments":{}}</tool_call>'
    assert found(f"{call}<|im_end|>\n")[1] == ""
    assert found(f"{call}<|im_end|> is a token")[1] == "<|im_end|> is a token"
    assert found("It ends with <|im_end|>")[1] == "It ends with <|im_end|>"
