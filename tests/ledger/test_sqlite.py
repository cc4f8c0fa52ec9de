from __future__ import annotations

import gc
import logging
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.entry import Entry, ReadBack
from penstock.errors import StoreError
from penstock.ledger import sqlite as module
from penstock.ledger.contract import By
from penstock.ledger.memory import MemoryLedger
from penstock.ledger.sqlite import BATCH, MOST_WAITING, SqliteLedger

from .events import HANDLES, cut, fits, read, stories


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def ledger(path: Path) -> Iterator[SqliteLedger]:
    made = SqliteLedger(path)
    yield made
    try:
        made.close()
    except StoreError:
        made._waiting.clear()  # a test that leaves the file broken has said what it wanted to say


def rows_in(path: Path) -> int:
    """What another process sees."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as other:
        found = other.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger_events'").fetchone()
        return int(other.execute("SELECT count(*) FROM ledger_events").fetchone()[0]) if found else 0


def admissions(ledger: SqliteLedger) -> int:
    return ledger.totals()[0].admissions


# The same questions, answered by SQL and by Python


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    story=stories,
    by=st.sampled_from(["all", "tool", "agent", "kind", "day"]),
    since=st.sampled_from([None, 1.5, 86_400.0]),
    before=st.sampled_from([None, 2.0]),
)
def test_sqlite_ledger_answers_as_the_memory_ledger_does(
    story: list[tuple[Entry | ReadBack, float]], by: By, since: float | None, before: float | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = MemoryLedger(), SqliteLedger(Path(folder) / "index.sqlite")
        for ledger in (one, other):
            for what, at in story:
                if isinstance(what, Entry):
                    ledger.admitted(what, at=at, seconds=0.25)
                else:
                    ledger.read_back(what, at=at, seconds=0.25)
        if before is not None:
            assert one.prune(before) == other.prune(before)
        assert other.totals(by, since=since) == one.totals(by, since=since)
        assert other.recent(12) == one.recent(12)
        assert [other.shown(handle) for handle in HANDLES] == [one.shown(handle) for handle in HANDLES]
        other.close()


# When events are written


def test_result_that_fits_waits_until_a_batch_is_full(ledger: SqliteLedger, path: Path) -> None:
    for n in range(BATCH - 1):
        ledger.admitted(fits(), at=float(n), seconds=0.0)
    assert rows_in(path) == 0
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    assert rows_in(path) == BATCH


@pytest.mark.parametrize("event", [cut(), read()])
def test_cut_and_read_back_are_written_unless_a_write_was_a_second_ago(
    ledger: SqliteLedger, path: Path, event: Entry | ReadBack
) -> None:
    def tell(at: float) -> None:
        if isinstance(event, Entry):
            ledger.admitted(event, at=at, seconds=0.0)
        else:
            ledger.read_back(event, at=at, seconds=0.0)

    tell(100.0)
    assert rows_in(path) == 1
    tell(100.9)
    assert rows_in(path) == 1
    tell(101.1)
    assert rows_in(path) == 3
    tell(50.0)  # the clock was set back
    assert rows_in(path) == 4


def test_every_question_counts_what_still_waits(ledger: SqliteLedger) -> None:
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    assert admissions(ledger) == 1
    ledger.admitted(fits("Read"), at=2.0, seconds=0.0)
    assert len(ledger.recent()) == 2
    ledger.read_back(read(shown=((1, 2),)), at=2.0, seconds=0.0)
    ledger.read_back(read(shown=((2, 3),)), at=2.1, seconds=0.0)
    assert ledger.shown(HANDLES[0]) == [(1, 3)]


def test_ledger_that_is_dropped_without_close_writes_what_waits(path: Path) -> None:
    ledger = SqliteLedger(path)
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    del ledger
    gc.collect()
    assert rows_in(path) == 1


def test_process_that_ends_without_close_writes_what_waits(path: Path) -> None:
    run_python(
        "ledger = SqliteLedger(sys.argv[1])\nledger.admitted(entry, at=1.0, seconds=0.0)\n",
        str(path),
    )
    assert rows_in(path) == 1


def test_ledger_that_is_dropped_while_its_file_is_broken_says_so_in_the_log(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(b"rubbish" * 1000)
    ledger = SqliteLedger(path)
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    with caplog.at_level(logging.WARNING, "penstock.ledger"):
        del ledger
        gc.collect()
    assert caplog.messages == [f"1 entries were not written to the ledger {path}: file is not a database"]


def test_lone_surrogate_in_a_tool_name_does_not_hold_up_what_waits_behind_it(ledger: SqliteLedger) -> None:
    ledger.admitted(fits("Ba\ud800sh"), at=1.0, seconds=0.0)
    ledger.admitted(fits("工具"), at=2.0, seconds=0.0)
    assert {row.group for row in ledger.totals("tool")} == {"Ba\\ud800sh", "工具"}


# The file


def test_ledger_that_has_nothing_to_write_creates_nothing(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "tool-output" / "index.sqlite")
    assert ledger.recent() == [] and ledger.shown(HANDLES[0]) == [] and ledger.prune(9.0) == 0
    ledger.flush()
    ledger.close()
    assert list(tmp_path.iterdir()) == []


def test_new_file_and_new_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "tool-output"
    with closing(SqliteLedger(folder / "index.sqlite")) as ledger:
        ledger.admitted(cut(), at=1.0, seconds=0.0)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        modes = {name.name: stat.S_IMODE(name.stat().st_mode) for name in folder.glob("index.sqlite*")}
        assert modes == {"index.sqlite": 0o600, "index.sqlite-wal": 0o600, "index.sqlite-shm": 0o600}
        assert (folder / ".gitignore").read_text() == "*\n"


def test_folder_that_exists_keeps_its_mode_and_gets_no_gitignore(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with closing(SqliteLedger(tmp_path / "index.sqlite")) as ledger:
        ledger.admitted(cut(), at=1.0, seconds=0.0)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    assert not (tmp_path / ".gitignore").exists()


def test_question_to_an_index_without_ledger_answers_nothing_and_adds_no_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE results (handle TEXT)")
        store.commit()
        with closing(SqliteLedger(path)) as ledger:
            assert ledger.recent() == [] and ledger.prune(1.0) == 0
        assert store.execute("SELECT name FROM sqlite_master").fetchall() == [("results",)]


def test_two_connections_to_one_file_see_each_other(path: Path) -> None:
    with closing(SqliteLedger(path)) as one, closing(SqliteLedger(path)) as other:
        one.admitted(cut(), at=1.0, seconds=0.0)
        other.admitted(cut(), at=1.0, seconds=0.0)
        assert admissions(one) == admissions(other) == 2


def test_ledger_begins_a_new_file_when_the_old_one_was_moved_aside(ledger: SqliteLedger, path: Path) -> None:
    ledger.admitted(cut(), at=1.0, seconds=0.0)
    path.rename(path.with_suffix(".damaged"))
    ledger.admitted(cut(), at=3.0, seconds=0.0)
    assert admissions(ledger) == 1
    assert rows_in(path) == 1


def test_ledger_leaves_the_journal_of_the_rebuilt_file_alone(ledger: SqliteLedger, path: Path) -> None:
    """SQLite names journals by path: closing the connection to the old file must not delete the new one's."""
    ledger.admitted(cut(), at=1.0, seconds=0.0)
    for name in ("", "-wal", "-shm"):
        (path.parent / f"index.sqlite{name}").rename(path.parent / f"old.sqlite{name}")
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("CREATE TABLE results (handle TEXT)")
        store.execute("INSERT INTO results VALUES ('kept')")
        store.commit()
        ledger.admitted(cut(), at=3.0, seconds=0.0)
        store.execute("INSERT INTO results VALUES ('kept too')")
        store.commit()
        assert (path.parent / "index.sqlite-wal").exists()
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("SELECT count(*) FROM results").fetchone() == (2,)
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert admissions(ledger) == 1


def test_ledger_keeps_what_waits_while_the_file_is_rubbish_and_writes_it_to_the_next(
    ledger: SqliteLedger, path: Path
) -> None:
    path.write_bytes(b"rubbish" * 1000)
    with pytest.raises(StoreError, match=r"index\.sqlite cannot be written \(1 entries wait\): file is not a"):
        ledger.admitted(cut(), at=1.0, seconds=0.0)
    path.rename(path.with_suffix(".damaged"))
    ledger.admitted(cut(), at=3.0, seconds=0.0)
    assert rows_in(path) == 2


def test_damage_in_the_open_file_is_an_error_and_no_crash(ledger: SqliteLedger, path: Path) -> None:
    for at in range(300):
        ledger.admitted(cut(), at=float(at), seconds=0.0)
    ledger.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    with pytest.raises(StoreError, match="cannot be read"):
        ledger.totals("kind")
    with pytest.raises(StoreError, match="cannot be pruned"):
        ledger.prune(200.0)


def test_deleted_folder_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "tool-output"
    with closing(SqliteLedger(folder / "index.sqlite")) as ledger:
        ledger.admitted(cut(), at=1.0, seconds=0.0)
        for name in folder.iterdir():
            name.unlink()
        folder.rmdir()
        assert ledger.recent() == []
        ledger.admitted(cut(), at=3.0, seconds=0.0)
        assert len(ledger.recent()) == 1


# When writing fails


def test_flush_that_cannot_write_raises_and_loses_nothing(path: Path, ledger: SqliteLedger) -> None:
    path.mkdir()
    ledger.admitted(fits(), at=1.0, seconds=0.0)
    for _ in range(2):
        with pytest.raises(StoreError, match="1 entries wait"):
            ledger.flush()
    with pytest.raises(StoreError):
        ledger.totals()
    path.rmdir()
    assert admissions(ledger) == 1


def test_failing_ledger_is_tried_again_after_a_pause_and_not_at_each_event(path: Path, ledger: SqliteLedger) -> None:
    path.mkdir()
    with pytest.raises(StoreError):
        ledger.admitted(cut(), at=1.0, seconds=0.0)
    for _ in range(2 * BATCH):
        ledger.admitted(cut(), at=1.5, seconds=0.0)
    with pytest.raises(StoreError):
        ledger.admitted(cut(), at=2.5, seconds=0.0)
    path.rmdir()
    ledger.admitted(cut(), at=4.0, seconds=0.0)
    assert rows_in(path) == 2 * BATCH + 3


def test_failing_ledger_drops_the_oldest_that_fitted_and_says_how_many(path: Path, ledger: SqliteLedger) -> None:
    path.mkdir()
    with pytest.raises(StoreError):
        ledger.admitted(cut(), at=0.0, seconds=0.0)
    for n in range(MOST_WAITING + 500):
        ledger.admitted(fits(), at=n / 1e9, seconds=0.0)
        assert len(ledger._waiting) <= MOST_WAITING
    with pytest.raises(StoreError, match="1,001 were dropped"):
        ledger.flush()
    path.rmdir()
    (row,) = ledger.totals()
    assert (row.truncated, row.admissions) == (1, MOST_WAITING + 501 - 1_001)
    assert ledger.recent(1)[0].at == (MOST_WAITING + 499) / 1e9


def test_failing_ledger_that_holds_only_cuts_is_bounded_too(path: Path, ledger: SqliteLedger) -> None:
    path.mkdir()
    with pytest.raises(StoreError):
        ledger.admitted(cut(), at=0.0, seconds=0.0)
    for n in range(MOST_WAITING + 500):
        ledger.admitted(cut(), at=n / 1e9, seconds=0.0)
    assert len(ledger._waiting) <= MOST_WAITING


def test_ledger_waits_a_moment_for_another_writer_in_passing(
    path: Path, ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_IN_PASSING", 0.01)
    ledger.admitted(cut(), at=1.0, seconds=0.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            ledger.admitted(cut(), at=3.0, seconds=0.0)
        other.execute("ROLLBACK")
    assert admissions(ledger) == 2


def test_new_file_that_another_process_is_writing_is_waited_for(path: Path, ledger: SqliteLedger) -> None:
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE results (handle TEXT)")
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO results VALUES ('x')")  # with this, SQLite refuses the switch to WAL at once
        release = threading.Timer(0.05, other.execute, ("COMMIT",))
        release.start()
        ledger.admitted(fits(), at=1.0, seconds=0.0)
        ledger.flush()
        release.join()
    assert rows_in(path) == 1


# Several processes

_PRELUDE = """
import sys, os
from penstock.core.entry import Entry
from penstock.core.measure import Size
from penstock.ledger.sqlite import SqliteLedger
entry = Entry("Bash", "", "log", "head", "lines", Size(9, 9, 9), Size(1, 1, 1), shown=((0, 1),))
"""


def run_python(code: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-c", _PRELUDE + code, *arguments], check=True, timeout=60)


def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    code = (
        "ledger = SqliteLedger(sys.argv[1])\n"
        "for n in range(1500):\n"
        "    ledger.admitted(entry, at=n * 0.3, seconds=0.0)\n"
        "ledger.close()\n"
    )
    command = [sys.executable, "-c", _PRELUDE + code, str(path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(4)]
    errors = [process.communicate(timeout=60)[1] for process in running]
    assert errors == [b""] * 4
    assert rows_in(path) == 4 * 1500


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork on Windows")
def test_forked_child_writes_its_own_events_and_not_those_that_waited_in_the_parent(path: Path) -> None:
    run_python(
        "ledger = SqliteLedger(sys.argv[1])\n"
        "ledger.admitted(entry, at=1.0, seconds=0.0)\n"
        "ledger.admitted(entry, at=1.1, seconds=0.0)\n"  # waits
        "ledger._writing.acquire()\n"  # as if another thread were writing
        "child = os.fork()\n"
        "if child == 0:\n"
        "    ledger.admitted(entry, at=1.2, seconds=0.0)\n"
        "    ledger.flush()\n"
        "    sys.exit(0)\n"
        "ledger._writing.release()\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "ledger.admitted(entry, at=1.3, seconds=0.0)\n"
        "ledger.close()\n",
        str(path),
    )
    assert rows_in(path) == 4


def test_killed_process_leaves_whole_batches_or_nothing(path: Path) -> None:
    code = (
        "ledger = SqliteLedger(sys.argv[1])\n"
        "for n in range(700):\n"
        "    ledger.admitted(entry, at=0.0, seconds=0.0)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", _PRELUDE + code, str(path)], check=False, timeout=60)
    assert killed.returncode != 0
    assert rows_in(path) == 1 + 2 * BATCH
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_entry_keeps_every_field_through_the_file(ledger: SqliteLedger, path: Path) -> None:
    entry = replace(cut(), before=cut().before._replace(tokens=None), failure="no space", agent="审阅")
    ledger.admitted(entry, at=1_794_000_000.123, seconds=1e-6)
    with closing(SqliteLedger(path)) as other:
        (event,) = other.recent()
    assert (event.what, event.at, event.seconds) == (entry, 1_794_000_000.123, 1e-6)
