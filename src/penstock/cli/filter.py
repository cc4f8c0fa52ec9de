"""`penstock filter`."""

from __future__ import annotations

import codecs
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import click

from penstock.cli import console, signals
from penstock.cli.options import as_json, words
from penstock.cli.stdin import arriving
from penstock.core.jsontext import from_json, to_json
from penstock.core.stream.encoders.agui import AgUi
from penstock.core.stream.encoders.openai import ChatChunks
from penstock.core.stream.encoders.ui import UIMessageStream
from penstock.core.stream.events import Event, Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart
from penstock.core.stream.filter import ToolCallFilter
from penstock.core.stream.ids import Ids
from penstock.core.stream.sse.filtering import DIALECTS, Dialect, SseFilter
from penstock.errors import ToolError

EVENTS: Final = ("text", "jsonl", "ui", "agui", "openai")

_NAMES: Final[dict[type[Event], str]] = {
    Text: "text",
    Reasoning: "reasoning",
    Markup: "markup",
    ToolStart: "tool_start",
    ToolArgs: "tool_args",
    ToolEnd: "tool_end",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    formats: tuple[str, ...]
    tools: tuple[str, ...]
    definitions: Path | None
    events: str | None
    reasoning: Literal["show", "hide"] | None
    sse: Dialect | None
    id: str | None
    json: bool

    def stage(self) -> Shown | SseFilter:
        tools: list[str | Mapping[str, Any]] = [*self.tools, *_defined(self.definitions)]
        declared = tools if self.tools or self.definitions else None
        new_filter = partial(ToolCallFilter, self.formats or "all", declared, keep_raw=False)
        stream = new_filter()  # first of all, since a format that there is not is misuse
        if self.sse is not None:
            return SseFilter(new_filter, dialect=self.sse, reasoning=self.reasoning != "hide")
        kind = self.events or ("jsonl" if self.json else "text")
        shown = self.reasoning or ("hide" if kind == "text" else "show")
        return _shown(stream, kind, self.id or uuid.uuid4().hex, reasoning=shown == "show")


@click.command("filter")
@click.option(
    "--format",
    "formats",
    type=words,
    metavar="NAME",
    multiple=True,
    help="A format of calls to look for; several may be given. By default all but those that look like prose.",
)
@click.option(
    "--tool",
    "tools",
    type=words,
    metavar="NAME",
    multiple=True,
    help="A tool that there is; several may be given. A call of anything else is text. By default any name is a tool.",
)
@click.option(
    "--tools",
    "definitions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The tools that there are, as JSON: a list of definitions as for OpenAI, Anthropic or MCP. They also tell "
    "which values are strings where a format does not.",
)
@click.option(
    "--events",
    type=click.Choice(EVENTS),
    help="What is printed: the text alone (the default), events as JSON lines, or a stream in the protocol of Vercel's "
    "AI SDK, of AG-UI, or of OpenAI's chat completions.",
)
@click.option(
    "--reasoning",
    type=click.Choice(("show", "hide")),
    help="Whether what the model thought aloud is printed. By default not as text, but as events.",
)
@click.option(
    "--sse",
    type=click.Choice(DIALECTS),
    help="Stdin is a stream of server-sent events of an API; print the same stream with calls where their markup was.",
)
@click.option("--id", type=words, metavar="NAME", help="The id of the message. By default a new one.")
@as_json("Print JSON lines, as with `--events jsonl`.")
def command(**given: Any) -> int:
    """Pass a model's output from stdin to stdout without its tool-call markup.

    Every piece is printed as soon as it is known to be text. What only mentions a call, as in a sentence or in code, is
    printed unchanged.

    \b
      some-model "What is in a.py?" | penstock filter
      some-model "What is in a.py?" | penstock filter --tool read_file --events jsonl
      curl -sN https://example.org/v1/chat/completions -d @ask.json | penstock filter --sse openai
    """
    wanted = Wanted(**given)
    if wanted.sse is not None and (wanted.events is not None or wanted.json):
        raise click.UsageError("--sse prints the stream that it reads: it goes without --events and --json")
    if wanted.json and wanted.events not in (None, "jsonl"):
        raise click.UsageError(f"--json and --events {wanted.events} are two wishes: give one")
    stage = wanted.stage()
    if isinstance(stage, Shown):
        _out(stage.begin())
    try:
        for piece in _until_told(arriving()):
            _out(stage.feed(piece))
    except (_Interrupted, ToolError) as error:
        # What is held back is still part of what came, and what follows must not look like an end.
        _out(stage.finish() if isinstance(stage, SseFilter) else stage.finish(str(error) or "interrupted"))
        if isinstance(error, ToolError):
            raise
        return 128 + error.number
    _out(stage.finish())
    return 0


class _Interrupted(Exception):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _until_told(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces until a signal comes. It ends the wait for one, never the work on one."""
    told: list[int] = []
    waiting = False

    def tell(number: int) -> None:
        told.append(number)
        if waiting:
            raise _Interrupted(number)

    with signals.caught(tell):
        while not told:
            waiting = True
            piece = next(pieces, None)
            waiting = False
            if piece is None:
                return
            yield piece
    raise _Interrupted(told[0])


def _defined(file: Path | None) -> list[Mapping[str, Any]]:
    if file is None:
        return []
    try:
        told = from_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise click.BadParameter(f"{file} is no JSON: {error}", param_hint="--tools") from error
    if isinstance(told, dict):  # as MCP lists them
        told = told.get("tools")
    if not isinstance(told, list) or not all(isinstance(tool, dict) for tool in told):
        raise click.BadParameter(f"{file} holds no list of tool definitions", param_hint="--tools")
    return told


def _out(data: bytes) -> None:
    if data:
        console.out(data)
        console.flush()


class Sink(Protocol):
    """What the encoders of the core have in common."""

    def begin(self) -> bytes: ...

    def encode(self, events: Iterable[Event], /) -> bytes: ...

    def end(self, *, error: str = "") -> bytes: ...


class Plain:
    """The text alone; bytes that are no UTF-8 come out as they came in."""

    def begin(self) -> bytes:
        return b""

    def encode(self, events: Iterable[Event]) -> bytes:
        text = "".join(event.text for event in events if isinstance(event, Text | Reasoning))
        return text.encode("utf-8", "surrogateescape")

    def end(self, *, error: str = "") -> bytes:  # noqa: ARG002  # stderr has it
        return b""


class Lines(Plain):
    """Every event as a line of JSON."""

    def encode(self, events: Iterable[Event]) -> bytes:
        told = ({"type": _NAMES[type(event)], **event._asdict()} for event in events)
        return b"".join(to_json(one).encode() + b"\n" for one in told)


class Shown:
    """The filter, and what is printed of its events."""

    def __init__(self, stream: ToolCallFilter, sink: Sink, *, bytes_as: str, reasoning: bool, ids: Ids | None) -> None:
        self._stream = stream
        self._sink = sink
        self._decode = codecs.getincrementaldecoder("utf-8")(bytes_as).decode
        self._reasoning = reasoning
        self._ids = ids

    def begin(self) -> bytes:
        return self._sink.begin()

    def feed(self, piece: bytes) -> bytes:
        return self._told(self._stream.feed(self._decode(piece)))

    def finish(self, error: str = "") -> bytes:
        last = self._stream.feed(self._decode(b"", True)) + self._stream.finish()
        return self._told(last) + self._sink.end(error=error)

    def _told(self, events: list[Event]) -> bytes:
        if not self._reasoning:
            events = [event for event in events if not isinstance(event, Reasoning)]
        return self._sink.encode(events if self._ids is None else self._ids.of(events))


def _shown(stream: ToolCallFilter, kind: str, name: str, *, reasoning: bool) -> Shown:
    if kind == "text":
        return Shown(stream, Plain(), bytes_as="surrogateescape", reasoning=reasoning, ids=None)
    if kind == "jsonl":
        return Shown(stream, Lines(), bytes_as="replace", reasoning=reasoning, ids=None)
    sink: Sink
    if kind == "ui":
        sink = UIMessageStream(name)
    elif kind == "agui":
        sink = AgUi(f"{name}-thread", f"{name}-run", name)
    else:
        sink = ChatChunks(name, created=int(time.time()), model=console.NAME)
    return Shown(stream, sink, bytes_as="replace", reasoning=reasoning, ids=Ids(name))
