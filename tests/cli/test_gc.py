from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from penstock.tools.map_files import DAYS

from .conftest import LONG, call, kept_files


def test_gc_deletes_what_has_expired(kept: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("gc", "--json").json == {"results": 0, "bytes": 0, "leftovers": 0, "maps": 0}
    monkeypatch.setenv("TOOL_OUTPUT_RETENTION_DAYS", "1e-9")
    done = call("gc")
    assert done.text == f"deleted: 1 results ({len(LONG):,} bytes), 0 unfinished files and 0 maps of code\n"
    assert not kept_files(project)


def test_gc_deletes_maps_that_nobody_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(tmp_path / "indexes"))
    maps = tmp_path / "indexes" / "maps"
    maps.mkdir(parents=True)
    old, new = maps / "old-0123456789abcdef.sqlite", maps / "new-0123456789abcdef.sqlite"
    for path, days in ((old, DAYS + 1), (new, DAYS - 1)):
        path.touch()
        os.utime(path, (time.time() - days * 86_400,) * 2)
    assert call("gc", "--json").json["maps"] == 1
    assert list(maps.iterdir()) == [new]
    assert f"in {DAYS} days" in " ".join(call("gc", "--help").text.split())


def test_gc_where_nothing_was_ever_kept_creates_nothing(project: Path) -> None:
    assert call("gc").code == 0
    assert not (project / "tool-output").exists()
