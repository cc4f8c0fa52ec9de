"""What the lines of a log are worth to someone who asks what went wrong.

Rules:
1. A line is worth what its strongest alarm says, less where a failure of the same template was told before, and less
   where the command that wrote it ended well or the run was over already.
2. An alarm lends its worth to what stands around it, less with every line; further down than up, since tools tell
   what went wrong first and where after it; and less across blank lines. Where a command gave up it is the other way
   round: what stands before it matters.
3. Lines of a run of one template but its first and last, bars, separators and what was written over lend nothing and
   are given little.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

import re2

from penstock.core.reduce.alarms import ENDED, Alarm
from penstock.core.reduce.templates import Templates

class Reach(NamedTuple):
    """How an alarm lends its worth: what each line up and down keeps of it."""

    worth: float
    up: float
    down: float


REACH: Final = {
    4: Reach(4.0, 0.93, 0.70),
    3: Reach(4.0, 0.80, 0.93),
    2: Reach(2.2, 0.80, 0.86),
    1: Reach(0.8, 0.50, 0.60),
}
LEAST: Final = 0.25
ACROSS: Final = 0.8

AT_END: Final = 3.0
BEFORE_END: Final = 0.985

_CLOSED: Final = re2.compile(rb"(?i)\bcommand .{1,400}exited with \d|\bprocess completed with exit code [1-9]|^ERROR: Job failed|marked build as failure")
_WELL: Final = re2.compile(rb"exited with 0\b")


class Stretch(NamedTuple):
    """Lines up to `stop` that one command wrote, as far as the log tells, and how it ended."""

    stop: int
    part: float  # of the worth of an alarm in it


def closings(templates: Templates) -> tuple[list[int], list[Stretch]]:
    texts = templates.texts
    shown = b"\n".join(texts)
    failed=[]; stretches=[]
    place=line=0
    for m in _CLOSED.finditer(shown):
        line += shown.count(b"\n", place, m.start()); place = m.start()
        well = _WELL.search(texts[line]) is not None
        if not well: failed.append(line)
        stretches.append(Stretch(line+1, .35 if well else 1.0))
    stretches.append(Stretch(len(texts), .5 if failed else 1.0))
    return failed, stretches


def worths(templates: Templates, alarms: Sequence[Alarm]) -> dict[int, float]:
    texts, keys, common = templates.texts, templates.keys, templates.common
    failed, stretches = closings(templates)
    stops=[s.stop for s in stretches]
    worth: dict[int, float] = {}
    told: dict[bytes, int] = {}
    n=len(texts)
    inner=set()
    for first, stop in templates.runs():
        inner.update(range(first+1, stop-1))
    def lend(line: int, value: float, step: float, way: int, least: float=LEAST) -> None:
        at = line + way
        while 0 <= at < n:
            value *= step
            text = texts[at]
            if not keys[at]:
                value *= ACROSS
            if value < least: break
            v = value
            if at in inner or not keys[at]: v *= .3
            elif len(text) > 300: v *= .6
            if v > worth.get(at, 0.0):
                worth[at] = v
            at += way
    for alarm in alarms:
        line = alarm.line
        reach = REACH[alarm.strength]
        part = stretches[bisect_left(stops, line+1)].part
        times = told.get(keys[line], 0)
        told[keys[line]] = times + 1
        value = reach.worth * part / (1 + times) ** .7
        value *= 1 / (1 + common[line].bit_length() / 16)
        if value > worth.get(line, 0.0): worth[line] = value
        lend(line, value*.95, reach.up, -1)
        lend(line, value*.95, reach.down, 1)
    ends = [(f, AT_END * (1.0 if i == 0 else .8)) for i, f in enumerate(failed)]
    ends.append((n - 1, AT_END * (.45 if failed else 1.0)))
    for f, v in ends:
        if v > worth.get(f, 0.0): worth[f] = v
        lend(f, v, BEFORE_END, -1, .3)
    return worth
