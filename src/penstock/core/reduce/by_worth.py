"""Showing the lines of a log by what they are worth, as many as fit.

What was asked has a share of the room before the rest, so that errors keep theirs. Where all that is worth anything is
shown, the rest of the room goes to what stands nearest before the end, rare lines first and repeats last. A gap inside
of a run of lines of one template says how many repeats of the line before it are hidden.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, overload

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.alarms import Alarm
from penstock.core.reduce.contract import Ask, Choice, Room, Tally
from penstock.core.reduce.lines import Lines, window
from penstock.core.reduce.pick import joined, picked
from penstock.core.reduce.question import READ, Question
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import RUN

# Every question to a log has some of these words, and so has every line that matters: they tell nothing.
_SAID_ANYWAY: Final = re_pattern(
    r"(?i)(?:abort|break(?:s|ing)?|broken?|builds?|building|case|ci|code|command|compile|errors?|exceptions?|exit"
    r"|fail(?:s|ed|ing|ures?)?|fatal|go|happen(?:s|ed)?|issue|jobs?|logs?|message|output|pipeline|problem|reason"
    r"|run(?:s|ning)?|stop(?:s|ped)?|tests?|tool|warnings?|went|work(?:s|ed)?|wrong)"
)
_ASKED_SHARE: Final = 0.4
_ASKED_MOST: Final = 40
_AROUND: Final = 2  # lines before and after one that was asked for

# What is shown of a long line: this part of the room, within bounds.
_OF_ROOM: Final = 8
_SHORT: Final = 300
_LONG: Final = 4_000

_RARE: Final = 32


class LogView:
    """A log with what its lines are worth, from which any room is filled."""

    def __init__(
        self, content: Content, ask: Ask, templates: Templates, worth: Mapping[int, float], alarms: Sequence[Alarm]
    ) -> None:
        self._content = content
        self._lines = Lines(content)
        self._templates = templates
        self._order = sorted(worth, key=lambda line: (-worth[line], -line))
        self._asked = _asked_for(ask, templates)
        self._words = {alarm.line: alarm.word for alarm in alarms}
        self._runs = [run for run in templates.runs(RUN) if templates.keys[run[0]]]
        self._units: dict[int, _Units] = {}

    def choose(self, room: Room) -> Choice:
        most = _rounded(min(max(room.least // _OF_ROOM, _SHORT), _LONG))
        if most not in self._units:
            self._units[most] = _Units(self._lines, self._templates, self._words, most)
        units = self._units[most]
        asked = picked(self._content, units, self._asked, room.share(_ASKED_SHARE)) if self._asked else bytearray()
        taken = [line for line, shown in enumerate(asked) if shown]
        shown = picked(self._content, units, chain(self._order, self._rest()), room, taken)
        spans = joined(self._content, units, shown, room.mark)
        return Choice(spans, hidden=self._repeats(spans))

    def shown_of(self, lines: Sequence[int], choice: Choice) -> int:
        """How many of these lines a choice shows some of."""
        starts = self._lines.starts
        begins = [span.start for span in choice.spans]
        shown = 0
        for line in lines:
            index = bisect_left(begins, starts[line + 1]) - 1
            shown += index >= 0 and choice.spans[index].stop > starts[line]
        return shown

    def _rest(self) -> Iterator[int]:
        common = self._templates.common
        backwards = range(len(self._lines) - 1, -1, -1)
        yield from (line for line in backwards if common[line] < _RARE)
        last = len(self._lines)
        for first, stop in reversed(self._runs):
            yield from range(last - 1, stop - 2, -1)
            last = first + 1
        yield from range(last - 1, -1, -1)
        yield from backwards

    def _repeats(self, spans: Sequence[Span]) -> dict[int, Tally]:
        """By the index of the span behind it, the gaps that hide nothing but repeats of the line before them."""
        repeats: dict[int, Tally] = {}
        if self._content.holes or not spans:
            return repeats
        starts = self._lines.starts
        behind = [*spans, Span(starts[-1], starts[-1])][1:]
        for index, (span, after) in enumerate(zip(spans, behind, strict=True), start=1):
            first, stop = bisect_left(starts, span.stop), bisect_left(starts, after.start)
            if first < stop and (starts[first], starts[stop]) == (span.stop, after.start):
                run = bisect_left(self._runs, (first,)) - 1
                if run >= 0 and stop <= self._runs[run][1]:
                    repeats[index] = Tally("repeats", stop - first)
        return repeats


class _Units(Sequence[Span]):
    """One unit a line, made when it is asked for, since of a log few lines are shown."""

    def __init__(self, lines: Lines, templates: Templates, words: Mapping[int, bytes], most: int) -> None:
        self._lines = lines
        self._starts = lines.starts
        self._whole = min(most, _SHORT) if templates.rewritten else most
        self._words = words
        self._most = most

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        if index < 0:
            index += len(self)
        start, stop = self._starts[index], self._starts[index + 1]
        return Span(start, stop) if stop - start <= self._whole else self._part(index)

    def _part(self, line: int) -> Span:
        """What is shown of a long line: what it said last, and of that what is around the word that tells."""
        data, text, start = self._lines.content.data, self._lines.texts[line], self._starts[line]
        stop = start + len(text)
        said = start + text.rfind(b"\r", 0, len(text.rstrip(b"\r"))) + 1  # after a lone \r any cut is safe
        at = max(said, start + text.find(self._words.get(line, b""), said - start))
        whole = Span(said, self._starts[line + 1])
        if stop - said <= self._most:
            return whole
        part = window(data, Span(said, stop), at, self._most)
        return part if part.start < part.stop else whole


def _asked_for(ask: Ask, templates: Templates) -> list[int]:
    """The lines that speak of what was asked, best first, with what stands around them."""
    words = ask.query[:READ].split()
    question = Question(" ".join(word for word in words if _SAID_ANYWAY.fullmatch(word.strip(".,?!:;")) is None))
    if not question:
        return []
    scores = question.scores(templates.shown.lower().split(b"\n")[: len(templates)], ask.effort)
    best = max(scores.values(), default=0.0)
    hits = [line for line, score in scores.items() if 2 * score >= best]
    hits.sort(key=lambda line: (-scores[line], -line))
    around = sorted(range(-_AROUND, _AROUND + 1), key=abs)
    return [line + by for line in hits[:_ASKED_MOST] for by in around if 0 <= line + by < len(templates)]


def _rounded(most: int) -> int:
    """A room is asked for several times, a little smaller or greater each time: for which the same units do."""
    step = 1 << most.bit_length() - 3
    return most - most % step
