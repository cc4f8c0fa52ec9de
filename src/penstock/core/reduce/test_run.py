"""What test runners print: every failed test by its name first, then why each failed, and the counts at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import re2

from penstock.core.content import Content
from penstock.core.reduce.alarms import RESULT, Alarm, find_alarms, lines_with
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import worths

# How a failed test is told, each by another family of runners. One run tells it in more than one of these forms, so the
# form that is found most often counts them.
_FORMS: Final = (
    rb"^\S.*::.* (?:FAILED|ERROR)\b",  # pytest -v
    rb"^(?:FAILED|ERROR) \S+",  # pytest, at the end
    rb"^(?:FAIL|ERROR): \S",  # unittest
    rb"\.\.\. (?:FAIL|ERROR)$",  # unittest -v
    rb"^test .* \.\.\. FAILED$",  # cargo
    rb"^[ \t]*--- FAIL: ",  # go
    rb"^[ \t]*not ok\b",  # TAP
    rb"^[ \t]*(?:\xe2\x9c[\x95-\x98]|\xc3\x97) ",  # jest, vitest
    rb"^[ \t]*\d{1,4}\) \S",  # mocha, rspec, phpunit, exunit
    rb"<<< (?:FAILURE|ERROR)!",  # surefire
    rb"^\S+ > .* FAILED$",  # gradle
    rb"\*\*\*(?:Failed|Exception|Timeout|Not Run)",  # ctest
    rb"^\[  FAILED  \] \S+\.\S+ \(",  # googletest
)
_FAILED: Final = re2.compile(b"(?m)" + b"|".join(_FORMS))
_BY_FORM: Final = tuple(re2.compile(b"(?m)" + form) for form in _FORMS)

# What only a test runner writes.
_MARKS: Final = re2.compile(
    rb"(?m)^(?:=+ test session starts =+|=== RUN |[ \t]*--- (?:PASS|FAIL|SKIP): |ok +\t?\S+\t[\d.]+s|running \d+ tests?$"
    rb"|test \S+ \.\.\. (?:ok|FAILED|ignored)|test result: |(?:PASS|FAIL) +\S+\.\w+|TAP version|(?:not )?ok \d+"
    rb"|[ \t]*(?:\xe2\x9c[\x93-\x98]|\xe2\x88\x9a|\xc3\x97) |\[ *(?:RUN|OK|PASSED|FAILED|-+|=+) *\] |PHPUnit \d"
    rb"|(?:\[\w+\] )?Tests run: \d+|(?:\[\w+\] )?Running \S+Test|Test project | *\d+/\d+ Test +#\d+|Ran \d+ tests? in"
    rb"|\S+ \(\S+\)(?: \.\.\.|\n.* \.\.\.) (?:ok|FAIL|ERROR|skipped)|\S+::\S.* (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL)\b"
    rb"|\S+ > .* (?:PASSED|FAILED|SKIPPED)$|\d+ examples?, \d+ failures?|[ \t]*\d+ (?:passing|failing)\b|Failures:$"
    rb"|Tests: +\d+|Test Suites: +\d+|\S+\.py [.FEsxX]+ *\[ *\d+%\]|_{5,} \S+ _{5,}$|=+ (?:FAILURES|ERRORS) =+$)"
)
_SURE: Final = 5

# How a run begins: the runner, its version, how many tests.
_HEADER: Final = 4
_OF_HEADER: Final = 1.5


def fit(sample: Sample) -> float:
    found = sum(
        1 for part in (sample.data, sample.middle, sample.end) for _ in zip(range(_SURE), _MARKS.finditer(part), strict=False)
    )
    return 0.9 if found >= _SURE else 0.17 * found


def reduce(content: Content, ask: Ask) -> Plan:
    ask.effort.spend(3 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    failed = dict(lines_with(_FAILED, templates.shown, templates.texts))
    alarms = {alarm.line: alarm for alarm in find_alarms(templates, ask.effort)}
    alarms |= {line: Alarm(line, RESULT, word) for line, word in failed.items()}
    told = [alarms[line] for line in sorted(alarms)]
    worth = worths(templates, told, ask.effort)
    for line in range(min(_HEADER, len(templates))):
        worth[line] = max(worth.get(line, 0.0), _OF_HEADER)
    view = LogView(content, ask, templates, worth, told)
    failures = _failures(templates, sorted(failed))

    def choose(room: Room) -> Choice:
        choice = view.choose(room)
        return replace(choice, shown=(view.shown_of(failures, choice),)) if failures else choice

    return Plan(choose, totals=(Tally("failures", len(failures)),) if failures else ())


def _failures(templates: Templates, lines: list[int]) -> list[int]:
    """The lines of the form that tells of the most failed tests."""
    texts = [templates.texts[line] for line in lines]
    shown = b"\n".join(texts)
    by_form = ([lines[place] for place, _ in lines_with(form, shown, texts)] for form in _BY_FORM)
    return max(by_form, key=len)


TEST_RUN = Reducer("test_run", fit, reduce)
