"""Server-sent events read back, and a stream that every encoder is shown with."""

from __future__ import annotations

import json
from typing import Any

from penstock.core.stream.events import Event

from ..streams import Tape


def sent(data: bytes) -> list[Any]:
    """The values of a stream; `[DONE]` stays as it is."""
    assert data.endswith(b"\n\n")
    found = []
    for block in data.decode().removesuffix("\n\n").split("\n\n"):
        assert block.startswith("data: "), block
        assert "\n" not in block and "\r" not in block, block
        text = block.removeprefix("data: ")
        found.append(text if text == "[DONE]" else json.loads(text, parse_constant=_refused))
    return found


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def spoken() -> list[Event]:
    """A model thinks, says a sentence, calls two tools, and says another sentence."""
    tape = Tape().markup(7).reasoning("Two files", " to read.").markup(8).text("I will", " look.").markup()
    tape.call("read", '{"path": ', '"a.py"}').markup().call("list", "{}").markup()
    return tape.text("There.").events
