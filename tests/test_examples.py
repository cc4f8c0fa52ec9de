"""`make start` shows the main job; what it shows is checked here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

START = Path(__file__).resolve().parents[1] / "examples" / "start.py"


def test_start_shows_views_and_reads_the_hidden_error_back() -> None:
    done = subprocess.run([sys.executable, str(START)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[Truncated: ") == 4
    assert "1 error" in done.stdout  # counted in the gap that hides it
    assert "ERROR: module_31: undefined reference to `valve_open`" in done.stdout  # found by grep
    assert "bytes stayed out of the context; none is lost." in done.stdout
