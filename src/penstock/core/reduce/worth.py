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
    5: Reach(4.0, 0.93, 0.70),
    4: Reach(4.2, 0.80, 0.93),
    3: Reach(3.4, 0.80, 0.93),
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
        stretches.append(Stretch(line+1, P['well'] if well else 1.0))
    if failed:
        begin = max((i for i in range(failed[0]) if texts[i][:2] == b"$ " or texts[i][:13] == b"##[group]Run "), default=0)
        stretches = [Stretch(begin, P['begun'])] + [s for s in stretches if s.stop > begin]
    stretches.append(Stretch(len(texts), P['after'] if failed else 1.0))
    return failed, stretches


P = dict(begun=.5, lent=.97, again=.7, far=200, plain_far=.4, strong_far=.75, long=160, longmin=.3, strongmin=.6, inner=.3, blank=.5, common_free=6, common_div=4, minlend=.25, after_end=.45, second=.8, indent=.35, longctx=300, selfcommon=16, closelen=120, close=.9, shape=20, shape_pow=.4, repeated=.8, at_end=3.0, before_end=.985, endleast=.05, well=.5, after=.5, across=.8)

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
    free, div, blank, inn, across, ind, longctx = P['common_free'], P['common_div'], P['blank'], P['inner'], P['across'], P['indent'], P['longctx']
    new = bytearray(n)
    for i in templates.firsts: new[i] = 1
    for i, k in enumerate(keys):
        if len(k) < 4: new[i] = 1
    rep = P['repeated']
    shapes = templates.shapes; told_shape: dict[bytes,int] = {}
    def lend(line: int, value: float, step: float, way: int, least: float) -> None:
        at = line + way
        gentle = 1 - (1 - step) * ind
        while 0 <= at < n:
            text = texts[at]
            if keys[at]:
                value *= gentle if text[:1] in b" \t" else step
                v = value
                if at in inner: v *= inn
                else:
                    if len(text) > longctx: v *= longctx / len(text)
                    if not new[at]: v *= rep
                    bits = common[at].bit_length() - free
                    if bits > 0: v /= 1 + bits / div
            else:
                value *= across
                v = value * blank
            if value < least: break
            if v > worth.get(at, 0.0):
                worth[at] = v
            at += way
    end = failed[0] if failed else n - 1
    for alarm in alarms:
        line = alarm.line
        reach = REACH[alarm.strength]
        part = stretches[bisect_left(stops, line+1)].part
        times = told.get(keys[line], 0)
        told[keys[line]] = times + 1
        value = reach.worth * part / (1 + times) ** P['again']
        ts = told_shape.get(shapes[line], 0); told_shape[shapes[line]] = ts + 1
        value /= (1 + ts / P['shape']) ** P['shape_pow']
        value *= 1 / (1 + common[line].bit_length() / P['selfcommon'])
        if line < end and alarm.strength < 5:
            f = P['plain_far'] if alarm.strength <= 2 else P['strong_far']
            value *= f + (1-f) * 2 ** (-(end-line)/P['far'])
        size = len(texts[line])
        if size > P['long'] and alarm.strength < 5:
            value *= max(P['longmin'] if alarm.strength <= 2 else P['strongmin'], P['long']/size)
        if value > worth.get(line, 0.0): worth[line] = value
        lend(line, value*P['lent'], reach.up, -1, P['minlend'])
        lend(line, value*P['lent'], reach.down, 1, P['minlend'])
    ends = [(f, P['at_end'] * (1.0 if i == 0 else P['second'])) for i, f in enumerate(failed)]
    ends.append((n - 1, P['at_end'] * (P['after_end'] if failed else 1.0)))
    for f, v in ends:
        if v > worth.get(f, 0.0): worth[f] = v
        lend(f, v, P['before_end'], -1, P['endleast'])
    closed = {}
    for i, w in worth.items():
        if len(texts[i]) < P['closelen']:
            left = max(worth.get(i-1, 0), worth.get(i-2, 0)); right = max(worth.get(i+1, 0), worth.get(i+2,0))
            v = P['close'] * min(left, right)
            if v > w: closed[i] = v
    worth.update(closed)
    return worth
