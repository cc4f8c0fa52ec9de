from __future__ import annotations

import io
import sys

import pytest

from penstock.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setenv("TERM", "xterm")
    return now


def terminal_as_stderr(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    # Not a fixture: pytest gives each test's call a stderr of its own.
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def last(screen: Terminal) -> str:
    return screen.getvalue().rpartition("\r")[2]


def test_short_capture_shows_nothing(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_as_stderr(monkeypatch)
    with progress.Progress() as line:
        for _ in range(19):
            clock[0] += 0.1
            line.tick(10**9)
    assert terminal.getvalue() == ""


def test_long_capture_shows_size_and_seconds_at_most_twice_a_second(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = terminal_as_stderr(monkeypatch)
    with progress.Progress() as line:
        for _ in range(100):
            clock[0] += 0.1
            line.tick(12_345_678)
        assert last(terminal).startswith("penstock: 12.3 MB, ")
        assert terminal.getvalue().count("\r") <= 18
    assert last(terminal) == ""
    assert terminal.getvalue().split("\r")[-2].strip() == ""


def test_shorter_line_covers_a_longer_one(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_as_stderr(monkeypatch)
    with progress.Progress() as line:
        for size in (999_999, 1_000_000):
            clock[0] += 3
            line.tick(size)
        first, second = terminal.getvalue().split("\r")[1:]
        assert len(second) >= len(first.rstrip())


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {}])
def test_nothing_is_shown_where_it_cannot_be_erased(
    environ: dict[str, str], clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal() if environ else io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with progress.Progress() as line:
        clock[0] += 9
        line.tick(1)
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("size", "told"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB"), (3 * 10**9, "3.0 GB")],
)
def test_sizes_are_told_as_people_say_them(size: int, told: str) -> None:
    assert progress.amount(size) == told
