"""What test runners print: every failed test by its name first, then why each failed, and the counts at the end."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from penstock.core.content import Content
from penstock.core.patterns import re2_pattern
from penstock.core.reduce.alarms import PLAIN, RESULT, Alarm, find_alarms
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.prefixes import with_prefix_once
from penstock.core.reduce.scan import lines_with, marks_in
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import SENTENCES, worths

# How a failed test is told, each by another family of runners. One run tells it in more than one of these forms: as it
# goes, and again at the end.
_FORMS: Final = (
    rb"^\S.*::.* (?:FAILED|ERROR)\b",  # pytest -v
    rb"\.\.\. (?:FAIL|ERROR)$",  # unittest -v
    rb"^[ \t]*[\x{2715}-\x{2718}\x{D7}] ",  # jest, vitest
    rb"<<< (?:FAILURE|ERROR)!",  # surefire
    rb"\*\*\*(?:Failed|Exception|Timeout|Not Run)",  # ctest
    rb"^test .* \.\.\. FAILED$",  # cargo
    rb"^\S+ > .* FAILED$",  # gradle
    rb"^[ \t]*--- FAIL: ",  # go
    rb"^[ \t]*not ok\b",  # TAP
    rb"^(?:FAIL|ERROR): \S",  # unittest
    rb"^[ \t]*\d{1,4}\) ",  # mocha, rspec, phpunit, exunit
    rb"^\[  FAILED  \] \S+\.\S+",  # googletest
    rb"^(?:FAILED|ERROR) \S+",  # pytest, at the end
)
_FAILED: Final = re2_pattern(b"(?m)" + b"|".join(_FORMS))
_BY_FORM: Final = tuple(re2_pattern(b"(?m)" + form) for form in _FORMS)

# What only a test runner writes.
_MARKS: Final = re2_pattern(
    rb"(?m)^(?:=+ test session starts =+|=== RUN |[ \t]*--- (?:PASS|FAIL|SKIP): |ok +\t?\S+\t[\d.]+s"
    rb"|running \d+ tests?$"
    rb"|test \S+ \.\.\. (?:ok|FAILED|ignored)|test result: |(?:PASS|FAIL) +\S+\.\w+|TAP version|(?:not )?ok \d+"
    rb"|[ \t]*[\x{2713}-\x{2718}\x{221A}\x{D7}] |\[ *(?:RUN|OK|PASSED|FAILED|-+|=+) *\] |PHPUnit \d"
    rb"|(?:\[\w+\] )?Tests run: \d+|(?:\[\w+\] )?Running \S+Test|Test project | *\d+/\d+ Test +#\d+|Ran \d+ tests? in"
    rb"|\S+ \(\S+\)(?: \.\.\.|\n.* \.\.\.) (?:ok|FAIL|ERROR|skipped)|\S+::\S.* (?:PASSED|FAILED|SKIPPED|ERROR|XFAIL)\b"
    rb"|\S+ > .* (?:PASSED|FAILED|SKIPPED)$|\d+ examples?, \d+ failures?|[ \t]*\d+ (?:passing|failing)\b|Failures:$"
    rb"|Tests: +\d+|Test Suites: +\d+|\S+\.py [.FEsxX]+ *\[ *\d+%\]|_{5,} \S+ _{5,}$|=+ (?:FAILURES|ERRORS) =+$)"
)
_SURE: Final = 5

# How a run begins, with the runner, its version, how many tests; and how it ends, with the counts.
_HEADER: Final = 4
_OF_HEADER: Final = 1.5
_FOOTER: Final = 2
_OF_FOOTER: Final = 6.0


def fit(sample: Sample) -> float:
    return 0.18 * marks_in(sample, _MARKS, _SURE)


def reduce(content: Content, ask: Ask) -> Plan:
    ask.effort.spend(3 * (content.data.count(b"\n") + 1))
    templates = Templates(content.data)
    alarms = {alarm.line: alarm for alarm in find_alarms(templates, ask.effort, SENTENCES)}
    found = dict(lines_with(_FAILED, templates.shown))
    failures = _failures(templates, sorted(found))
    alarms |= {line: Alarm(line, PLAIN, word) for line, word in found.items()}
    alarms |= {line: Alarm(line, RESULT, found[line]) for line in failures}
    told = [alarms[line] for line in sorted(alarms)]
    worth = worths(templates, told, ask.effort)
    lines = range(len(templates))
    for line in islice(filter(templates.keys.__getitem__, lines), _HEADER):
        worth[line] = max(worth.get(line, 0.0), _OF_HEADER)
    for line in islice(filter(templates.keys.__getitem__, reversed(lines)), _FOOTER):
        worth[line] = max(worth.get(line, 0.0), _OF_FOOTER)
    view = LogView(content, ask, templates, worth, told)

    def choose(room: Room) -> Choice:
        choice = view.choose(room)
        return replace(choice, shown=(view.shown_of(failures, choice),)) if failures else choice

    plan = Plan(choose, totals=(Tally("failures", len(failures)),) if failures else ())
    return with_prefix_once(content, ask, plan)


def _failures(templates: Templates, lines: list[int]) -> list[int]:
    """The lines of the form that tells of the most failed tests; of the later form where two tell of as many."""
    shown = b"\n".join(templates.texts[line] for line in lines)
    by_form = [[(lines[place], word) for place, word in lines_with(form, shown)] for form in _BY_FORM]
    most = max(by_form, key=lambda found: (len(found), found))
    half = len(most) // 2
    words = [word for _, word in most]
    # As it goes and again at the end, in the same form.
    return [line for line, _ in (most[half:] if words[:half] == words[half:] else most)]


TEST_RUN = Reducer("test_run", fit, reduce)
