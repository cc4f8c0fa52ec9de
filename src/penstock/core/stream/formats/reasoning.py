"""Reasoning blocks, and the wrappers around answers: markup that is no call.

A reasoning block begins where nothing was shown yet, or right behind other markup; a tag anywhere else is a tag that
somebody writes about. It lasts to its end. Special tokens that begin a call end it too: no model drafts those.
"""

from __future__ import annotations

from typing import Final

from penstock.core.stream.formats.contract import Format, Read
from penstock.core.stream.scan import Refuted, Scan, Steps

BLOCKS: Final[dict[str, str]] = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<reason>": "</reason>",
    "<reasoning>": "</reasoning>",
    "<thought>": "</thought>",
    "<Thought>": "</Thought>",
    "<seed:think>": "</seed:think>",
    "<mm:think>": "</mm:think>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "◁think▷": "◁/think▷",
    "[THINK]": "[/THINK]",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought\n": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
}
# What the end of a block may be when the stream begins inside one.
CLOSERS: Final = frozenset(BLOCKS.values())

_WRAPPERS: Final[dict[str, str]] = {
    "<response>": "</response>",
    "<answer>": "</answer>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|START_TEXT|>": "<|END_TEXT|>",
    "<|begin_of_solution|>": "<|end_of_solution|>",
    "[BEGIN FINAL RESPONSE]": "[END FINAL RESPONSE]",
    "<|open|>response<|sep|>": "<|close|>response<|sep|>",
    "<|CHATBOT_TOKEN|>": "<|END_OF_TURN_TOKEN|>",
}
# Ends a message whose parts were wrapped.
_LAST: Final[dict[str, str]] = {"<|close|>message<|sep|>": "<|close|>response<|sep|>"}

_STOPS: Final = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "</s>"),
    "<｜end▁of▁sentence｜>",
)


def _block(closer: str) -> Read:
    def read(scan: Scan, opener: str) -> Steps[None]:
        scan.pos += len(opener)
        # In a sentence about the tag, the sentence goes on behind it.
        yield from scan.space()
        scan.hide()
        scan.thought = frozenset((closer,))

    return read


def _alone(scan: Scan, opener: str) -> Steps[None]:
    """The end of a block that began before the stream did: it stands at a line's beginning or end."""
    begins = not scan.before()
    scan.pos += len(opener)
    ahead = yield from scan.char()
    if "thought" in scan.seen or not (begins or ahead in ("", "\n")):
        raise Refuted("no block was open")
    scan.seen.add("thought")
    yield from scan.space()
    scan.hide()


def _wrapped(closer: str) -> Read:
    def read(scan: Scan, opener: str) -> Steps[None]:
        # A tag that begins the stream may be an answer in XML.
        if opener[1] != "|" and scan.at == 0:
            raise Refuted("nothing was marked up before")
        scan.pos += len(opener)
        yield from scan.space()
        scan.hide()
        scan.seen.add(closer)

    return read


def _unwrapped(scan: Scan, opener: str) -> Steps[None]:
    yield from ()
    if _LAST.get(opener, opener) not in scan.seen:
        raise Refuted("no wrapper was open")
    scan.pos += len(opener)
    scan.hide()


def _last(scan: Scan, opener: str) -> Steps[None]:
    """What tells that the model is done, where an engine has left it in: right behind other markup, and the last."""
    scan.pos += len(opener)
    yield from scan.space()
    if (yield from scan.char()):
        raise Refuted("the stream goes on")
    scan.hide()


FORMATS: Final[tuple[Format, ...]] = (
    Format("wrappers", _STOPS, _last, fresh=True),
    *(Format("reasoning", (opener,), _block(closer), fresh=True) for opener, closer in BLOCKS.items()),
    Format("reasoning", tuple(BLOCKS.values()), _alone),
    *(Format("wrappers", (opener,), _wrapped(closer), fresh=True) for opener, closer in _WRAPPERS.items()),
    Format("wrappers", (*_WRAPPERS.values(), *_LAST), _unwrapped),
)
