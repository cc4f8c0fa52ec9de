"""Events of streams that never were: what the filter's rules allow, made at random, and cut anew."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import strategies as st

from penstock.core.stream.events import Event, Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart
from strategies import json_values

WORDS = st.text(max_size=12) | st.sampled_from(["\ud800", "\n", "\r\n", "data: x\n\n", "👍", "<tool_call>", " "])


def pieces(text: str, cuts: list[int]) -> list[str]:
    """`text` in pieces, none of them empty."""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:stop] for start, stop in pairwise(places) if start < stop]


class Tape:
    """Events one after another, each where the one before it stopped."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._at = 0
        self._calls = 0

    def _span(self, size: int) -> tuple[int, int]:
        start, self._at = self._at, self._at + size
        return start, self._at

    def text(self, *texts: str) -> Tape:
        self.events += [Text(text, *self._span(len(text))) for text in texts if text]
        return self

    def reasoning(self, *texts: str) -> Tape:
        self.events += [Reasoning(text, *self._span(len(text))) for text in texts if text]
        return self

    def markup(self, size: int = 11) -> Tape:
        self.events.append(Markup(*self._span(size)))
        return self

    def call(self, name: str, *deltas: str, error: str = "") -> Tape:
        self._calls += 1
        id_ = f"call-{self._calls}"
        self.events.append(ToolStart(id_, name, *self._span(20)))
        self.events += [ToolArgs(id_, delta, *self._span(len(delta))) for delta in deltas if delta]
        self.events.append(ToolEnd(id_, name, "".join(deltas), error, *self._span(12)))
        return self


@st.composite
def tapes(draw: st.DrawFn) -> list[Event]:
    tape = Tape()
    cuts = st.lists(st.integers(0, 10_000), max_size=4)
    for kind in draw(st.lists(st.sampled_from(["text", "text", "reasoning", "markup", "call", "broken"]), max_size=9)):
        if kind == "markup":
            tape.markup()
        elif kind == "call":
            arguments = json.dumps(draw(st.dictionaries(st.text(max_size=5), json_values, max_size=3)))
            tape.call(draw(st.sampled_from(["read_file", "search", "läs"])), *pieces(arguments, draw(cuts)))
        elif kind == "broken":
            tape.call(
                "write_file", *pieces('{"text": "' + draw(st.text("ab\\\n", max_size=9)), draw(cuts)), error="cut"
            )
        else:
            text = "".join(draw(st.lists(WORDS, max_size=4)))
            getattr(tape, kind)(*pieces(text, draw(cuts)))
    return tape.events
