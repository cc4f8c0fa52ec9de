from __future__ import annotations

import time
from pathlib import Path

import pytest

pytest.importorskip("semble_grammars", reason="the code index needs penstock[search]")

from penstock.cli import console
from penstock.cli.counting import Total
from penstock.cli.index import how_far
from penstock.search.indexing import Report


def test_files_are_counted_while_somebody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = tmp_path / "code"
    code.mkdir()
    for number in range(30):
        (code / f"f{number}.py").write_text("")
    (code / "a.png").write_text("")
    with Total(code) as total:
        assert total.files is None
    monkeypatch.setattr(console, "is_terminal", lambda _: True)
    with Total(code) as total:
        until = time.monotonic() + 10
        while total.files is None and time.monotonic() < until:
            time.sleep(0.01)
    assert total.files == 30


def test_counting_ends_with_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2_000):
        (tmp_path / f"f{number}.py").write_text("")
    monkeypatch.setattr(console, "is_terminal", lambda _: True)
    began = time.monotonic()
    with Total(tmp_path):
        pass
    assert time.monotonic() - began < 5


def test_bar_says_how_much_is_done() -> None:
    report = Report("r", looked_at=1_500)
    assert how_far(report, None) == "1,500 files"
    assert how_far(report, 2_000) == "[###############.....] 75%, 1,500 of 2,000 files"
    assert how_far(report, 1_000) == "[####################] 100%, 1,500 of 1,000 files"
    report.vectors = 7
    assert how_far(report, 2_000) == "7 vectors"
