"""What tells of failure, and what only looks like it. The lines are made up, in the way of the tools that are named."""

from __future__ import annotations

import pytest

from penstock.core.reduce.alarms import ENDED, PLAIN, STRONG, VERDICT, WEAK, find_alarms
from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.templates import Templates

TELLING = {
    ENDED: [
        'The command "make check" exited with 2.',
        '\x1b[31;1mThe command "gcc -c a.c -o a.o" exited with 1.\x1b[0m',
        "##[error]Process completed with exit code 1.",
        "make[2]: *** [all] Error 1",
        "gmake: *** No rule to make target 'dam'.  Stop.",
        "npm ERR! code ELIFECYCLE",
        "npm error code ELIFECYCLE",
        "*** Error code 1",
        "ninja: build stopped: subcommand failed.",
        "rake aborted!",
        "[INFO] BUILD FAILURE",
        "Build step 'Execute shell' marked build as failure",
        "error: Bad exit status from /var/tmp/rpm-tmp.x (%build)",
        "exit status 1",
        "subprocess returned exit code 3",
        "Child return code was: 1",
        "error Command failed with exit code 1.",
        "No output has been received in the last 10m0s",
    ],
    VERDICT: [
        "--- FAIL: TestValve (0.00s)",
        "tests/test_valve.py::test_opens FAILED   [ 12%]",
        "E       assert 1 == 2",
        "not ok 3 - opens",
        "Traceback (most recent call last):",
        "src/valve.c:12:3: error: expected ';'",
        "src/valve.c:12: Error: bad instruction",
        "error[E0308]: mismatched types",
        "thread 'main' panicked at src/main.rs:3:5:",
        "valve.o: undefined reference to `turn'",
        "3 failed, 9 passed in 0.12s",
        "Tests: 4, Assertions: 9, Failures: 1.",
        "  \u2715 opens (3 ms)",
        "  \u25cf valve \u203a opens",
        "Segmentation fault (core dumped)",
        "** (RuntimeError) the valve is stuck",
        "src/valve.ts(12,5): error TS2304: Cannot find name 'turns'.",
        "src/valve.ts:12:5 - error TS2304: Cannot find name 'turns'.",
        "  12:5  error  'turns' is not defined  no-undef",
        "./valve.go:12:5: undefined: turns",
        "3/9 Test #3: valve ......***Failed    0.01 sec",
        "Test Case '-[ValveTests testOpens]' failed (0.001 seconds).",
        "[info] - should open *** FAILED ***",
        "WARNING: DATA RACE",
    ],
    STRONG: [
        "error: no such subcommand",
        "ERROR could not open the valve",
        "fatal: not a git repository",
        "java.lang.IllegalStateException: shut",
        "Caused by: java.io.IOException",
        "[error] object creation impossible",
        "error TS2304: Cannot find name 'valve'.",
        "CMake Error at CMakeLists.txt:12 (find_package):",
        "AssertionError [ERR_ASSERTION]: shut",
        "Bail out! no valve",
        "UnhandledPromiseRejection: This error originated in a promise",
    ],
    PLAIN: [
        "The following packages have unmet dependencies",
        "bash: ./valve.sh: No such file or directory",
        "The valve could not be opened",
        "expected 3 but was 4",
        "DEBUG util.py:459:  Error: nothing provides libvalve",
        "2031-05-04 10:00:00 INFO  valve - ERROR expected, and ignored",
        "fatal signal 11",
        "sh: ./valve: Permission denied",
        "would reformat src/valve.py",
    ],
    WEAK: [
        "src/valve.c:12:3: warning: unused variable 'turns'",
        "DeprecationWarning: use open_valve",
        "[warn] /src/Valve.scala:12:3: a type was inferred; error: none of it",
        "npm WARN deprecated valve@1.0.0: no longer kept",
    ],
}

CALM = [
    "0 errors, 0 warnings",
    "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
    "gcc -O2 -Wall -Werror -c src/error.c -o build/error.o",
    "tests/test_errors.py::test_error_is_raised PASSED   [ 12%]",
    "test errors::fails ... ok",
    "ok 3 - fails when the valve is stuck",
    "--- PASS: TestFail (0.00s)",
    "=== RUN   TestFail",
    "\u2713 fails without a valve",
    "checking for error in -lvalve... no",
    "SKIP the error of the valve",
    "GaugeTest > failsWithoutValve SKIPPED",
    'The command "make failed" exited with 0.',
    "Unpacking libvalve-error0 (1.2-3) ...",
    "Downloading https://example.org/valve-error.tar.gz",
    '{"level": "info", "error": null}',
    "[ RUN      ] reports an error: 2.34 ms OK",
    "src/error.c, src/failure.c",
    "-- Performing Test HAVE_ERROR - Failed",
    "make[1]: [all] Error 1 (ignored)",
    "# fail 0",
    "Error count: 0",
    "errors.py and failed-test.log were written",
]


def strengths(*lines: str) -> list[int]:
    return [alarm.strength for alarm in find_alarms(Templates("\n".join(lines).encode()), Effort())]


@pytest.mark.parametrize(("strength", "line"), [(strength, line) for strength in TELLING for line in TELLING[strength]])
def test_line_tells_as_strongly_as_its_tool_means_it(strength: int, line: str) -> None:
    assert strengths(line) == [strength]


@pytest.mark.parametrize("line", CALM)
def test_line_that_says_that_all_is_well_tells_nothing(line: str) -> None:
    assert strengths(line) == []


def test_alarms_have_their_lines_and_words_in_order() -> None:
    text = "all is well\n\nerror: one\nthe valve, too,\ncannot be opened\n1 failed\n"
    found = find_alarms(Templates(text.encode()), Effort())
    assert [(alarm.line, alarm.word) for alarm in found] == [(2, b"error:"), (4, b"cannot"), (5, b"1 failed")]


def test_line_said_a_thousand_times_in_a_sentence_tells_twice() -> None:
    lines = [f"the valve {n} could not be opened" for n in range(1_000)]
    assert strengths(*lines) == [PLAIN] * 2
    assert strengths(*lines, "error: x", *lines) == [PLAIN, STRONG, PLAIN]


def test_of_sentences_the_last_ones_are_told_as_many_as_wanted() -> None:
    lines = ["the pump could not start", "error: no pump", "no such valve", "the gate was missing"]
    found = find_alarms(Templates("\n".join(lines).encode()), Effort(), sentences=2)
    assert [alarm.line for alarm in found] == [1, 2, 3]


def test_every_verdict_tells_however_often_it_is_given() -> None:
    assert strengths(*(f"FAILED valve {n}" for n in range(50))) == [VERDICT] * 50


def test_looking_at_alarms_is_paid_for() -> None:
    with pytest.raises(EffortSpent):
        find_alarms(Templates(b"error: no valve\n" * 100), Effort(left=200))
