from __future__ import annotations

import errno
import fcntl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from penstock.stores import locks
from penstock.stores.locks import lock_if_free, locked


def test_lock_lets_one_thread_in_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(50):
            with locked(tmp_path):
                inside += 1
                most = max(most, inside)
                time.sleep(0)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    script = "import sys, time\nfrom pathlib import Path\nfrom penstock.stores.locks import locked\n"
    script += "with locked(Path(sys.argv[1])):\n    print('in', flush=True)\n    time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"in\n"
    holder.kill()
    holder.wait()
    holder.stdout.close()
    with locked(tmp_path):
        pass


def test_lock_of_a_process_that_was_stopped_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.05)
    with locked(tmp_path), pytest.raises(TimeoutError, match="another process"), locked(tmp_path):
        pass


def test_file_system_without_locks_is_used_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with locked(tmp_path):
        assert lock_if_free(0)


def test_lock_is_not_taken_through_a_planted_link(tmp_path: Path) -> None:
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"), locked(tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()
