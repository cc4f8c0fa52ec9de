"""What is shown of test runs: every failed test, why it failed, and the counts."""

from __future__ import annotations

import pytest
from bench import anomalies

from core.reduce import log_materials as logs
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.policy import Policy
from penstock.core.reduce.contract import Ask, Room, Sample, Tally
from penstock.core.reduce.test_run import TEST_RUN


def view(text: str, chars: int = 4_000, query: str = "") -> str:
    return bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query)).text


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("chars", [2_000, 16_000])
@pytest.mark.parametrize("asked", [True, False])
def test_three_failures_in_12000_lines_are_all_shown(seed: int, chars: int, asked: bool) -> None:
    run = anomalies.test_run(seed)
    text = view(run.text, chars, run.query if asked else "")
    assert run.lost(text) == []
    assert "3 failed, " in text
    assert chars < 16_000 or text.startswith("=" * 29 + " test session starts ")


@pytest.mark.parametrize(
    ("run", "failures", "telling"),
    [
        (logs.PYTEST, 1, ["test_gauge_reads_zero FAILED", "E       assert 3 == 0", "1 failed, 25 passed"]),
        (logs.GO, 1, ["gauge_test.go:17: got 3, want 0", "--- FAIL: TestGauge", "FAIL\texample.org/dam"]),
        (logs.JEST, 1, ["\u2715 reads zero", "\u25cf gauge \u203a reads zero", "Received: 3", "Tests:       1 failed"]),
        (logs.RUST_TESTS, 1, ["gauge::reads_zero ... FAILED", "panicked at src/gauge.rs:9:5", "left: 3", "1 failed;"]),
        (logs.UNITTEST, 1, ["FAIL: test_reads_zero", "AssertionError: 3 != 0", "FAILED (failures=1)"]),
        (logs.MOCHA, 2, ["1) gauge reads zero:", "expected 3 to equal 0", "depth is not a function", "2 failing"]),
        (logs.TAP, 1, ["not ok 9 - gauge reads zero", "want: 0"]),
        (logs.SUREFIRE, 1, ["<<< FAILURE!", "expected:<0> but was:<3>", "GaugeTest.java:9", "Failures: 1"]),
    ],
    ids=["pytest", "go", "jest", "cargo", "unittest", "mocha", "tap", "surefire"],
)
def test_failures_of_any_runner_are_shown_and_counted(run: str, failures: int, telling: list[str]) -> None:
    passing = [line for line in run.splitlines(keepends=True) if "valve" in line.lower()]
    text = view(run.replace(passing[0], "".join(passing) * 900, 1))
    assert [part for part in telling if part not in text] == []
    assert TEST_RUN.reduce(content_of_bytes(run.encode()), Ask()).totals == (Tally("failures", failures),)


def test_failures_that_find_no_room_are_counted() -> None:
    lines = [f"tests/test_gauge.py::test_reads[{n}] FAILED\n" for n in range(300)]
    content = content_of_bytes("".join(lines).encode())
    plan = TEST_RUN.reduce(content, Ask())
    choice = plan.choose(Room(2_000, None, None, Size(20, 1, 20)))
    assert choice.shown == (sum(content.text(span).count("\n") for span in choice.spans),)
    assert "hidden: " in view("".join(lines), 2_000)
    assert "failed tests" in view("".join(lines), 2_000)


def test_run_without_failures_counts_none() -> None:
    plan = TEST_RUN.reduce(content_of_bytes(b"running 1 test\ntest a ... ok\n"), Ask())
    assert plan.totals == ()
    assert plan.choose(Room(2_000, None, None, Size(20, 1, 20))).shown == ()


def test_failures_told_twice_in_one_form_are_counted_once_and_shown_where_they_are_told_last() -> None:
    names = [f"[  FAILED  ] Gauge.Reads{n}" for n in range(4)]
    text = "".join(f"[ RUN      ] Gauge.Reads{n}\n{name} (0 ms)\n" for n, name in enumerate(names))
    plan = TEST_RUN.reduce(content_of_bytes((text + "".join(f"{name}\n" for name in names)).encode()), Ask())
    assert plan.totals == (Tally("failures", 4),)


def test_prose_is_no_test_run() -> None:
    assert TEST_RUN.fit(Sample(b"The valve is opened in the morning.\n" * 30, "text")) == 0
    assert TEST_RUN.fit(Sample(logs.PYTEST.encode(), "text")) > 0.85
