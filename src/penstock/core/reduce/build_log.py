"""What builds, compilers, linters and CI jobs print: what failed, with what stands around it, and how it ended."""

from __future__ import annotations

from typing import Final

import re2

from penstock.core.content import Content
from penstock.core.reduce.alarms import find_alarms
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import worths

# What only such tools write, at the start of a line.
_MARKS: Final = re2.compile(
    rb"(?m)^(?:\x1b\[[\d;]*[mK]|\d{4}-\d\d-\d\dT[\d:.]+Z )*(?:"
    rb"travis_(?:fold|time):|##\[(?:group|error|section|command|warning)\]|\[Pipeline\]"
    rb"|(?:\S*/)?(?:g?make|ninja|gmake)(?:\[\d+\])?: |npm (?:ERR!|WARN|notice)|(?:\S*-)?(?:gcc|g\+\+|cc|clang|clang\+\+|c\+\+) .* -c "
    rb"|(?:libtool|/bin/sh .*libtool)|\[ *\d+%\] (?:Building|Linking|Built)|-- (?:Check|Look|Perform|Configur|The C|Found)"
    rb"|[^\s:]+:\d+(?::\d+)?: (?:fatal )?(?:error|warning|note|style)\b|[^\s:]+:\d+:\d+: [A-Z]{1,4}\d{2,5} "
    rb"|[^\s(]+\(\d+(?:,\d+)?\): (?:error|warning) |[^\s:]+: In function |In file included from "
    rb"| *Compiling \S+ v\d|error(?:\[E\d+\])?: |warning: |\[(?:INFO|WARNING|ERROR)\] |> Task :|:\w+:\w+(?: UP-TO-DATE)?$"
    rb"|\[(?:info|warn|error|success)\] |Step \d+/\d+ ?: |#\d+ (?:\[|DONE|\d+\.\d+ )|(?:DEBUG|INFO|ERROR|WARNING) ?\w*\.py:\d+: "
    rb"|(?:Executing|Building target platforms|Processing files)[(:]|(?:Get|Hit|Ign|Fetched):?\d* |(?:Unpacking|Setting up|Selecting previously) "
    rb"|(?:Collecting|Downloading|Requirement already satisfied|Successfully installed)\b|(?:CC|CXX|LD|AR) +\S+\.\w+$"
    rb"|checking (?:for|whether|if) |configure: |Done\. Your build |(?:BUILD|Build) (?:FAILED|SUCCESS|failed|succeeded)"
    rb")"
)
_SURE: Final = 5


def fit(sample: Sample) -> float:
    found = 0
    for part in (sample.data, sample.middle, sample.end):
        for _ in zip(range(_SURE), _MARKS.finditer(part)):
            found += 1
    return 0.85 if found >= _SURE else 0.15 * found


def reduce(content: Content, ask: Ask) -> Plan:
    # What is made of each line takes as much as some lines that are only looked at.
    ask.effort.spend(3 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    alarms = find_alarms(templates, ask.effort)
    return Plan(LogView(content, ask, templates, worths(templates, alarms, ask.effort), alarms).choose)


BUILD_LOG = Reducer("build_log", fit, reduce)
