"""Stack traces and dumps of threads: what was thrown and why, then where, the program's own frames before a library's.

Rules:
1. What is no frame says what happened: messages, causes, the names of threads. Each is shown once before any twice.
2. Of the frames of one trace the innermost matter most, then the outermost; the ones in between are the first to go.
3. A frame in code that comes with a language or is installed beside the program is worth less than one of its own.
4. The same frame again, in a recursion or in another thread, is worth less each time, and so is the name of a thread
   that stands where another one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from penstock.core.content import Content
from penstock.core.patterns import re_pattern
from penstock.core.reduce.alarms import STRONG, find_alarms
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.prefixes import with_prefix_once
from penstock.core.reduce.templates import Templates

# Frames as languages and debuggers print them. Each is one line, or a line with the place or the code below it.
_FRAME: Final = re_pattern(
    rb"(?:at (?:<anonymous>|[\w$<\[@/(.:\x80-\xff][^\n]{0,400}?(?:\(|:\d))"  # Java, JavaScript, C#, Rust's places, Dart
    rb'|File "[^"\n]{1,300}", line \d'  # Python, also inside of an exception group
    rb"|#\d{1,4} +(?:0x[0-9a-f]|\{main\}|[^\s(]{1,300} ?\()"  # gdb, sanitizers, PHP, Dart
    rb"|\d{1,4}: +(?:0x[0-9a-f]+ - )?(?:<?[\w{}]{1,200}(?:::| as )|(?:main|_start|rust_\w+|__libc\w+)$)"  # Rust
    rb"|(?:from )?[^\s:]{1,300}:\d{1,6}:in [`']"  # Ruby
    rb"|[^\s:]{1,300}\.go:\d+(?: \+0x[0-9a-f]+)?$"  # Go's places
    rb"|[\w./()*\[\]-]{1,300}\((?:0x|\.\.\.\)|\{0x)|[\w/-]{1,200}\.[\w(*)]{1,100}\(\)$"  # Go's functions
    rb"|frame #\d|created by "  # lldb, Go
    rb"|- (?:locked|waiting|parking|eliminated|None)\b"  # Java's monitors
    rb")"
)
_OUTWARD: Final = b'File "'  # frames of which the last is the innermost
_LIBRARY: Final = re_pattern(
    rb"site-packages|dist-packages|node_modules|/vendor/|/gems/|/usr/(?:lib|include|share|local/(?:lib|go/src))|/rustc/"
    rb"|/pkg/mod/|\.cargo/registry|/lib/python\d|/lib/ruby/|\bnode:|\(internal/|<frozen |\blib[\w+-]{1,30}\.so\b"
    rb"|\.\./sysdeps|\bin (?:__libc_|__GI_|_start\b|__interceptor_|clone\d?\b|start_thread\b)"
    rb"|^at (?:[\w.]{1,60}/)?(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|akka|groovy|clojure|android"
    rb"|androidx|dalvik|io\.netty|reactor|rx|org\.(?:springframework|apache|junit|hibernate|eclipse|gradle|jboss)"
    rb"|System|Microsoft|Newtonsoft)\."
    rb"|^(?:\d+: +(?:0x\w+ - )?)?<?(?:core|std|alloc|tokio|futures\w*|hyper)::"
    rb"|^(?:runtime|testing|reflect|net/http)\."
)
_MORE: Final = re_pattern(
    rb"\s*\.\.\. \d+ (?:more|common frames)|\s*\[Previous line repeated|\s*\.\.\.additional frames"
)

_ADDRESS: Final = re_pattern(rb"0x[0-9a-f]+")

# What each line is worth, an alarm in a message adds its strength. A name is what stands above a trace.
MESSAGE: Final = 10.0
NAME: Final = 6.0
OWN: Final = 4.0
INNERMOST: Final = 3.0
OUTERMOST: Final = 1.5
FRAME: Final = 1.0

# Lines that may name a trace.
HEAD: Final = 4

# What of a line is looked at, and what may stand before a frame in it.
SEEN: Final = 600
_INSET: Final = b" \t|+"

# Whose a frame is; any of them is a frame.
_OWN: Final = 1
_OTHERS: Final = 2
_ANY: Final = bytes([0, 1, 1, *range(3, 256)])

LOOKED_AT: Final = 24


def fit(sample: Sample) -> float:
    lines = [
        line for part in (sample.data, sample.middle, sample.end) for line in part.split(b"\n", LOOKED_AT)[:LOOKED_AT]
    ]
    lines = [line for line in lines if line.strip()]
    frames = sum(_is_frame(line) for line in lines)
    if frames < 4:
        return 0.0
    # A frame often has a line below it: its code, its place.
    return min(0.84, 1.6 * frames / len(lines))


def reduce(content: Content, ask: Ask) -> Plan:
    # What is made of each line takes as much as some lines that are only looked at.
    ask.effort.spend(4 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    alarms = find_alarms(templates, ask.effort)
    worth = dict(enumerate(_worth(templates)))
    for alarm in alarms:
        if worth[alarm.line] >= MESSAGE / 4:
            worth[alarm.line] += min(alarm.strength, STRONG)
    return with_prefix_once(content, ask, Plan(LogView(content, ask, templates, worth, alarms).choose))


def _worth(templates: Templates) -> list[float]:
    texts = templates.texts
    whose = _frames(texts)
    frames = whose.translate(_ANY)
    worth = [0.0] * len(texts)
    told: Counter[bytes] = Counter()
    traces: Counter[tuple[bytes, ...]] = Counter()
    start = 0
    while start < len(texts):
        stop = frames.find(1 - frames[start], start)
        stop = len(texts) if stop < 0 else stop
        keys = templates.keys[start:stop]
        if frames[start]:
            # Addresses differ from thread to thread, the numbers of lines do not.
            keys = [_ADDRESS.sub(b"", text) for text in texts[start:stop]]
            times = traces[tuple(keys)]
            traces[tuple(keys)] += 1
            for line in range(_head_of(texts, frames, start), start):
                worth[line] = worth[line] / (1 + times) ** 2 if times else max(worth[line], NAME)
        for line, key in zip(range(start, stop), keys, strict=True):
            told[key] += 1
            own = (
                _of_frame(texts, whose[line], line, start, stop)
                if frames[line]
                else MESSAGE
                if texts[line].strip()
                else 0.0
            )
            worth[line] = own / told[key]
        start = stop
    if worth:
        worth[0] = worth[-1] = 2 * MESSAGE
    return worth


def _head_of(texts: Sequence[bytes], frames: bytes, start: int) -> int:
    """Where the lines begin that name the trace whose frames begin at `start`: a thread, its state."""
    first = start
    while first > max(0, start - HEAD) and not frames[first - 1] and texts[first - 1].strip():
        first -= 1
    return first


def _frames(texts: Sequence[bytes]) -> bytes:
    """One byte a line: whose frame it is of, its code and its place too; 0 where it is of none."""
    whose = bytearray(len(texts))
    known: dict[bytes, int] = {}  # many traces have many frames alike
    inset = -1  # of the frame above, whose code or place this line may be
    for line, text in enumerate(texts):
        said = text[:SEEN].lstrip(_INSET)
        within = min(len(text), SEEN) - len(said)
        if said not in known:
            is_frame = _FRAME.match(said) is not None or _MORE.match(said) is not None
            known[said] = 0 if not is_frame else _OWN if _LIBRARY.search(said) is None else _OTHERS
        if known[said]:
            whose[line] = known[said]
            inset = within
        elif said and 0 <= inset < within:
            whose[line] = whose[line - 1]
        else:
            inset = -1
    return bytes(whose)


def _is_frame(text: bytes) -> bool:
    return _FRAME.match(text[:SEEN].lstrip(_INSET)) is not None


def _of_frame(texts: Sequence[bytes], whose: int, line: int, start: int, stop: int) -> float:
    first, last = line - start, stop - 1 - line
    inner, outer = (last, first) if texts[start][:SEEN].lstrip(_INSET).startswith(_OUTWARD) else (first, last)
    return FRAME + INNERMOST / (1 + inner / 4) + OUTERMOST / (1 + outer) + (OWN if whose == _OWN else 0.0)


STACK_TRACE = Reducer("stack_trace", fit, reduce)
