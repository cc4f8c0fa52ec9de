"""Events that the ledger tests tell, and hypothesis strategies for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from penstock.core.entry import Entry, ReadBack
from penstock.core.handle import Handle, handle_for
from penstock.core.measure import Size

HANDLES = [handle_for(bytes([n])) for n in range(4)]


def fits(tool: str = "Bash", **more: Any) -> Entry:
    size = Size(10, 1, 10)
    return Entry(
        tool=tool,
        agent=more.pop("agent", ""),
        kind="text",
        strategy="",
        reason="fits",
        before=size,
        after=size,
    )


def cut(handle: Handle | None = HANDLES[0], **more: Any) -> Entry:
    values: dict[str, Any] = {
        "tool": "Bash",
        "agent": "",
        "kind": "log",
        "strategy": "head_tail",
        "reason": "lines",
        "before": Size(90_000, 5_000, 90_000, 30_000),
        "after": Size(40_000, 2_000, 40_000, 12_000),
        "shown": ((0, 20_000), (70_000, 90_000)),
    }
    return Entry(**{**values, "handle": handle, **more})


def read(handle: Handle = HANDLES[0], **more: Any) -> ReadBack:
    values: dict[str, Any] = {"action": "read", "tool": "Bash", "agent": "", "after": Size(100, 2, 100)}
    return ReadBack(**{**values, "handle": handle, **more})


_names = st.sampled_from(["", "Bash", "read_file", "搜索", "a'b"])
_numbers = st.integers(0, 2**40)
_sizes = st.builds(Size, _numbers, _numbers, _numbers, st.none() | _numbers)
_spans = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 90)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    max_size=4,
).map(tuple)

entries = st.builds(
    Entry,
    tool=_names,
    agent=_names,
    kind=st.sampled_from(["text", "json", "log"]),
    strategy=st.sampled_from(["", "head"]),
    reason=st.sampled_from(["fits", "skip", "chars", "lines", "bytes", "tokens"]),
    before=_sizes,
    after=_sizes,
    handle=st.none() | st.sampled_from(HANDLES),
    failure=st.sampled_from(["", "disk full"]),
    shown=_spans,
)
reads = st.builds(
    ReadBack,
    handle=st.sampled_from(HANDLES),
    action=st.sampled_from(["read", "grep", "unseen"]),
    tool=_names,
    agent=_names,
    after=_sizes,
    shown=_spans,
)
# Few distinct moments, so that several events share one; the fractions end a day.
moments = st.sampled_from([0.0, 1.5, 86_399.9999, 86_400.0, 1_794_000_000.25])
stories = st.lists(st.tuples(st.one_of(entries, reads), moments), max_size=30)
