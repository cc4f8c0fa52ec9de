"""The streaming filter: text in pieces in, events out, in one pass.

Rules:
1. Text is shown as soon as no marker can begin in it. Held back is at most a prefix of a marker, or what follows a
   marker until it proves a call or refutes it, and never more than `hold` characters.
2. What the structure does not prove is text, unchanged. In Markdown code a marker is only shown, and stays text.
3. Events do not depend on how the text was cut, once they are joined.
4. The cost of a chunk does not depend on what came before it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from penstock.core.stream.declared import Declared, Tools
from penstock.core.stream.events import Event, Text
from penstock.core.stream.formats import ALL, BY_NAME, Format, marker_pair
from penstock.core.stream.formats.channels import HEADERS
from penstock.core.stream.formats.cline import CLINE, declared_tags
from penstock.core.stream.formats.reasoning import CLOSERS
from penstock.core.stream.markdown import Code, opened
from penstock.core.stream.markers import Markers
from penstock.core.stream.positions import Positions
from penstock.core.stream.scan import Refuted, Scan, Steps
from penstock.errors import CallerError

HOLD: Final = 4096
# White space behind markup waits for what follows it, so that it can go with the next marker; not more than this.
_LONGEST_GAP: Final = 64
# How far a look goes where a longer one has just found nothing.
_LOOK: Final = 256
# A closing tag, or a special token.
_DEBRIS: Final = re.compile(r"</[\w:｜-]{1,64}>|<[|｜][^<>\s]{1,64}>|<[\w-]{1,64}[|｜]>")
_LONGEST_CLOSER: Final = 70
_CODE: Final = ("`", "~~~")

Formats = Literal["all"] | Sequence[str | Format | tuple[str, str]]


class ToolCallFilter:
    """Keeps tool-call markup out of what people read.

    `formats` names those to look for, "all" being all but the ones that look too much like prose; a `Format` or a pair
    of markers is one of your own. `tools` are names, definitions or schemas: a call to anything else is text.
    `in_reasoning` says that the stream begins inside a reasoning block. What looks like a call in there is none, unless
    special tokens begin it; `calls_in_reasoning` makes that all formats, or none.
    """

    def __init__(
        self,
        formats: Formats = "all",
        tools: Tools | None = None,
        *,
        keep_raw: bool = True,
        hold: int = HOLD,
        in_reasoning: bool = False,
        calls_in_reasoning: bool | None = None,
    ) -> None:
        declared = Declared(tools)
        chosen = chosen_formats(formats)
        if any(one.name == CLINE for one in chosen):
            chosen = (*chosen, declared_tags(declared))
        self._by_opener, self._openers, self._firsts = _prepared(chosen)
        self._first = bool(self._firsts.words)
        self._scan = Scan(declared, hold)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._raw: list[str] | None = [] if keep_raw else None
        self._positions: Positions | None = Positions() if keep_raw else None
        self._code: Code | None = None
        self._drafts = [opener for opener in self._by_opener if _counts(opener, calls_in_reasoning)]
        self._thoughts: dict[frozenset[str], Markers] = {}
        if in_reasoning:
            self._scan.thought = CLOSERS
        self._steps: Steps[None] | None = None
        self._untried: tuple[Format, ...] = ()
        self._opener = ""
        self._hold = hold
        self._doubted = 0  # how far the last look went that read all it may and proved nothing
        self._began = 0  # where in the raw text the opener stands

    @property
    def raw(self) -> str:
        """All that was fed, unless it is not kept."""
        if self._raw is None:
            raise CallerError("the raw text is not kept")
        whole = "".join(self._raw)
        self._raw[:] = [whole]
        return whole

    @property
    def positions(self) -> Positions:
        """The map between the raw and the visible text, unless the raw text is not kept."""
        if self._positions is None:
            raise CallerError("the raw text is not kept")
        return self._positions

    def feed(self, chunk: str | bytes) -> list[Event]:
        """The events that this chunk decides. Bytes are UTF-8, cut anywhere."""
        if self._scan.closed:
            raise CallerError("the stream was finished")
        return self._take(chunk if isinstance(chunk, str) else self._decode(chunk))

    def finish(self) -> list[Event]:
        """The last events: what was held is shown, what was not closed ends with an error."""
        if self._scan.closed:
            return []
        text = self._decode(b"", True)
        self._scan.closed = True
        return self._take(text)

    def _take(self, text: str) -> list[Event]:
        scan = self._scan
        if text:
            if self._raw is not None:
                self._raw.append(text)
            scan.add(text)
        while self._step():
            pass
        events, scan.out = scan.out, []
        if self._positions is not None:
            for event in events:
                if event.__class__ is Text:
                    self._positions.add(event.start, event.stop)
        return events

    def _step(self) -> bool:
        """One step as far as the text goes; whether another can follow at once."""
        if self._steps is not None:
            return self._call_step(self._steps)
        scan = self._scan
        scan.end = len(scan.buf)
        scan.over = scan.closed
        if scan.thought:
            return self._thought_step(scan.thought)
        if self._code is not None:
            return self._code_step(self._code)
        return self._text_step()

    def _thought_step(self, closers: frozenset[str]) -> bool:
        scan = self._scan
        if closers not in self._thoughts:
            self._thoughts[closers] = Markers((*closers, *self._drafts))
        place, word = self._thoughts[closers].find(scan.buf, scan.pos, scan.end, scan.over)
        scan.pos = place
        scan.show()
        if not word:
            return False
        if word not in closers:
            self._begin(word)
        else:
            self._steps = self._thought_ends(word)
            self._began = -1
        return True

    def _thought_ends(self, closer: str) -> Steps[None]:
        """Hides what ends the reasoning, with the white space behind it; unless it is quoted as code."""
        scan = self._scan
        quoted = scan.before().endswith("`")
        scan.pos += len(closer)
        if quoted and (yield from scan.char()) == "`":
            scan.show()
            return
        yield from scan.space()
        scan.hide()
        scan.thought = frozenset()
        scan.seen.add("thought")

    def _text_step(self) -> bool:
        scan = self._scan
        if self._first:
            opener = self._firsts.at(scan.buf, scan.pos, scan.end, scan.over)
            if opener is None:
                return False
            self._first = False
            if opener:
                self._begin(opener)
                return True
        place, word = self._openers.find(scan.buf, scan.pos, scan.end, scan.over)
        scan.pos = place
        if not word:
            self._show()
            return False
        if word in _CODE:
            return self._code_opens(place)
        self._show()
        self._begin(word)
        return True

    def _begin(self, opener: str) -> None:
        scan = self._scan
        scan.mark = scan.pos
        self._began = scan.base + scan.pos
        self._opener = opener
        self._untried = self._by_opener[opener]
        self._try()

    def _code_opens(self, place: int) -> bool:
        scan = self._scan
        stop, self._code, waits = opened(scan.buf, place, scan.end, scan.over, scan.base == 0)
        scan.pos = stop
        self._show()
        return not waits

    def _code_step(self, code: Code) -> bool:
        scan = self._scan
        scan.pos, self._code, waits = code.step(scan.buf, scan.pos, scan.end, scan.over)
        self._show()
        return not waits

    def _show(self) -> None:
        """Shows what has been read as text, unless it is white space that may belong to the next marker."""
        scan = self._scan
        start = scan.at - scan.base
        if scan.pos > start:
            if scan.gap and scan.pos - start <= _LONGEST_GAP and scan.buf[start : scan.pos].isspace():
                if scan.over and scan.pos == scan.end:
                    scan.hide()
                return
            scan.show()

    def _try(self) -> None:
        """Begins to read the opener as the next format that has it; as text when none is left."""
        scan = self._scan
        scan.pos = scan.mark
        while self._untried:
            tried, self._untried = self._untried[0], self._untried[1:]
            if scan.fresh or not tried.fresh:
                self._steps = tried.read(scan, self._opener)
                return
        self._steps = None
        scan.pos = scan.mark + 1

    def _call_step(self, steps: Steps[None]) -> bool:
        scan = self._scan
        # What one look has read in vain is not read to the same depth again from every place in it.
        scan.hold = self._hold if scan.base + scan.mark >= self._doubted else min(self._hold, _LOOK)
        scan.widen()
        end = scan.base + scan.end
        try:
            next(steps)
        except StopIteration:
            self._leave()
        except Refuted as no:
            if scan.proven:
                scan.finish(str(no))
                self._steps = self._debris()
                return True
            if scan.over and scan.end - scan.mark == scan.hold:
                self._doubted = scan.base + scan.end
            self._leave()
        else:
            # It wants more than it saw; it may see more now if a call was proven, or something was settled.
            scan.widen()
            return scan.base + scan.end > end
        return True

    def _debris(self) -> Steps[None]:
        """Hides the markers that close a call which has broken off, where they stand right behind it."""
        scan = self._scan
        while True:
            yield from scan.space(_LONGEST_GAP)
            while (found := _DEBRIS.match(scan.buf, scan.pos, scan.end)) is None:
                rest = scan.end - scan.pos
                if scan.over or rest > _LONGEST_CLOSER or (rest and scan.buf[scan.pos] != "<"):
                    return
                yield
            if found.group() in self._by_opener:
                return
            scan.pos = found.end()
            scan.hide()

    def _leave(self) -> None:
        """Behind the markup what is not settled is text again; where nothing was settled, there was none."""
        scan = self._scan
        if scan.base + scan.mark == self._began:
            self._try()
        else:
            self._steps = None
            scan.pos = scan.mark


@lru_cache(maxsize=32)
def _prepared(chosen: tuple[Format, ...]) -> tuple[dict[str, tuple[Format, ...]], Markers, Markers]:
    """The formats by what they begin with, and what to look for in text and where the stream begins."""
    by_opener: dict[str, tuple[Format, ...]] = {}
    for one in chosen:
        for opener in one.openers:
            by_opener[opener] = (*by_opener.get(opener, ()), one)
    firsts = {opener for one in chosen if one.first for opener in one.openers}
    return by_opener, Markers((*(by_opener.keys() - firsts), *_CODE)), Markers(firsts)


def chosen_formats(formats: Formats) -> tuple[Format, ...]:
    """The formats that are meant by a name, a pair of markers, or themselves."""
    if isinstance(formats, str):
        formats = [formats]
    chosen: list[Format] = []
    for one in formats:
        if isinstance(one, Format):
            chosen.append(one)
        elif not isinstance(one, str):
            chosen.append(marker_pair(*one))
        elif one == "all":
            chosen += [known for known in ALL if known.default]
        elif one in BY_NAME:
            chosen += BY_NAME[one]
        else:
            raise CallerError(f"{one!r} is no format; there are: all, {', '.join(BY_NAME)}")
    if any(not opener for one in chosen for opener in one.openers):
        raise CallerError("a format begins with a marker that is not empty")
    return tuple(chosen)


def _counts(opener: str, calls_in_reasoning: bool | None) -> bool:
    """Whether a call that begins so is one inside reasoning."""
    if opener in HEADERS:
        # A header says what the next message is: reasoning ends there in any case.
        return True
    if calls_in_reasoning is not None:
        return calls_in_reasoning
    return opener.startswith(("<|", "<｜", "]<]"))
