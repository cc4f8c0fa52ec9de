"""What is shown of builds: what failed, why, and how it ended."""

from __future__ import annotations

import time

import pytest

from core.reduce.log_materials import ACTIONS, CARGO, DOCKER, GCC, LINT, LOGS, MAVEN, TRAVIS
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.reduce.build_log import BUILD_LOG
from penstock.core.reduce.contract import Ask, Sample

WORDS = [
    "pump",
    "valve",
    "gate",
    "sluice",
    "weir",
    "pond",
    "pool",
    "rack",
    "dike",
    "lock",
    "well",
    "mill",
    "bank",
    "head",
]
NAMES = [f"{a}_{b}_{c}" for a in WORDS for b in WORDS for c in WORDS]
NOISE = "".join(f"gcc -O2 -Werror -Iinclude -c src/{name}.c -o build/{name}.o\n" for name in NAMES)


def view(text: str, chars: int = 4_000, query: str = "") -> str:
    return bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query)).text


@pytest.mark.parametrize(
    ("log", "telling"),
    [
        (GCC, ["src/gauge.c:41:17: error: 'PSI_MAX' undeclared", "build/gauge.o] Error 1", "In function 'gauge_read'"]),
        (
            TRAVIS,
            ["sluice was left open", '"make check" exited with 1', "$ make check", "exited with 1."],
        ),
        (ACTIONS, ["ValueError: the gauge reads -3", "Traceback", "Process completed with exit code 1"]),
        (CARGO, ["error[E0308]: mismatched types", "--> src/gauge.rs:14:20", "expected `u32`, found `i64`"]),
        (MAVEN, ["Gauge.java:[31,9] cannot find symbol", "symbol:   method read(int)", "BUILD FAILURE"]),
        (LINT, ["F821 Undefined name `psi_max`", "Found 17 errors."]),
        (DOCKER, ["E: Unable to locate package libspillway", "exit code: 100"]),
    ],
    ids=["gcc", "travis", "actions", "cargo", "maven", "lint", "docker"],
)
@pytest.mark.parametrize("query", ["", "Which step of the pipeline went wrong?", "where is mill_lock_dike compiled"])
def test_failure_in_thousands_of_lines_is_shown_with_what_explains_it(log: str, telling: list[str], query: str) -> None:
    text = view(NOISE + log + NOISE[:73_000], query=query)
    assert [part for part in telling if part not in text] == []


def test_file_that_was_asked_for_is_shown_beside_the_failure() -> None:
    text = view(NOISE + GCC + NOISE, query="where is mill_lock_dike compiled?")
    assert "mill_lock_dike.c" in text
    assert "PSI_MAX" in text


def test_each_distinct_failure_is_shown_before_one_is_shown_again() -> None:
    again = "src/pump.c:7:1: error: 'turns' undeclared\n" * 400
    text = view(
        NOISE[:50_000] + "src/gate.c:9:2: error: no rule\n" + again + "src/pond.c:1:1: error: too deep\n" + again
    )
    assert "too deep" in text
    assert "no rule" in text
    assert text.count("'turns'") < 60


def test_progress_is_hidden_and_repeats_are_told() -> None:
    steps = "".join(f"Receiving objects:  {n}% ({n}/100)\n" for n in range(100))
    text = view(NOISE[:9_000] + GCC + steps + "make: *** [all] Error 2\n", 2_000)
    assert text.count("Receiving") < 12
    assert " repeats]" in text


def test_log_without_any_sign_of_failure_shows_its_end() -> None:
    text = view(NOISE + "the dam is built\n")
    assert "the dam is built\n" in text
    assert "head_head_head.c" in text


def test_sure_marks_of_a_runner_go_before_those_of_tests() -> None:
    def fit(text: str) -> float:
        return BUILD_LOG.fit(Sample(text.encode(), "text"))

    assert fit(TRAVIS) == fit(ACTIONS) == 0.95
    assert fit("".join(f"build\tRun check\t{line}" for line in ACTIONS.splitlines(keepends=True))) == 0.95
    assert 0.8 < fit(GCC) < 0.9
    assert fit("The valve is opened in the morning.\n" * 30) == 0
    assert 0 < fit("make: nothing to be done\n") < 0.5


def test_ten_times_the_log_takes_ten_times_as_long() -> None:
    def seconds(text: str) -> float:
        content = content_of_bytes(text.encode())
        began = time.process_time()
        BUILD_LOG.reduce(content, Ask())
        return time.process_time() - began

    for log in LOGS.values():
        short = min(seconds(log * 30) for _ in range(3))
        assert seconds(log * 300) < 30 * short + 0.1
