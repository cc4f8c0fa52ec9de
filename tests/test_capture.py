"""Output that arrives in pieces: the same view as at once, constant memory, nothing left of what was given up."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from penstock.capture import CAPTURE_LIMITS, SPILL
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.rules import PlainRules
from penstock.errors import CallerError, StoreError
from penstock.gate import BareGate
from penstock.ledger.memory import MemoryLedger
from penstock.stores.disk import DiskStore
from penstock.stores.memory import MemoryStore
from strategies import BreakingStore, BrokenStore, assert_within

LOG = "".join(f"{number} a line of a log that goes on and on\n" for number in range(1, 3_001))
SMALL = Limits(chars=1_000)


@pytest.fixture
def gate() -> BareGate:
    return BareGate(store=MemoryStore(), ledger=MemoryLedger())


@pytest.fixture
def disk(tmp_path: Path) -> BareGate:
    return BareGate(store=DiskStore(tmp_path / "kept", durability="none"), ledger=MemoryLedger())


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in (directory / "kept").iterdir() if path.name.startswith(("tool_", ".part-")))


def test_pieces_that_fit_give_an_untouched_view_and_keep_nothing(gate: BareGate) -> None:
    with gate.open(tool="Bash") as capture:
        for piece in ("a", "", "bc\n", "d"):
            assert capture.write(piece) == len(piece)
    assert (capture.view.text, capture.view.reason, capture.size) == ("abc\nd", "fits", 5)
    assert list(gate.records()) == []
    assert gate.ledger is not None
    assert gate.ledger.recent()[0].what.tool == "Bash"


def test_nothing_at_all_is_an_empty_view(gate: BareGate) -> None:
    with gate.open() as capture:
        assert capture.size == 0
    assert capture.view.text == ""
    assert not capture.view.truncated


@pytest.mark.parametrize("output", [LOG, LOG.encode(), b"\xff\xe4\xb8" * 9_000, "\ud800 lone\n" * 3_000])
@pytest.mark.parametrize("step", [1, 7, 4_096, 10**6])
def test_pieces_give_the_view_and_the_content_that_the_whole_gives(output: Any, step: int) -> None:
    output = output[: 5_000 * step]
    together, apart = BareGate(store=MemoryStore()), BareGate(store=MemoryStore())
    whole = together.admit(output, limits=SMALL, tool="Bash")
    view = apart.capture((output[at : at + step] for at in range(0, len(output), step)), limits=SMALL, tool="Bash")
    assert (view.text, view.handle, view.spans, view.reason, view.original, bytes(view)) == (
        whole.text, whole.handle, whole.spans, whole.reason, whole.original, bytes(whole)
    )  # fmt: skip
    assert view.handle is not None
    assert together.store is not None
    assert apart.store is not None
    assert together.store.read(view.handle, 0, 10**6) == apart.store.read(view.handle, 0, 10**6)


def test_bytes_that_fit_keep_what_is_not_utf8(gate: BareGate) -> None:
    view = gate.capture([b"caf", b"\xe9", b"\n"])
    assert (view.text, bytes(view)) == ("caf\ufffd\n", b"caf\xe9\n")


def test_character_split_between_two_pieces_is_one(gate: BareGate) -> None:
    assert gate.capture(["é".encode()[:1], "é".encode()[1:]]).text == "é"


def test_options_are_those_of_admit() -> None:
    gate = BareGate(
        rules=PlainRules(policy=Policy(strategy="head"), agents={"small": 1_000}, windows={"tiny": 2_000}),
        store=MemoryStore(),
    )
    for options in (
        {"agent": "small"},
        {"limits": Limits(lines=5)},
        {"strategy": "tail", "limits": SMALL},
        {"model": "tiny", "used_tokens": 100},
        {"query": "line 999", "limits": SMALL},
    ):
        assert gate.capture([LOG], **options).text == gate.admit(LOG, **options).text, options


# -- where it comes from -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        io.BytesIO(LOG.encode()),
        io.StringIO(LOG),
        io.BufferedReader(io.BytesIO(LOG.encode())),  # type: ignore[arg-type]
        LOG,
        LOG.encode(),
        [LOG[:9], LOG[9:]],
        iter([bytearray(LOG.encode())]),
    ],
)
def test_files_iterables_and_texts_are_taken_whole(gate: BareGate, source: Any) -> None:
    view = gate.capture(source, limits=SMALL)
    assert view.original.bytes == len(LOG)


def test_pipe_of_a_process_is_taken_until_its_end(gate: BareGate) -> None:
    command = [sys.executable, "-c", "for n in range(5000): print(n, 'out of the pipe')"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        view = gate.capture(process.stdout, limits=SMALL)
    assert view.original.lines == 5_000
    assert "4999 out of the pipe" in view.text


def test_pipe_that_does_not_wait_is_refused_rather_than_cut(gate: BareGate) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with (
        os.fdopen(reading, "rb", buffering=0) as pipe,
        os.fdopen(writing, "wb"),
        pytest.raises(CallerError, match="pipe"),
    ):
        gate.capture(pipe)


@pytest.mark.parametrize("piece", [3, None, ["a"], object()])
def test_piece_that_is_no_output_is_refused(gate: BareGate, piece: Any) -> None:
    capture = gate.open()
    with pytest.raises(CallerError, match="str or bytes"):
        capture.write(piece)
    assert capture.close().text == ""


@pytest.mark.parametrize(("first", "second"), [("a", b"\xff"), (b"a", "b")])
def test_text_and_bytes_are_not_mixed(gate: BareGate, first: Any, second: Any) -> None:
    capture = gate.open()
    capture.write(first)
    with pytest.raises(CallerError, match="all str or all bytes"):
        capture.write(second)
    assert capture.close().text == "a"


# -- its end -----------------------------------------------------------------------------------------------------------


def test_closed_capture_takes_no_more_and_gives_the_same_view(gate: BareGate) -> None:
    capture = gate.open()
    with pytest.raises(CallerError, match="once the capture is closed"):
        _ = capture.view
    capture.write("a")
    view = capture.close()
    assert capture.close() is view is capture.view
    capture.abort()
    assert capture.view is view
    with pytest.raises(CallerError, match="closed"):
        capture.write("b")


def test_error_inside_the_block_keeps_nothing(disk: BareGate, tmp_path: Path) -> None:
    with pytest.raises(KeyError), disk.open(limits=SMALL) as capture:
        capture.write(b"x" * (3 * SPILL))
        assert len(files(tmp_path)) == 1  # it is on its way to the disk
        raise KeyError
    assert files(tmp_path) == []
    assert list(disk.records()) == []
    assert disk.ledger is not None
    assert disk.ledger.recent() == []


def test_aborted_capture_has_no_view_and_leaves_its_block_quietly(gate: BareGate) -> None:
    with gate.open() as capture:
        capture.write("a")
        capture.abort()
    with pytest.raises(CallerError, match="aborted"):
        capture.close()
    with pytest.raises(CallerError, match="aborted"):
        capture.write("b")


def test_output_that_fits_after_all_leaves_no_file(disk: BareGate, tmp_path: Path) -> None:
    data = b"x" * (3 * SPILL)
    with disk.open(limits=Limits(bytes=len(data))) as capture:
        capture.write(data)
    assert bytes(capture.view) == data
    assert files(tmp_path) == []


def test_store_is_left_alone_while_the_output_may_still_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    store, opened = MemoryStore(), []
    open_writer = store.open
    monkeypatch.setattr(store, "open", lambda: opened.append(1) or open_writer())
    with BareGate(store=store).open(limits=Limits(bytes=2 * SPILL)) as capture:
        capture.write(b"x" * (SPILL // 2))
        capture.write(b"x" * (SPILL // 2 - 1))
        assert opened == []
        capture.write(b"x")
        assert opened == [1]  # more than this is not held back
    assert capture.view.reason == "fits"


def test_output_of_a_slow_pipe_is_taken_as_it_comes(gate: BareGate) -> None:
    reading, writing = os.pipe()
    capture = gate.open()
    with os.fdopen(reading, "rb") as pipe, os.fdopen(writing, "wb", buffering=0) as sender:
        feeding = threading.Thread(target=capture.feed, args=(pipe,))
        feeding.start()
        sender.write(b"first\n")
        for _ in range(500):
            if capture.size:
                break
            time.sleep(0.01)
        assert capture.size == 6
        sender.close()
        feeding.join()
    assert capture.close().text == "first\n"


# -- keeping fails -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [BrokenStore(), BreakingStore(), None])
@pytest.mark.parametrize("size", [5_000, 3 * SPILL])
def test_capture_that_cannot_be_kept_is_shown_without_a_promise(
    store: Any, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = MemoryLedger()
    gate = BareGate(store=store, ledger=ledger)
    with caplog.at_level(logging.WARNING, "penstock"):
        view = gate.capture([b"x\n" * 500] * (size // 1_000), limits=SMALL)
    assert_within(view, SMALL)
    assert view.handle is None
    assert "not kept" in view.text
    assert "ps-" not in view.text
    assert ledger.totals()[0].failed == 1
    assert len(caplog.records) == (store is not None)
    with pytest.raises(StoreError):
        gate.capture([b"x" * size], limits=SMALL, strict=True)
    assert ledger.totals()[0].failed == 2


class Hiccup(MemoryStore):
    """Loses one piece, and would commit the rest."""

    def open(self) -> Any:
        writer = super().open()
        write, pieces = writer.write, iter(range(100))

        def lose_the_second(data: bytes) -> None:
            if next(pieces) == 1:
                raise StoreError("one piece was lost")
            write(data)

        writer.write = lose_the_second  # type: ignore[method-assign]
        return writer


def test_output_of_which_a_piece_was_lost_is_not_taken_for_whole() -> None:
    gate = BareGate(store=Hiccup())
    view = gate.capture([b"x\n" * SPILL] * 3, limits=SMALL)
    assert view.handle is None
    assert view.failure == "one piece was lost"
    assert list(gate.records()) == []


# -- size --------------------------------------------------------------------------------------------------------------


def test_capture_without_limits_shows_as_much_as_it_holds(disk: BareGate) -> None:
    most = CAPTURE_LIMITS.bytes
    assert most is not None
    fits = disk.capture([b"0123456\n" * 1_024] * (most // 8_192), limits=Limits())
    assert (fits.reason, len(fits.text)) == ("fits", most)
    view = disk.capture((b"0123456\n" * 1_024 for _ in range(most // 8_192 + 100)), limits=Limits())
    assert view.reason == "bytes"
    assert view.truncation is not None
    assert view.truncation.max_bytes == most
    assert most * 0.9 < len(view.text) <= most
    assert view.handle is not None
    assert disk.store is not None
    assert disk.store.stat(view.handle).size == most + 100 * 8_192


def test_threads_may_write_to_one_capture(gate: BareGate) -> None:
    with gate.open(limits=SMALL) as capture:
        threads = [
            threading.Thread(target=lambda name=name: [capture.write(name * 99 + "\n") for _ in range(500)])
            for name in "abcd"
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert capture.size == 4 * 500 * 100
    handle = capture.view.handle
    assert handle is not None
    assert gate.store is not None
    lines = gate.store.read(handle, 0, 10**6).decode().splitlines()
    assert sorted(set(lines)) == [name * 99 for name in "abcd"]


MEASURE = """
import resource, sys
from penstock.gate import BareGate
from penstock.stores.disk import DiskStore
gate = BareGate(store=DiskStore(sys.argv[1], durability="none"))
gate.capture([b"warm up\\n" * 20_000])
piece = b"".join(b"%07d a line of some output\\n" % n for n in range(30_000))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
view = gate.capture(piece for _ in range(256_000_000 // len(piece)))
assert view.handle and view.original.bytes > 250_000_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss has another unit elsewhere")
def test_capture_of_256_megabytes_takes_constant_memory(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE, str(tmp_path / "kept")], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) < 100_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="pipes have one size elsewhere")
@pytest.mark.parametrize(("before", "after"), [(65_536, 1_048_576), (4_096, 1_048_576), (1_048_576, 1_048_576)])
def test_pipe_that_is_captured_holds_a_megabyte(gate: BareGate, before: int, after: int) -> None:
    import fcntl

    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, before)
    os.write(writing, b"short")
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        assert gate.capture(source).text == "short"
        assert fcntl.fcntl(source, fcntl.F_GETPIPE_SZ) == after


@pytest.mark.skipif(sys.platform != "linux", reason="pipes have one size elsewhere")
def test_pipe_that_may_not_grow_is_captured_all_the_same(gate: BareGate, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> Any:
        raise PermissionError("all of this user's pipes together are large enough")

    monkeypatch.setattr("fcntl.fcntl", refused)
    reading, writing = os.pipe()
    os.write(writing, b"short")
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        assert gate.capture(source).text == "short"


def test_what_is_no_pipe_is_captured_as_it_is(gate: BareGate, tmp_path: Path) -> None:
    class Odd(io.BytesIO):
        fileno = None

    class Lying(io.BytesIO):
        def fileno(self) -> Any:
            return "zero"

    path = tmp_path / "file"
    path.write_bytes(b"short")
    with path.open("rb") as file:
        assert [gate.capture(source).text for source in (file, io.BytesIO(b"b"), Odd(b"o"), Lying(b"l"))] == [
            "short", "b", "o", "l"
        ]  # fmt: skip
