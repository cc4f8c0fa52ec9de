"""What the core's properties are tried with: content of every sort, counters of every sort, kept output to read."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

from hypothesis import strategies as st
from wcwidth import iter_graphemes

from penstock.core.content import Content, content_of_bytes, content_of_text
from penstock.core.envelope import Frame
from penstock.core.flow import Case, Kept
from penstock.core.handle import Handle
from penstock.core.policy import Policy
from penstock.core.tokens import Estimate, TokenCounter
from penstock.core.window import Collector
from strategies import Fourths, byte_strings, limits, line_count, texts, utf8_size

HANDLE = Handle("ps-abcdefgh23456777")
PATH = "/srv/project/tool-output/tool_20260315_120000_Bash.txt"


class Bytes:
    """A counter for which every byte is a token."""

    name = "bytes"
    exact = True

    def count(self, text: str) -> int:
        return utf8_size(text)

    def count_up_to(self, text: str, limit: int) -> int | None:
        return None if self.count(text) > limit else self.count(text)


class Jumpy(Bytes):
    """A counter within the bounds of any tokenizer, for which two texts together are never what they are apart."""

    name = "jumpy"

    def count(self, text: str) -> int:
        size = utf8_size(text)
        guess = size // 3 + zlib.crc32(text.encode("utf-8", "surrogatepass")) % 23
        return max(-(-size // 128), min(size, guess))


COUNTERS: list[TokenCounter] = [Estimate(), Fourths(), Bytes(), Jumpy()]

policies = st.builds(
    Policy,
    limits=limits(),
    strategy=st.sampled_from(["auto", "head", "tail", "head_tail", "summarize"]),
    ratio=st.sampled_from([0.5, 0.0, 0.3, 1.0]),
    reader=st.sampled_from(["penstock", "files", "task", "cli", "none"]),
    language=st.sampled_from(["en", "zh"]),
    notice=st.sampled_from(["end", "head"]),
    counter=st.sampled_from(COUNTERS),
)

LOG_LINES = [
    "2026-03-01T00:00:00.137Z INFO  [worker-03] orders.api request=1a2b3c4d status=200 ms=17 GET /v2/orders/99\n",
    "2026-03-01T00:00:01.274Z WARN  [worker-07] mailer.queue request=5e6f7081 status=429 ms=3 GET /v1/sessions/8\n",
    "2026-03-01T00:00:02.411Z ERROR [worker-11] payments.settlement request=92a3b4c5 failed\n",
    "Traceback (most recent call last):\n",
    "    raise LedgerUnavailable(shard)\n",
    "0 errors, no warnings\n",
]

logs = st.lists(st.sampled_from(LOG_LINES), max_size=120).map("".join)

whole_contents = (
    texts().map(content_of_text)
    | byte_strings().map(content_of_bytes)
    | logs.map(content_of_text)
    | logs.map(lambda text: content_of_bytes(text.encode()))
)


def kept(path: str | None = PATH) -> Kept:
    return Kept(HANDLE, path)


frames = st.none() | st.builds(
    Frame,
    status=st.sampled_from(["success", "error"]),
    stats=st.just({"time_ms": 12}) | st.just({"rows": "x" * 3_000}),
    context=st.just({}) | st.just({"cwd": "/srv/\ud800"}),
    error=st.none() | st.just({"code": "E_TOOL", "message": "it failed"}),
)


@st.composite
def cases(draw: st.DrawFn, contents: st.SearchStrategy[Content] = whole_contents) -> Case:
    return Case(
        draw(contents),
        draw(policies),
        "bytes",
        media=draw(st.sampled_from(["text", "json"])),
        kept=draw(st.sampled_from([None, kept(), kept(None)])),
        failure="the disk is full",
        remark=draw(st.sampled_from(["", "Something else must be said."])),
        frame=draw(frames),
    )


def raw_of(output: str | bytes) -> bytes:
    return output.encode("utf-8", "surrogatepass") if isinstance(output, str) else output


def case_of(output: str | bytes, policy: Policy, kept: Kept | None = kept(), **more: Any) -> Case:  # noqa: B008
    content = content_of_text(output) if isinstance(output, str) else content_of_bytes(output)
    return Case(content, policy, "bytes", kept=kept, **more)


@st.composite
def collected(draw: st.DrawFn, outputs: st.SearchStrategy[bytes] = byte_strings()) -> Content:  # noqa: B008
    """Content of which only the ends are held."""
    collector = Collector(end=draw(st.integers(2, 900)), sampled=draw(st.integers(0, 9_000)))
    collector.feed(draw(outputs))
    return collector.finish()


def assert_within(text: str, policy: Policy, *, framed: bool = False) -> None:
    """Sizes counted anew; the JSON of an envelope is made again, so its tokens may be others."""
    most = policy.limits
    assert most.chars is None or len(text) <= most.chars
    assert most.lines is None or line_count(text) <= most.lines
    assert most.bytes is None or utf8_size(text) <= most.bytes
    assert framed or most.tokens is None or policy.counter.count(text) <= most.tokens


_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\r\n]*(?:\x07|\x1b\\)|[ -/]+[0-~]|(?![\[\]PX^_])[0-~])"
)


def safe_cuts(data: bytes) -> set[int]:
    """Where a text may be cut: between clusters, seen from the start of the whole, and in no escape sequence."""
    text = data.decode("utf-8", "surrogateescape")
    places = [0, *accumulate(len(char.encode("utf-8", "surrogateescape")) for char in text)]
    shown = re.sub("[\udc80-\udcff]", "\ufffd", text)
    cuts = {places[end] for end in accumulate(len(cluster) for cluster in iter_graphemes(shown))} | {0}
    for escape in _ESCAPES.finditer(data):
        cuts -= set(range(escape.start() + 1, escape.end()))
    return cuts


@dataclass
class Shelf:
    """Kept output in memory, whose lines can be sought by blocks; it notes how much was read."""

    data: bytes
    block: int = 64
    read_bytes: int = field(default=0, compare=False)

    @property
    def handle(self) -> Handle:
        return HANDLE

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def lines(self) -> int:
        return self.data.count(b"\n") + (self.data[-1:] not in (b"", b"\n"))

    def read(self, offset: int, size: int) -> bytes:
        assert offset >= 0 and size >= 0
        piece = self.data[offset : offset + size]
        self.read_bytes += len(piece)
        return piece

    def seek_line(self, line: int) -> tuple[int, int]:
        assert line >= 1
        found = (0, 0)
        newlines = 0
        for start, stop in pairwise([*range(0, len(self.data), self.block), len(self.data)]):
            if newlines > line - 1:
                break
            # A block that starts with the wanted line, or before it.
            if self._at_or_before(start, newlines, line):
                found = (start, newlines)
            newlines += self.data.count(b"\n", start, stop)
        return found

    def _at_or_before(self, start: int, newlines: int, line: int) -> bool:
        """Whether the offset is at or before the start of the line."""
        if newlines < line - 1:
            return True
        return newlines == line - 1 and (start == 0 or self.data[start - 1] == ord("\n"))


def uncounted(text: str) -> int:
    raise AssertionError("tokens are counted only where there is a limit on them")
