"""Logs of servers and services: what is out of the ordinary, from the first line to the last.

Rules:
1. A line is worth showing as it is rare: each template once, the rarest first, before any is shown twice. Errors and
   warnings go before what is as rare as they are, by how strongly they tell.
2. An entry may have lines that go with it, such as the frames of an exception. The first few go with an entry that
   tells of an error; rare as they are, they say nothing for themselves.
3. The first and the last lines say what time the log is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log2
from operator import not_, or_
from typing import Final

from penstock.core.content import Content
from penstock.core.patterns import re2_pattern, re_pattern
from penstock.core.reduce.alarms import ENDED, PLAIN, STRONG, VERDICT, WEAK, find_alarms
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.prefixes import with_prefix_once
from penstock.core.reduce.templates import Templates

# Lines of the start and of the end by which a log is told.
LOOKED_AT: Final = 12

# Lines at either end that are shown in any case.
ENDS: Final = 2

# What is out of the ordinary is shown in any case: to ask for it with these words tells nothing.
_ASKS = (
    "abnormal alert alerts anomalies anomalous anomaly entries entry event events incident incidents interesting"
    " notable odd rare server service strange suspicious unexpected unusual"
)
_SAID_ANYWAY: Final = frozenset(_ASKS.split())

# Lines that go with an entry and are shown with it.
FOLLOWING: Final = 8

# How many times as common as another a line may be and yet go before it, as a power of two, by its alarm.
AHEAD: Final = {ENDED: 4.0, VERDICT: 4.0, STRONG: 4.0, PLAIN: 1.5, WEAK: 1.5}

_TIME: Final = re2_pattern(
    rb"(?m)^.{0,100}?(?:\d\d:\d\d:\d\d|\b1[0-9]{9}\b|\b\d{6} \d{6}\b)"  # a clock, seconds since 1970, HDFS
)
_ENTRY: Final = re2_pattern(
    rb"(?m)^.{0,140}?(?:\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRIT(?:ICAL)?|SEVERE|CONFIG)\b"
    rb'|[ /][A-Za-z]\w+\[\d+\]:|"(?:GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) '
    rb"|\[(?:error|warn|notice|info|debug)\]|level=[a-z]+|\"(?:level|severity)\":|^[IWEF]\d{4} |<\w+>| kernel: )"
)
_OF_BUILDS: Final = re2_pattern(
    rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z |##\[(?:group|section|command)\]|^\[Pipeline\] "
)

# Where most lines have digits so near to their start, one without goes with the line above it.
_DIGITS_WITHIN: Final = 40
_INDENTED: Final = frozenset({b" ", b"\t"})
_DIGIT: Final = re_pattern(rb"\d")

# More than any line has for being rare: so much at the start of the order, so much once and again.
FIRST: Final = 400.0
ONCE: Final = 200.0
AGAIN: Final = 100.0


def fit(sample: Sample) -> float:
    lines = [*sample.data[:4_000].split(b"\n")[:LOOKED_AT], *sample.end[:2_000].split(b"\n")[:LOOKED_AT]]
    lines = [line for line in lines if line.strip() and line[:1] not in b" \t"]
    if len(lines) < 4 or _OF_BUILDS.search(b"\n".join(lines)) is not None:
        return 0.0
    timed = sum(_TIME.search(line) is not None for line in lines) / len(lines)
    if timed < 0.7:
        return 0.0
    entries = sum(_ENTRY.search(line) is not None for line in lines) / len(lines)
    return 0.88 if entries > 0.6 else 0.6


def reduce(content: Content, ask: Ask) -> Plan:
    # What is made of each line takes as much as some lines that are only looked at.
    ask.effort.spend(3 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    alarms = find_alarms(templates, ask.effort)
    worth = _worth(templates, {alarm.line: alarm.strength for alarm in alarms})
    asked = " ".join(word for word in ask.query.split() if word.strip(".,?!:;").lower() not in _SAID_ANYWAY)
    ask = replace(ask, query=asked)
    return with_prefix_once(content, ask, Plan(LogView(content, ask, templates, worth, alarms).choose))


def _worth(templates: Templates, alarms: Mapping[int, int]) -> dict[int, float]:
    worth: dict[int, float] = {}
    common = templates.common
    following = _following(templates)
    for line in templates.lasts:
        worth[line] = 0.0 if following[line] else AGAIN - log2(common[line])
    for line in templates.firsts:
        own = 0.0 if following[line] else ONCE - log2(common[line])
        worth[line] = own + AHEAD.get(alarms.get(line, 0), 0.0)
    for line in templates.firsts:
        if line in alarms and not following[line]:
            # Down to the next entry, each a little less.
            stop = min(following.find(0, line + 1) % (len(templates) + 1), line + 1 + FOLLOWING)
            worth.update((at, worth[line] - (at - line) / FOLLOWING) for at in range(line + 1, stop))
    count = len(templates)
    for line in (*range(min(ENDS, count)), *range(max(0, count - ENDS), count)):
        worth[line] = FIRST
    return worth


def _following(templates: Templates) -> bytes:
    """One byte a line: 1 where it goes with the entry above it."""
    keys, first_of = templates.keys, templates.first_of
    firsts = {key: templates.texts[line] for key, line in first_of.items()}
    # What is dated is so in all lines of a template.
    dated = {key: _DIGIT.search(text, 0, _DIGITS_WITHIN) is not None for key, text in firsts.items()}
    if bytes(map(dated.__getitem__, keys)).count(1) * 3 < len(keys):
        dated = dict.fromkeys(dated, True)
    indented = bytes(map(_INDENTED.__contains__, [text[:1] for text in templates.texts]))
    undated = bytes(map(not_, map(dated.__getitem__, keys)))
    return bytes(map(or_, indented, undated))


SERVER_LOG = Reducer("server_log", fit, reduce)
