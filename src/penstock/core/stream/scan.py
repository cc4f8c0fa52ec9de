"""What a format reads from and writes to: a window on the stream, and the call that is being read.

Rules:
1. A format is a generator. It yields where it needs more text, and is resumed when there is more or when none will come
   (`over`). It keeps no index of the window in a variable across a yield: the window moves.
2. Until `start` nothing is proven, and the window is never wider than the hold: what it does not prove is no call.
3. `Refuted` says that what stands here is no call, or no longer one. What was settled (`mark`) stays settled; the rest
   is text again. If the call had begun, it ends with the error.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final, TypeVar

from penstock.core.jsontext import from_json
from penstock.core.stream.declared import Declared
from penstock.core.stream.events import Event, Markup, Reasoning, Text, ToolArgs, ToolEnd, ToolStart
from penstock.core.stream.markers import Markers

T = TypeVar("T")
Steps = Generator[None, None, T]

CUT: Final = "the stream ended inside the call"
# How much of the window behind the current place is kept: a format may look at what stands before its marker.
BEHIND: Final = 64
LONGEST_NAME: Final = 128
ALL: Final = 1 << 62

_NO_SPACE: Final = re.compile(r"\S")


class Refuted(Exception):
    """What stands here is no call, or no longer one."""


class Cut(Refuted):
    """What stands here might have become a call, had the stream not ended."""


class Scan:
    __slots__ = (
        "at",
        "base",
        "buf",
        "calls",
        "closed",
        "deltas",
        "end",
        "fresh",
        "gap",
        "hold",
        "id",
        "keep",
        "mark",
        "name",
        "out",
        "over",
        "pos",
        "proven",
        "seen",
        "server",
        "thought",
        "tools",
    )

    def __init__(self, tools: Declared, hold: int) -> None:
        self.tools = tools
        self.hold = hold
        self.buf = ""
        self.base = 0  # where in the raw text the window begins
        self.pos = 0  # what has been read, as an index of the window
        self.end = 0  # what may be read
        self.mark = 0  # what is settled
        self.keep = -1  # a place to go back to, or -1
        self.over = False  # nothing may be read behind `end`, now or later
        self.closed = False  # the stream has ended
        self.proven = False
        self.fresh = True  # nothing but white space was shown since the start, or since the last markup
        self.gap = False  # nothing at all was shown since the last markup
        self.at = 0  # how far events cover the raw text
        self.out: list[Event] = []
        self.calls = 0
        self.id = ""
        self.name = ""
        self.server = ""  # whose tool the next call is of, where the format says it
        self.deltas: list[str] = []
        self.thought: frozenset[str] = frozenset()  # what ends the reasoning that this is; empty where it is none
        self.seen: set[str] = set()  # what must be known later: open wrappers, ids that were given

    # The window.

    def add(self, text: str) -> None:
        low = self.pos if self.proven else min(self.mark, self.at - self.base)
        if 0 <= self.keep < low:
            low = self.keep
        drop = low - BEHIND
        if drop > 1024:
            self.buf = self.buf[drop:] + text
            self.base += drop
            self.pos -= drop
            self.mark -= drop
            if self.keep >= 0:
                self.keep -= drop
        else:
            self.buf += text

    def widen(self) -> None:
        """Sets what may be read now: all there is for a proven call, or else no more than the hold."""
        size = len(self.buf)
        most = self.mark + self.hold
        if self.proven or size < most:
            self.end = size
            self.over = self.closed
        else:
            self.end = most
            self.over = True

    def before(self) -> str:
        """What stands on the same line before what is being read, or a little of it."""
        line = self.buf[max(0, self.mark - BEHIND) : self.mark]
        return line[line.rfind("\n") + 1 :]

    def begins(self) -> bool:
        """Whether a line begins here, or nothing was shown since other markup."""
        return self.fresh or not self.before()

    # Reading.

    def literal(self, text: str) -> Steps[bool]:
        """Reads this very text, if it stands here."""
        while True:
            if self.buf.startswith(text, self.pos, self.end):
                self.pos += len(text)
                return True
            if self.over or not text.startswith(self.buf[self.pos : self.end]):
                return False
            yield

    def expect(self, text: str) -> Steps[None]:
        if not (yield from self.literal(text)):
            raise self.missing(text)

    def missing(self, what: str) -> Refuted:
        """Why reading stops here: the stream ended, or something else stands here."""
        if self.over and self.pos == self.end == len(self.buf):
            return Cut(CUT)
        return Refuted(f"{what!r} is missing")

    def peek(self, markers: Markers) -> Steps[str]:
        """The literal that stands here, or ""."""
        while (word := markers.at(self.buf, self.pos, self.end, self.over)) is None:
            yield
        return word

    def either(self, markers: Markers) -> Steps[str]:
        """Reads the literal that stands here; "" if none does."""
        word = yield from self.peek(markers)
        self.pos += len(word)
        return word

    def space(self, most: int = ALL) -> Steps[None]:
        """Reads white space, as much as there is or as is allowed."""
        while True:
            bound = min(self.end, self.pos + most)
            found = _NO_SPACE.search(self.buf, self.pos, bound)
            stop = found.start() if found else bound
            most -= stop - self.pos
            self.pos = stop
            if stop < self.end or self.over or most == 0:
                return
            yield

    def char(self) -> Steps[str]:
        """The next character, not read yet; "" at the end."""
        while self.pos == self.end:
            if self.over:
                return ""
            yield
        return self.buf[self.pos]

    def token(self, pattern: re.Pattern[str]) -> Steps[str]:
        """Reads as much as the pattern takes; it is cut where it is longer than any name."""
        while True:
            found = pattern.match(self.buf, self.pos, min(self.end, self.pos + LONGEST_NAME + 1))
            stop = found.end() if found else self.pos
            if stop < self.end or self.over or stop - self.pos > LONGEST_NAME:
                text = self.buf[self.pos : stop]
                self.pos = stop
                return text
            yield

    def upto(self, stop: str, most: int) -> Steps[str]:
        """Reads to the end of `stop`, and gives what stands before it; refutes where it is not near."""
        while True:
            place = self.buf.find(stop, self.pos, min(self.end, self.pos + most + len(stop)))
            if place >= 0:
                text = self.buf[self.pos : place]
                self.pos = place + len(stop)
                return text
            if self.over or self.end - self.pos >= most + len(stop):
                cut = self.closed and self.end == len(self.buf)
                raise Cut(CUT) if cut else Refuted(f"{stop!r} is missing")
            yield

    # Writing.

    def allowed(self, name: str) -> bool:
        return self.tools.has(name)

    def start(self, name: str, given: str = "") -> None:
        """The call is proven: from here on it is a call, whatever comes."""
        if not self.tools.has(name):
            raise Refuted(f"{name!r} is no tool")
        self.calls += 1
        self.proven = True
        self.widen()
        self.fresh = False
        self.thought = frozenset()
        self.id = self._unused(given)
        self.name = name
        self.deltas = []
        stop = self.base + self.pos
        self.out.append(ToolStart(self.id, name, self.at, stop, self.server))
        self.server = ""
        self.at = stop

    def _unused(self, given: str) -> str:
        """The id that was given, once; else one that was not given before."""
        made = f"call_{self.calls}"
        if not given or given in self.seen:
            return f"{made}_{self.base + self.pos}" if made in self.seen else made
        self.seen.add(given)
        return given

    def start_cut(self, name: str, given: str = "") -> None:
        """Starts a call that is known by its name when the stream ends, however little of it there is."""
        if self.closed and self.end == len(self.buf) and name:
            self.pos = self.end
            self.start(name, given)

    def args(self, delta: str) -> None:
        if delta:
            stop = self.base + self.pos
            self.deltas.append(delta)
            self.out.append(ToolArgs(self.id, delta, self.at, stop))
            self.at = stop

    def finish(self, error: str = "") -> None:
        """The call ends here; what follows is unproven again."""
        arguments = "".join(self.deltas)
        if not error:
            error = _fault(arguments)
        stop = self.base + self.pos
        self.out.append(ToolEnd(self.id, self.name, arguments, error, self.at, stop))
        self.deltas = []
        self._settle(stop)

    def hide(self) -> None:
        """What has been read is markup."""
        stop = self.base + self.pos
        if stop > self.at:
            self.out.append(Markup(self.at, stop))
        self._settle(stop)

    def show(self) -> None:
        """What has been read is text, or reasoning while that goes on."""
        stop = self.base + self.pos
        if stop > self.at:
            self.gap = False
            text = self.buf[self.at - self.base : self.pos]
            if self.thought:
                self.out.append(Reasoning(text, self.at, stop))
            else:
                self.out.append(Text(text, self.at, stop))
            if self.fresh and not text.isspace():
                self.fresh = False
        self.at = stop
        self.mark = self.pos

    def _settle(self, stop: int) -> None:
        self.at = stop
        self.mark = self.pos
        self.keep = -1
        self.proven = False
        self.fresh = True
        self.gap = True
        self.widen()


def _fault(arguments: str) -> str:
    try:
        from_json(arguments)
    except (ValueError, UnicodeError):
        return "the arguments are no JSON"
    return ""
