from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

import pytest

from .conftest import LONG, call, kept_files


def test_show_tells_tool_size_path_and_when_it_expires(kept: str, project: Path) -> None:
    told = dict(line.split(None, 1) for line in call("show", kept).text.splitlines())
    assert told["handle"] == kept
    assert told["tool"] == "build"
    assert told["path"] == str(kept_files(project)[0])
    assert told["sha256"] == hashlib.sha256(LONG).hexdigest()
    kept_at, expires = (datetime.fromisoformat(told[name]) for name in ("kept", "expires"))
    assert 6 <= (expires - kept_at).days <= 7


def test_expiry_follows_the_settings(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOL_OUTPUT_RETENTION_DAYS", "0.5")
    told = call("show", kept, "--json").json
    kept_at, expires = (datetime.fromisoformat(told[name]) for name in ("kept_at", "expires_at"))
    assert (expires - kept_at).total_seconds() == pytest.approx(43_200, abs=0.01)


def test_unknown_and_wrong_handles_differ() -> None:
    assert call("show", "ps-aaaaaaaaaaaaaaaa").code == 1
    assert call("show", "nonsense").code == 2
