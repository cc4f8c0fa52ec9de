"""Specimens of what builds and test runners print, as some of them lay it out. All are invented."""

from __future__ import annotations

from typing import Final

_PARTS: Final = ("pump", "valve", "gauge", "sluice", "turbine", "spillway", "intake", "penstock")


def _lines(*groups: str | list[str]) -> str:
    return "".join(f"{line}\n" for group in groups for line in ([group] if isinstance(group, str) else group))


GCC: Final = _lines(
    [f"gcc -O2 -Wall -Werror -Iinclude -c src/{part}.c -o build/{part}.o" for part in _PARTS],
    "src/valve.c: In function 'valve_open':",
    "src/valve.c:88:12: warning: unused variable 'turns' [-Wunused-variable]",
    "   88 |     int turns = 0;",
    "      |         ^~~~~",
    "src/gauge.c: In function 'gauge_read':",
    "src/gauge.c:41:17: error: 'PSI_MAX' undeclared (first use in this function)",
    "   41 |     return x > PSI_MAX ? PSI_MAX : x;",
    "      |                ^~~~~~~",
    "make[1]: *** [Makefile:17: build/gauge.o] Error 1",
    "make[1]: Leaving directory '/src/dam'",
    "make: *** [Makefile:4: all] Error 2",
)

TRAVIS: Final = _lines(
    [
        f"travis_fold:start:setup.{part}\r\x1b[0Ktravis_time:start:0a{n}\r\x1b[0K$ install {part}\r"
        for n, part in enumerate(_PARTS)
    ],
    [f"Get:{n} http://archive.example/pool {part} all 1.{n} [34 kB]\r" for n, part in enumerate(_PARTS)],
    "travis_time:start:0f11\r\x1b[0K$ make check\r",
    [f"checking whether the {part} is shut... yes\r" for part in _PARTS],
    "The sluice was left open over night.\r",
    'travis_time:end:0f11:start=15\r\x1b[0K\x1b[31;1mThe command "make check" exited with 1.\x1b[0m\r',
    "travis_fold:start:cache.2\r\x1b[0Kstore build cache\r",
    "changes detected, packing new archive\r",
    "\r",
    "Done. Your build exited with 1.\r",
)

ACTIONS: Final = _lines(
    [f"2031-05-04T10:00:0{n}.1234567Z ##[group]Run ./check {part}" for n, part in enumerate(_PARTS)],
    [f"2031-05-04T10:00:0{n}.7654321Z the {part} holds" for n, part in enumerate(_PARTS)],
    "2031-05-04T10:01:00.0000001Z Traceback (most recent call last):",
    '2031-05-04T10:01:00.0000002Z   File "check.py", line 12, in <module>',
    "2031-05-04T10:01:00.0000003Z ValueError: the gauge reads -3",
    "2031-05-04T10:01:00.0000004Z ##[error]Process completed with exit code 1.",
    "2031-05-04T10:01:01.0000000Z Post job cleanup.",
    [f"2031-05-04T10:01:02.{n}Z Removing auth header {n}" for n in range(9)],
)

CARGO: Final = _lines(
    [f"   Compiling {part} v0.{n}.1" for n, part in enumerate(_PARTS)],
    "error[E0308]: mismatched types",
    "  --> src/gauge.rs:14:20",
    "   |",
    "14 |     let psi: u32 = reading;",
    "   |              ---   ^^^^^^^ expected `u32`, found `i64`",
    "",
    "error: could not compile `dam` (lib) due to 1 previous error",
)

MAVEN: Final = _lines(
    [f"[INFO] --- compiler:3.{n}:compile (default) @ {part} ---" for n, part in enumerate(_PARTS)],
    [f"Progress (1): {n * 10} kB/90 kB\rProgress (1): {n * 10 + 5} kB/90 kB" for n in range(9)],
    "[WARNING] Using platform encoding, i.e. build is platform dependent!",
    "[ERROR] /src/dam/Gauge.java:[31,9] cannot find symbol",
    "[ERROR]   symbol:   method read(int)",
    "[INFO] BUILD FAILURE",
    "[ERROR] Failed to execute goal compile on project gauge: Compilation failure -> [Help 1]",
)

LINT: Final = _lines(
    [f"src/{part}.py:{n}:80: E501 Line too long ({88 + n} > 79)" for n, part in enumerate(_PARTS)],
    "src/gauge.py:12:9: F821 Undefined name `psi_max`",
    [f"src/{part}.py:{n}:1: D103 Missing docstring in public function" for n, part in enumerate(_PARTS)],
    "Found 17 errors.",
)

DOCKER: Final = _lines(
    [f"#{n} [{n}/9] RUN install {part}" for n, part in enumerate(_PARTS)],
    [f"#8 0.{n} fetching layer {n}" for n in range(30)],
    "#8 4.120 E: Unable to locate package libspillway",
    '#8 ERROR: process "/bin/sh -c apt-get install libspillway" did not complete successfully: exit code: 100',
)

PYTEST: Final = _lines(
    "============================= test session starts ==============================",
    "collected 26 items",
    "",
    [f"tests/test_{part}.py::test_{part}_opens PASSED   [ {n}%]" for n, part in enumerate(_PARTS)],
    "tests/test_gauge.py::test_gauge_reads_zero FAILED   [ 90%]",
    [f"tests/test_{part}.py::test_{part}_shuts PASSED   [ 9{n}%]" for n, part in enumerate(_PARTS)],
    "=================================== FAILURES ===================================",
    "____________________________ test_gauge_reads_zero _____________________________",
    "",
    "    def test_gauge_reads_zero():",
    ">       assert gauge.read() == 0",
    "E       assert 3 == 0",
    "",
    "tests/test_gauge.py:9: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_gauge.py::test_gauge_reads_zero - assert 3 == 0",
    "========================= 1 failed, 25 passed in 0.12s =========================",
)

GO: Final = _lines(
    [line for part in _PARTS for line in (f"=== RUN   Test{part}", f"--- PASS: Test{part} (0.00s)")],
    "=== RUN   TestGauge",
    "    gauge_test.go:17: got 3, want 0",
    "--- FAIL: TestGauge (0.01s)",
    "FAIL",
    "FAIL\texample.org/dam\t0.412s",
)

JEST: Final = _lines(
    [f"PASS src/{part}.test.js" for part in _PARTS],
    "FAIL src/gauge.test.js",
    "  gauge",
    "    \u2713 opens (2 ms)",
    "    \u2715 reads zero (5 ms)",
    "",
    "  \u25cf gauge \u203a reads zero",
    "",
    "    expect(received).toBe(expected)",
    "",
    "    Expected: 0",
    "    Received: 3",
    "",
    "Tests:       1 failed, 9 passed, 10 total",
)

RUST_TESTS: Final = _lines(
    "running 9 tests",
    [f"test {part}::opens ... ok" for part in _PARTS],
    "test gauge::reads_zero ... FAILED",
    "",
    "---- gauge::reads_zero stdout ----",
    "thread 'gauge::reads_zero' panicked at src/gauge.rs:9:5:",
    "assertion `left == right` failed",
    "  left: 3",
    " right: 0",
    "",
    "test result: FAILED. 8 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
)

UNITTEST: Final = _lines(
    [f"test_opens (tests.test_{part}.Test) ... ok" for part in _PARTS],
    "test_reads_zero (tests.test_gauge.Test) ... FAIL",
    "",
    "======================================================================",
    "FAIL: test_reads_zero (tests.test_gauge.Test)",
    "----------------------------------------------------------------------",
    "Traceback (most recent call last):",
    '  File "tests/test_gauge.py", line 9, in test_reads_zero',
    "AssertionError: 3 != 0",
    "",
    "Ran 9 tests in 0.004s",
    "",
    "FAILED (failures=1)",
)

MOCHA: Final = _lines(
    [f"    \u2713 opens the {part} ({n}ms)" for n, part in enumerate(_PARTS)],
    "    1) reads zero",
    "    2) reads the depth",
    "",
    "  8 passing (40ms)",
    "  2 failing",
    "",
    "  1) gauge reads zero:",
    "     AssertionError: expected 3 to equal 0",
    "      at Context.<anonymous> (test/gauge.js:9:12)",
    "",
    "  2) gauge reads the depth:",
    "     TypeError: depth is not a function",
)

TAP: Final = _lines(
    "TAP version 14",
    "1..9",
    [f"ok {n} - {part} opens" for n, part in enumerate(_PARTS, 1)],
    "not ok 9 - gauge reads zero",
    "  ---",
    "  got: 3",
    "  want: 0",
    "  ...",
)

SUREFIRE: Final = _lines(
    [
        line
        for n, part in enumerate(_PARTS)
        for line in (
            f"[INFO] Running org.dam.{part.title()}Test",
            f"[INFO] Tests run: {n + 1}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.0{n} s",
        )
    ],
    "[ERROR] readsZero  Time elapsed: 0.01 s  <<< FAILURE!",
    "java.lang.AssertionError: expected:<0> but was:<3>",
    "\tat org.dam.GaugeTest.readsZero(GaugeTest.java:9)",
    "[ERROR] Tests run: 37, Failures: 1, Errors: 0, Skipped: 0",
)

LOGS: Final[dict[str, str]] = {
    "build_log:gcc and make": GCC,
    "build_log:travis": TRAVIS,
    "build_log:github actions": ACTIONS,
    "build_log:cargo": CARGO,
    "build_log:maven": MAVEN,
    "build_log:linter": LINT,
    "build_log:docker": DOCKER,
    "test_run:pytest": PYTEST,
    "test_run:go": GO,
    "test_run:jest": JEST,
    "test_run:cargo": RUST_TESTS,
    "test_run:unittest": UNITTEST,
    "test_run:mocha": MOCHA,
    "test_run:tap": TAP,
    "test_run:surefire": SUREFIRE,
}
