"""What builds, compilers, linters and CI jobs print: what failed, with what stands around it, and how it ended."""

from __future__ import annotations

from typing import Final

from penstock.core.content import Content
from penstock.core.patterns import re2_pattern
from penstock.core.reduce.alarms import find_alarms
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Plan, Reducer, Sample
from penstock.core.reduce.prefixes import with_prefix_once
from penstock.core.reduce.scan import marks_in
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import SENTENCES, worths

# What only such tools write, at the start of a line.
_RUNNERS: Final = (
    rb"travis_(?:fold|time):|##\[(?:group|error|section|command|warning)\]|\[Pipeline\]|Done\. Your build "
    rb"|Step \d+/\d+ ?: |#\d+ (?:\[|DONE|\d+\.\d+ )|section_(?:start|end):\d"
)
_TOOLS: Final = (
    rb"(?:\S*/)?(?:g?make|ninja)(?:\[\d+\])?: |(?:\S*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+) .* -c |(?:\S* )?libtool"
    rb"|\[ *\d+%\] (?:Building|Linking|Built)|-- (?:Check|Look|Perform|Configur|The C|Found)"
    rb"|(?:CC|CXX|LD|AR) +\S+\.\w+$|checking (?:for|whether|if) |configure: |[^\s:]+: In function "
    rb"|In file included from "
    rb"|[^\s:]+:\d+(?::\d+)?: (?:fatal )?(?:error|warning|note|style)\b|[^\s:]+:\d+:\d+: [A-Z]{1,4}\d{2,5} "
    rb"|[^\s(]+\(\d+(?:,\d+)?\): (?:error|warning) | *Compiling \S+ v\d|error(?:\[E\d+\])?: |warning: "
    rb"|\[(?:INFO|WARNING|ERROR|info|warn|error|success)\] |> Task :|:\w+:\w+(?: UP-TO-DATE)?$"
    rb"|(?:BUILD|Build) (?:FAILED|SUCCESS|failed|succeeded)"
)
_PACKAGERS: Final = (
    rb"npm (?:ERR!|WARN|notice)|(?:Get|Hit|Ign|Fetched):?\d* |(?:Unpacking|Setting up|Selecting previously) "
    rb"|(?:Collecting|Downloading|Requirement already satisfied|Successfully installed)\b"
    rb"|(?:Start|Finish|INFO|Wrote|Executing command): |\(\d+/\d+\): \S+ +|BUILDSTDERR:"
    rb"| +(?:Installing|Upgrading|Verifying|Running scriptlet) *: "
    rb"|(?:Executing|Building target platforms|Processing files)[(:]|(?:DEBUG|INFO|ERROR|WARNING) ?\w*\.py:\d+: "
)
# Colours, and what some runners put before each line: the job, the step, the time.
_BEFORE: Final = rb"(?m)^(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?(?:\x1b\[[\d;]*[mK]|\d{4}-\d\d-\d\dT[\d:.]+Z )*"
_RUN: Final = re2_pattern(_BEFORE + b"(?:" + _RUNNERS + b")")
_MARKS: Final = re2_pattern(_BEFORE + b"(?:" + b"|".join((_RUNNERS, _TOOLS, _PACKAGERS)) + b")")
_SURE: Final = 5


def fit(sample: Sample) -> float:
    """A job's log may have a test run in it, which a build may have too."""
    if marks_in(sample, _RUN, _SURE) == _SURE:
        return 0.95
    return 0.17 * marks_in(sample, _MARKS, _SURE)


def reduce(content: Content, ask: Ask) -> Plan:
    # What is made of each line takes as much as some lines that are only looked at.
    ask.effort.spend(3 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    alarms = find_alarms(templates, ask.effort, SENTENCES)
    view = LogView(content, ask, templates, worths(templates, alarms, ask.effort), alarms)
    return with_prefix_once(content, ask, Plan(view.choose))


BUILD_LOG = Reducer("build_log", fit, reduce)
