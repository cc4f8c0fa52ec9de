"""What lines of a log are worth, against one another."""

from __future__ import annotations

import pytest
from hypothesis import given

from core.hurtful import whole_contents
from penstock.core.content import Content
from penstock.core.reduce.alarms import find_alarms
from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.templates import Templates
from penstock.core.reduce.worth import course_of, worths

CALM = [f"the {word} is shut" for word in ("pump", "valve", "gauge", "sluice", "intake", "spillway", "turbine", "gate")]


def worth_of(*lines: str) -> list[float]:
    templates = Templates("\n".join(lines).encode())
    effort = Effort()
    worth = worths(templates, find_alarms(templates, effort), effort)
    return [worth.get(line, 0.0) for line in range(len(lines))]


def test_alarm_is_worth_more_than_what_stands_around_it_and_that_less_and_less() -> None:
    worth = worth_of(*CALM * 50, "src/gauge.c:3:1: error: no unit", *CALM * 50)
    at = 8 * 50
    assert worth[at] > worth[at + 1] > worth[at + 3] > worth[at + 6] > 0
    assert worth[at] > worth[at - 1] > worth[at - 3] > 0
    assert worth[at + 4] > worth[at - 4], "where it went wrong stands behind what went wrong"


def test_first_telling_is_worth_more_than_the_second() -> None:
    worth = worth_of("error: the pump leaks", *CALM, "error: the pump leaks", *CALM)
    assert worth[0] > worth[9]


def test_alarm_in_a_command_that_ended_well_is_worth_less() -> None:
    alarm = "error: the pump leaks"
    well = worth_of("$ try", alarm, 'The command "try" exited with 0.', *CALM)
    badly = worth_of("$ try", alarm, 'The command "try" exited with 1.', *CALM)
    assert well[1] < badly[1]


def test_what_stands_before_the_end_of_a_failed_command_is_worth_something_without_any_alarm() -> None:
    worth = worth_of(*CALM * 50, "$ make check", *CALM, 'The command "make check" exited with 2.', *CALM * 9, "Done.")
    gave_up = 8 * 50 + 9
    assert worth[gave_up] > worth[gave_up - 1] > worth[gave_up - 40]
    assert worth[gave_up - 2] > max(worth[gave_up + 4 : -9]), "what is done when all is over is worth less"
    assert worth[gave_up - 9] > worth[gave_up - 10], "the command that failed"


def test_last_line_that_says_something_is_worth_much() -> None:
    worth = worth_of(*CALM * 50, "9 passed", "", "")
    assert worth[400] == max(worth)


def test_what_is_common_or_said_before_or_long_is_lent_less() -> None:
    alarm = "E   assert 1 == 2"
    names = [f"tests/{a}/test_{b}.py::test_{c} PASSED" for a in "uvwx" for b in "klmnopq" for c in "rstuvwxyz"]
    worth = worth_of(*names, alarm, "where 1 = gauge.read()", *names)
    at = len(names)
    assert worth[at + 1] > 1.3 * worth[at - 1]
    worth = worth_of("short", alarm, "x" * 3_000, *CALM)
    assert worth[0] > 3 * worth[2]


def test_inside_of_a_run_of_one_template_little_is_worth_anything() -> None:
    worth = worth_of("pump", *(f"at {n} of 90" for n in range(90)), "E   assert 1 == 2")
    assert worth[89] < worth[90]


def test_gap_of_a_line_between_two_worthy_ones_is_closed() -> None:
    worth = worth_of(*CALM * 20, "E   assert 1 == 2", "", "E   assert 3 == 4", *CALM)
    assert worth[161] > 0.85 * min(worth[160], worth[162])


def test_course_of_a_run_is_told_by_its_runner() -> None:
    text = 'x\n$ a\nThe command "a" exited with 0.\n$ b\nno\nThe command "b" exited with 1.\nbye\n'
    templates = Templates(text.encode())
    course = course_of(templates, find_alarms(templates, Effort()))
    assert course.failed == [5]
    assert course.begun == 3
    assert [stretch.stop for stretch in course.stretches] == [3, 6, 7]
    calm = Templates(b"x\ny\n")
    assert course_of(calm, []).stretches == [(2, 1.0)]


def test_lending_is_paid_for() -> None:
    templates = Templates(("\n".join(CALM * 99) + "\n").encode())
    with pytest.raises(EffortSpent):
        worths(templates, [], Effort(left=50))


@given(whole_contents)
def test_worth_is_of_lines_that_are_there_and_never_negative(content: Content) -> None:
    templates = Templates(content.data)
    effort = Effort()
    worth = worths(templates, find_alarms(templates, effort), effort)
    assert all(0 <= line < len(templates) and value >= 0 for line, value in worth.items())


@pytest.mark.parametrize(
    "said",
    [
        'The command "make check" exited with 2.',
        "##[error]Process completed with exit code 2.",
        "##[error]Bash exited with code '2'.",
        "ERROR: Job failed: exit code 1",
        "Build step 'Execute shell' marked build as failure",
        "Exited with code exit status 1",
    ],
)
def test_any_runner_tells_that_a_command_gave_up(said: str) -> None:
    templates = Templates(f"no\n{said}\nbye\n".encode())
    assert course_of(templates, find_alarms(templates, Effort())).failed == [1]
