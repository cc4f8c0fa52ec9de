from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.cli.streams import Ended, Event, Streams
from penstock.counters import counter_named

from .conftest import COMMAND, LONG, call, kept_files, process

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.mark.parametrize("data", [b"", b"\n", b"no newline", b"a\r\nb\xff\x00\x1b[31m", "👍\n".encode() * 100])
def test_what_fits_comes_out_byte_for_byte_and_nothing_is_kept(data: bytes, project: Path) -> None:
    done = call("pipe", stdin=data)
    assert (done.code, done.out, done.err) == (0, data, "")
    assert not kept_files(project)


def test_what_does_not_fit_is_kept_and_shown_within_the_limits(project: Path) -> None:
    done = call("pipe", "--max-lines", "12", "--max-chars", "900", stdin=LONG)
    assert done.out.count(b"\n") <= 12
    assert len(done.out) <= 900
    assert done.out.startswith(b"line 1\n")
    assert kept_files(project)[0].read_bytes() == LONG


def test_process_passes_megabytes_through(project: Path) -> None:
    data = os.urandom(3_000_000)
    assert process("pipe", "--max-bytes", "none", "--max-lines", "none", stdin=data[:3_000_000]).code == 0
    done = process("pipe", stdin=data)
    assert len(done.out) <= 51_200
    assert any(file.read_bytes() == data for file in kept_files(project))


def test_given_limits_stand_in_for_those_of_the_settings(project: Path) -> None:
    (project / "penstock.yaml").write_text("tool_output_limits: {tools: {noisy: {max_lines: 5}}}")
    assert call("pipe", "--tool", "noisy", stdin=LONG).out.count(b"\n") <= 5
    assert 5 < call("pipe", "--tool", "noisy", "--max-lines", "50", stdin=LONG).out.count(b"\n") <= 50
    assert call("pipe", "--max-lines", "none", "--max-bytes", "null", stdin=LONG * 9).out == LONG * 9


def test_agent_only_tightens(project: Path) -> None:
    (project / "penstock.yaml").write_text("agents: {careful: {max_tool_result_length: 1000}}")
    for more in ([], ["--max-chars", "5000"], ["--max-chars", "none"]):
        assert len(call("pipe", "--agent", "careful", *more, stdin=LONG).out) <= 1_000
    done = call("pipe", "--agent", "nobody", stdin=LONG)
    assert done.code == 2
    assert "nobody" in done.err


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", "9" * 30, "١"])
def test_limit_that_is_none_is_misuse(value: str) -> None:
    done = call("pipe", f"--max-chars={value}", stdin=b"x")
    assert done.code == (0 if value == "١" else 2)
    assert done.code == 0 or "a whole number from 1 on, or none" in done.err


def test_strategy_is_followed() -> None:
    head = call("pipe", "--strategy", "head", "--max-lines", "10", stdin=LONG).text
    tail = call("pipe", "--strategy", "tail", "--max-lines", "10", stdin=LONG).text
    assert "line 5\n" in head and "line 9000" not in head
    assert "line 9000\n" in tail and "line 1\n" not in tail


def test_token_limit_is_exact_where_the_counter_is(project: Path) -> None:
    pytest.importorskip("bpe_openai")
    (project / "penstock.yaml").write_text("counter: o200k_base")
    printed = call("pipe", "--max-tokens", "300", stdin=LONG).text
    assert 200 < counter_named("o200k_base").count(printed) <= 300


def test_json_is_one_envelope() -> None:
    assert call("pipe", "--json", stdin=b"short").json["text"] == "short"
    done = call("pipe", "--json", "--max-bytes", "3000", stdin=LONG)
    assert len(done.out) <= 3_000
    assert done.json["status"] == "partial"
    assert done.json["data"]["truncation"]["original_lines"] == 9_000


def test_undecodable_words_are_refused_in_a_sentence() -> None:
    for option in ("--tool", "--query", "--agent"):
        done = call("pipe", option, "x\udcff")
        assert done.code == 2
        assert option in done.err
        assert "UTF-8" in done.err


def test_query_may_be_any_text() -> None:
    assert call("pipe", "--query", "why? 中文 👍 \x1b[", "--max-lines", "30", stdin=LONG).code == 0


@posix
def test_closed_stdin_is_told(project: Path) -> None:
    done = subprocess.run(f"{' '.join(COMMAND)} pipe <&-", shell=True, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"penstock: there is no standard input to read\n")


@posix
def test_interrupted_pipe_prints_what_came_until_then() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen([*COMMAND, "--verbose", "pipe"], stdin=reading, stdout=-1, stderr=-1) as penstock:
        os.close(reading)
        os.write(writing, b"came before\n")
        time.sleep(1.0)  # until it reads, which nothing tells
        penstock.send_signal(signal.SIGINT)
        os.write(writing, b"came just after\n")
        out, _ = penstock.communicate(timeout=20)
        os.close(writing)
    assert (penstock.returncode, out) == (130, b"came before\ncame just after\n")


@posix
def test_interrupt_is_told_even_where_the_input_ends_before_it_is_noticed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"came before\n")
    os.close(writing)
    awaited = Streams.next

    def interrupted_late(streams: Streams, seconds: float) -> Event | None:
        event = awaited(streams, seconds)
        if isinstance(event, Ended):
            signal.raise_signal(signal.SIGINT)
        return event

    monkeypatch.setattr(Streams, "next", interrupted_late)
    stdout = io.TextIOWrapper(out := io.BytesIO(), encoding="utf-8", write_through=True)
    with os.fdopen(reading) as stdin, monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", stdin)
        patched.setattr(sys, "stdout", stdout)
        code = main(["pipe"])
    assert (code, out.getvalue()) == (130, b"came before\n")
