"""What the lines of a log are worth to someone who asks what went wrong.

Rules:
1. An alarm is worth what its strength says. It is worth less in a line of a shape that told before, in a long line,
   far before the end, and where a command ended well, was followed by another one, or ran when all was over.
2. An alarm lends its worth to the lines around it, less with every line; further down than up, since tools tell what
   went wrong first and where after it, and further among indented lines than across blank ones.
3. Where a command gave up, and where the log ends, the lines before are worth more the nearer they are, alarm or not.
4. What is common, what was said before, blank lines and long ones keep only a part of what they are lent. What is
   inside of a run of lines of one template is worth nothing.
5. A line or two between worthy lines are worth nearly as much: pieces read better whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from penstock.core.patterns import re2_pattern
from penstock.core.reduce.alarms import ENDED, PLAIN, RESULT, STRONG, VERDICT, WEAK, Alarm
from penstock.core.reduce.contract import Effort
from penstock.core.reduce.templates import Templates


class Reach(NamedTuple):
    """What an alarm is worth, and what each line further up and down keeps of it."""

    worth: float
    up: float
    down: float


# The figures in this module were found by trying each smaller and greater on the logs of real failed builds.
# Most of them can be halved or doubled without much harm.
_REACH: Final = {
    RESULT: Reach(5.0, 0.80, 0.93),
    ENDED: Reach(4.0, 0.93, 0.70),
    VERDICT: Reach(4.4, 0.82, 0.93),
    STRONG: Reach(3.4, 0.80, 0.93),
    PLAIN: Reach(2.2, 0.80, 0.86),
    WEAK: Reach(0.8, 0.50, 0.60),
}
_LENT: Final = 0.97
_LEAST: Final = 0.25  # less is not lent

_END: Final = Reach(3.0, 0.985, 0.0)
_LEAST_AT_END: Final = 0.05
_LATER_END: Final = 0.8  # of where a second command gave up
_LAST_WORD: Final = 4.5
_LAST_END: Final = 0.45  # of the end of a log in which a command gave up before

# How much of an alarm counts by where it stands.
_ENDED_WELL: Final = 0.5
_BEFORE: Final = 0.5
_AFTER: Final = 0.5
_FAR: Final = 300  # so many lines before the end half of what can be lost is lost
_FAR_PLAIN: Final = 0.4
_FAR_STRONG: Final = 0.75

_LONG: Final = 160
_LONG_PLAIN: Final = 0.3
_LONG_STRONG: Final = 0.6
_LONG_LENT: Final = 300

# How much of what it is lent a line keeps.
_BLANK: Final = 0.5
_ACROSS_BLANK: Final = 0.8
_INDENTED: Final = 0.35  # of what others lose with every line
_REPEATED: Final = 0.8
_COMMON_BITS: Final = 6

_CLOSED: Final = 120  # characters of a line that is taken along between two others
_CLOSING: Final = 0.93

# What is said in a sentence matters less the further it stands before the end: so many are enough.
SENTENCES: Final = 500

# So many lines of one template in a row are shown by the first and the last of them.
RUN: Final = 6

# A key so short is that of a brace or a caret.
_TELLING_KEY: Final = 4

# What a runner of commands says, as Travis, GitHub, GitLab, Jenkins, CircleCI and Azure do.
_GAVE_UP: Final = re2_pattern(
    rb"(?i)\bcommand .{1,400}exited with [1-9]|\bprocess completed with exit code [1-9]|^error: job failed"
    rb"|\bmarked build as failure|^exited with code exit status [1-9]|^##\[error\].*exited with code '?[1-9]"
)
_WENT_WELL: Final = b"exited with 0"
_BEGUN: Final = (b"$ ", b"##[group]Run ")


class Stretch(NamedTuple):
    """Lines up to `stop` that have to do with one command, and the part of an alarm in it that counts."""

    stop: int
    part: float


class Course(NamedTuple):
    """How a run went, as far as the log tells."""

    failed: list[int]  # the lines that say that a command gave up, where a runner of commands says so
    begun: int  # where the first of those was begun; 0 where that is not told
    stretches: list[Stretch]


def course_of(templates: Templates, alarms: Sequence[Alarm]) -> Course:
    texts, shown = templates.texts, templates.shown
    failed = [line for line, strength, _ in alarms if strength == ENDED and _GAVE_UP.search(texts[line]) is not None]
    begun = 0
    if failed:
        begun = next((at for at in range(failed[0], -1, -1) if texts[at].startswith(_BEGUN)), 0)
    closed = dict.fromkeys(failed, 1.0)
    line = place = 0
    while (found := shown.find(_WENT_WELL, place)) >= 0:
        line += shown.count(b"\n", place, found)
        place = found + 1
        closed[line] = _ENDED_WELL
    stretches = [Stretch(line + 1, part) for line, part in sorted(closed.items()) if line >= begun]
    if begun:
        stretches.insert(0, Stretch(begun, _BEFORE))
    return Course(failed, begun, [*stretches, Stretch(len(texts), _AFTER if failed else 1.0)])


def worths(templates: Templates, alarms: Sequence[Alarm], effort: Effort) -> dict[int, float]:
    """What lines are worth; those that are not in it are worth nothing."""
    course = course_of(templates, alarms)
    ledger = _Ledger(templates, effort)
    end = course.failed[0] if course.failed else len(templates) - 1
    stops = [stretch.stop for stretch in course.stretches]
    told = _Told(templates)
    # The strongest first: within their reach the weaker ones have nothing to lend.
    for line, strength, _ in sorted(alarms, key=lambda alarm: -alarm.strength):
        if line in ledger.in_runs:
            continue
        reach = _REACH[strength]
        worth = reach.worth * course.stretches[bisect_right(stops, line)].part
        worth *= _by_place(strength, end - line) * _by_length(strength, len(templates.texts[line]))
        worth *= told.part_of(line)
        if worth > ledger.worth.get(line, 0.0):
            ledger.worth[line] = worth
            ledger.lend(line, worth * _LENT, reach, _LEAST)
    if course.begun:
        ledger.give(course.begun, _END.worth)
    for number, line in enumerate(course.failed):
        ledger.lend_up_from_end(line, _LATER_END if number else 1.0)
    last = next((line for line in range(len(templates) - 1, -1, -1) if templates.keys[line]), -1)
    if last >= 0:
        ledger.lend_up_from_end(last, _LAST_END if course.failed else 1.0)
        ledger.give(last, _LAST_WORD)
    return ledger.closed()


class _Told:
    """What was told before, in the same words or in the same shape."""

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.in_words: Counter[bytes] = Counter()
        self.in_shape: Counter[bytes] = Counter()

    def part_of(self, line: int) -> float:
        """The part of an alarm in a line that counts, which now was told once more."""
        key, shape = self.templates.keys[line], self.templates.shapes[line]
        part = (1 + self.in_words[key]) ** -0.7 * (1 + self.in_shape[shape] / 20) ** -0.4
        self.in_words[key] += 1
        self.in_shape[shape] += 1
        return float(part / (1 + self.templates.common_of(line).bit_length() / 16))


def _by_place(strength: int, before_end: int) -> float:
    if strength >= ENDED or before_end <= 0:
        return 1.0
    least = _FAR_PLAIN if strength <= PLAIN else _FAR_STRONG
    return least + (1 - least) * float(0.5 ** (before_end / _FAR))


def _by_length(strength: int, length: int) -> float:
    if strength >= ENDED or length <= _LONG:
        return 1.0
    return max(_LONG_PLAIN if strength <= PLAIN else _LONG_STRONG, _LONG / length)


class _Ledger:
    """What each line is worth by now: the most that it was given or lent."""

    def __init__(self, templates: Templates, effort: Effort) -> None:
        self.templates = templates
        self.effort = effort
        self.worth: dict[int, float] = {}
        self.kept: dict[int, float] = {}  # of what they are lent
        self.in_runs = {line for first, stop in templates.runs(RUN) for line in range(first + 1, stop - 1)}

    def give(self, line: int, worth: float) -> None:
        if worth > self.worth.get(line, 0.0):
            self.worth[line] = worth

    def lend_up_from_end(self, line: int, part: float) -> None:
        self.give(line, _END.worth * part)
        self.lend(line, _END.worth * part, _END, _LEAST_AT_END)

    def lend(self, line: int, worth: float, reach: Reach, least: float) -> None:
        self._lend(range(line - 1, -1, -1), worth, reach.up, least)
        self._lend(range(line + 1, len(self.templates)), worth, reach.down, least)

    def _lend(self, lines: range, worth: float, step: float, least: float) -> None:
        texts, keys = self.templates.texts, self.templates.keys
        gentle = 1 - (1 - step) * _INDENTED
        steps = 0
        for steps, line in enumerate(lines):  # noqa: B007 - it is told after the loop how far it came
            if not keys[line]:
                worth *= _ACROSS_BLANK
            elif texts[line][:1] in b" \t":
                worth *= gentle
            else:
                worth *= step
            if worth < least:
                break
            kept = self.kept.get(line)
            if kept is None:
                kept = self.kept[line] = self._kept(line)
            if worth * kept > self.worth.get(line, 0.0):
                self.worth[line] = worth * kept
        self.effort.spend(steps)

    def _kept(self, line: int) -> float:
        templates = self.templates
        key = templates.keys[line]
        if not key:
            return _BLANK
        if line in self.in_runs:
            return 0.0
        kept = min(1.0, _LONG_LENT / (len(templates.texts[line]) + 1))
        if templates.first_of[key] != line and len(key) >= _TELLING_KEY:
            kept *= _REPEATED
        bits = templates.common_of(line).bit_length() - _COMMON_BITS
        return kept / (1 + bits / 4) if bits > 0 else kept

    def closed(self) -> dict[int, float]:
        texts, worth = self.templates.texts, self.worth
        closed: dict[int, float] = {}
        for line, own in worth.items():
            if len(texts[line]) < _CLOSED:
                before = max(worth.get(line - 1, 0.0), worth.get(line - 2, 0.0))
                after = max(worth.get(line + 1, 0.0), worth.get(line + 2, 0.0))
                closed[line] = max(own, _CLOSING * min(before, after))
        return worth | closed
