"""What all tests share: hypothesis runs the same examples everywhere, and no settings of the machine leak in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A shared machine is slow at times: a deadline would make a test fail for its neighbour's work.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("steady", UNHURRIED, derandomize=True)
settings.register_profile("explore", UNHURRIED)
# A change is judged by its own doing: new examples are looked for when someone asks (HYPOTHESIS_PROFILE=explore).
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in os.environ:
        if name.startswith(("PENSTOCK_", "TOOL_OUTPUT_")) and name not in ("PENSTOCK_BENCH",):
            monkeypatch.delenv(name)
    home = tmp_path_factory.getbasetemp() / "home"
    Path(home).mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home / name))
