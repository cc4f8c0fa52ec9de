from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import LONG, call, kept_files


def test_gc_deletes_what_has_expired(kept: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("gc", "--json").json == {"results": 0, "bytes": 0, "leftovers": 0}
    monkeypatch.setenv("TOOL_OUTPUT_RETENTION_DAYS", "1e-9")
    done = call("gc")
    assert done.text == f"deleted: 1 results ({len(LONG):,} bytes) and 0 unfinished files\n"
    assert not kept_files(project)


def test_gc_where_nothing_was_ever_kept_creates_nothing(project: Path) -> None:
    assert call("gc").code == 0
    assert not (project / "tool-output").exists()
