"""A stream of server-sent events, with tool calls where their markup was.

for data in filter_sse(response.iter_bytes(), tools=["read_file", "search"]):
    ...

Rules:
1. The dialect is that of OpenAI's chat completions or of Anthropic's Messages; `auto` goes by the first event that
   tells. What belongs to neither goes through as it is, and so does what is no JSON, and a frame that never ended.
2. Comments and pings, which keep a connection alive, wait for no text. All else keeps its order.
3. Bytes may be cut anywhere; the same bytes come out together, whatever the cuts.
4. A stream in which no text was held back across events, and no markup found, comes out byte for byte.
5. When the source fails, what is held back goes out first, and then the failure: a short answer must not look whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal

from penstock.core.jsontext import from_json
from penstock.core.stream.contract import NewFilter, NewId
from penstock.core.stream.declared import Tools
from penstock.core.stream.filter import Formats, ToolCallFilter
from penstock.core.stream.ids import call_id
from penstock.core.stream.sse.anthropic import TYPES, MessagesRewriter
from penstock.core.stream.sse.frames import Frame, Frames
from penstock.core.stream.sse.openai import DONE, ChatRewriter
from penstock.errors import CallerError

Dialect = Literal["auto", "openai", "anthropic"]
DIALECTS: Final[tuple[Dialect, ...]] = ("auto", "openai", "anthropic")


class SseFilter:
    def __init__(
        self,
        new_filter: NewFilter = ToolCallFilter,
        *,
        dialect: Dialect = "auto",
        reasoning: bool = True,
        new_id: NewId = call_id,
    ) -> None:
        if dialect not in DIALECTS:
            raise CallerError(f"{dialect!r} is no dialect; there are: {', '.join(DIALECTS)}")
        self._frames = Frames()
        self._rewriters: dict[str, ChatRewriter | MessagesRewriter] = {
            "openai": ChatRewriter(new_filter, new_id, reasoning=reasoning),
            "anthropic": MessagesRewriter(new_filter, new_id, reasoning=reasoning),
        }
        self._dialect: Dialect = dialect

    def feed(self, chunk: bytes) -> bytes:
        return b"".join(map(self._taken, self._frames.feed(chunk)))

    def finish(self) -> bytes:
        return self._flushed() + self._frames.rest()

    def _taken(self, frame: Frame) -> bytes:
        if frame.data is None:
            return frame.raw
        if frame.data.strip() == DONE:
            return self._flushed() + frame.raw
        value = _object(frame.data)
        if value is None:
            return frame.raw
        if self._dialect == "auto":
            self._dialect = _dialect_of(value)
        rewriter = self._rewriters.get(self._dialect)
        return frame.raw if rewriter is None else rewriter.take(frame, value)

    def _flushed(self) -> bytes:
        rewriter = self._rewriters.get(self._dialect)
        return b"" if rewriter is None else rewriter.flush()


def filter_sse(
    source: Iterable[bytes],
    *,
    formats: Formats = "all",
    tools: Tools | None = None,
    dialect: Dialect = "auto",
    reasoning: bool = True,
    new_id: NewId = call_id,
) -> Iterator[bytes]:
    """`source` rewritten. `formats` and `tools` are those of `ToolCallFilter`."""
    new_filter = _filters(formats, tools)
    stream = SseFilter(new_filter, dialect=dialect, reasoning=reasoning, new_id=new_id)
    try:
        for chunk in source:
            if sent := stream.feed(chunk):
                yield sent
    except Exception:
        if sent := stream.finish():
            yield sent
        raise
    if sent := stream.finish():
        yield sent


async def async_filter_sse(
    source: AsyncIterable[bytes],
    *,
    formats: Formats = "all",
    tools: Tools | None = None,
    dialect: Dialect = "auto",
    reasoning: bool = True,
    new_id: NewId = call_id,
) -> AsyncIterator[bytes]:
    """The same for a source that is waited for."""
    new_filter = _filters(formats, tools)
    stream = SseFilter(new_filter, dialect=dialect, reasoning=reasoning, new_id=new_id)
    try:
        async for chunk in source:
            if sent := stream.feed(chunk):
                yield sent
    except Exception:
        if sent := stream.finish():
            yield sent
        raise
    if sent := stream.finish():
        yield sent


def _filters(formats: Formats, tools: Tools | None) -> NewFilter:
    told = tools if tools is None or isinstance(tools, Mapping) else list(tools)
    return partial(ToolCallFilter, formats, told, keep_raw=False)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = from_json(data.decode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _dialect_of(value: dict[str, Any]) -> Dialect:
    if value.get("type") in TYPES:
        return "anthropic"
    return "openai" if isinstance(value.get("choices"), list) else "auto"
