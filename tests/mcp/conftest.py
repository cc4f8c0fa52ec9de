from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that a server of tools is started in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "penstock.yaml").write_text("tool_output_limits: {tools: {get_repo_structure: {max_chars: 2000}}}\n")
    (folder / "a.txt").write_text("one\nneedle\nthree\n")
    (folder / "surrogate.txt").write_bytes(b"half \xed\xa0\x80 a pair\n")
    (folder / "code").mkdir()
    (folder / "code" / "valve.py").write_text("def open_valve(pressure):\n    return pressure\n")
    (folder / "valve.py").write_text("class Valve: ...\n")
    (folder / "many").mkdir()
    for number in range(400):
        (folder / "many" / f"file-{number:03d}.txt").touch()
    monkeypatch.setenv("PENSTOCK_SEARCH_DIR", str(tmp_path / "indexes"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(folder)
    return folder
