"""A filter that knows two markers, `<f>arguments</f>` and `<r>reasoning</r>`, and holds back what may become one."""

from __future__ import annotations

from penstock.core.stream.events import Event, Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart

_CLOSERS = {"<f>": "</f>", "<r>": "</r>"}


class Toy:
    def __init__(self) -> None:
        self._at = 0
        self._held = ""
        self._closer = ""
        self._calls = 0
        self._arguments = ""

    def feed(self, chunk: str) -> list[Event]:
        found: list[Event] = []
        for character in chunk:
            self._held += character
            markers = [self._closer] if self._closer else [*_CLOSERS]
            if self._held in markers:
                found.append(self._turned(self._held))
                self._held = ""
            while self._held and not any(marker.startswith(self._held) for marker in markers):
                found.append(self._said(self._held[0]))
                self._held = self._held[1:]
        return found

    def finish(self) -> list[Event]:
        found = [self._said(character) for character in self._held]
        if self._closer == "</f>":
            found.append(ToolEnd(self._call, "f", self._arguments, "the stream ended", self._at, self._at))
        return found

    @property
    def _call(self) -> str:
        return f"call_{self._calls}"

    def _span(self, size: int) -> tuple[int, int]:
        start, self._at = self._at, self._at + size
        return start, self._at

    def _turned(self, marker: str) -> Event:
        span, ended = self._span(len(marker)), self._closer
        self._closer = _CLOSERS.get(marker, "")
        if ended == "</f>":
            return ToolEnd(self._call, "f", self._arguments, "", *span)
        if marker != "<f>":
            return Markup(*span)
        self._calls += 1
        self._arguments = ""
        return ToolStart(self._call, "f", *span)

    def _said(self, text: str) -> Event:
        span = self._span(len(text))
        if self._closer == "</f>":
            self._arguments += text
            return ToolArgs(self._call, text, *span)
        return Reasoning(text, *span) if self._closer else Text(text, *span)
