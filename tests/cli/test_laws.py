"""The laws, through the command line: what is printed is within the limits, and nothing is lost."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import Gate
from penstock.core.limits import UNITS, Limits
from strategies import assert_text_within, bench_items, byte_strings, limits, spread

from .conftest import call, kept_files

FORMS = st.sampled_from([[], ["--json"]])
STRATEGIES = st.sampled_from(["auto", "head", "tail", "head_tail"])


@contextmanager
def fresh_project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            Path("penstock.yaml").touch()
            yield Path(folder)
        finally:
            os.chdir(before)


def options(limits: Limits) -> list[str]:
    """Exactly these limits: no other of the settings."""
    return [f"--max-{unit}={getattr(limits, unit) or 'none'}" for unit in UNITS]


@settings(max_examples=60)
@given(byte_strings(), limits(tokens=False), STRATEGIES, FORMS)
def test_pipe_prints_within_the_limits_and_loses_nothing(
    data: bytes, limits: Limits, strategy: str, form: list[str]
) -> None:
    with fresh_project() as folder:
        done = call("pipe", *options(limits), "--strategy", strategy, *form, stdin=data)
        assert (done.code, done.err) == (0, "")
        assert_text_within(done.out.decode("utf-8", "replace"), limits)
        files = kept_files(folder)
        if not files and not form:
            assert done.out == data
        elif files:
            assert [file.read_bytes() for file in files] == [data]
            record = call("ls", "--json").json
            assert call("read", record["handle"], "--all").out == data


@settings(max_examples=40)
@given(st.lists(byte_strings(3_000), min_size=1, max_size=4), limits(tokens=False), FORMS)
def test_admit_prints_all_files_together_within_the_limits(
    contents: list[bytes], limits: Limits, form: list[str]
) -> None:
    with fresh_project() as folder:
        for number, data in enumerate(contents):
            Path(f"f{number}").write_bytes(data)
        done = call("admit", *options(limits), *form, *(f"f{number}" for number in range(len(contents))))
        assert done.code in (0, 2)
        assert_text_within(done.out.decode("utf-8", "replace"), limits)
        if done.code == 2:
            assert "no room" in done.err
            assert not kept_files(folder)
        assert {file.read_bytes() for file in kept_files(folder)} <= set(contents)


@pytest.mark.skipif(not Path("/bin/cat").exists(), reason="no cat here")
@settings(max_examples=12)
@given(byte_strings(), limits(tokens=False), FORMS)
def test_run_prints_within_the_limits_and_loses_nothing(data: bytes, limits: Limits, form: list[str]) -> None:
    with fresh_project() as folder:
        Path("data").write_bytes(data)
        done = call("run", *options(limits), *form, "--", "/bin/cat", "data")
        assert (done.code, done.err) == (0, "")
        assert_text_within(done.out.decode("utf-8", "replace"), limits)
        files = kept_files(folder)
        if not files and not form:
            assert done.out == data
        elif files:
            assert [file.read_bytes() for file in files] == [data]
        if form and done.out:
            json.loads(done.out)


@settings(max_examples=60)
@given(byte_strings(), limits(tokens=False), STRATEGIES)
def test_what_is_printed_is_the_view_of_the_gate_so_that_its_laws_are_the_same(
    data: bytes, limits: Limits, strategy: Any
) -> None:
    with fresh_project() as folder:
        done = call("pipe", *options(limits), "--strategy", strategy, stdin=data)
        with Gate(directory=folder / "tool-output", reader="cli") as gate:
            view = gate.admit(data, tool="pipe", limits=limits, strategy=strategy)
        assert done.out in (bytes(view), bytes(view) + b"\n")
        assert done.out == data or view.truncated


@settings(max_examples=25)
@given(byte_strings(), st.integers(1, 60), st.integers(1, 60))
def test_pages_follow_one_another_through_every_byte(data: bytes, most: int, limit: int) -> None:
    with fresh_project():
        call("pipe", f"--max-bytes={most}", stdin=data)
        for record in call("ls", "--json").jsons:
            follow: Any = {"start": 1}
            read = b""
            for _ in range(300):
                place = [f"--{name}={value}" for name, value in follow.items()]
                page = call("read", record["handle"], "--json", *place, "--limit", str(limit * 100)).json
                shown = base64.b64decode(page["base64"]) if "base64" in page else page["text"].encode()
                read += shown
                follow = page["next"]
                if follow is None:
                    break
            assert read == data


@settings(max_examples=25)
@given(byte_strings(), limits(tokens=False), STRATEGIES, FORMS)
def test_what_cannot_be_kept_is_not_promised(data: bytes, limits: Limits, strategy: str, form: list[str]) -> None:
    with fresh_project() as folder:
        (folder / "tool-output").write_text("a file where the folder should be")
        done = call("pipe", *options(limits), "--strategy", strategy, *form, stdin=data)
        assert done.code == 0
        assert_text_within(done.out.decode("utf-8", "replace"), limits)
        promised = re.search(rb"ps-[a-z2-7]{16}", done.out)
        assert promised is None or promised[0] in data
        assert done.out == data or form or "could not be kept" in done.err


@settings(max_examples=15)
@given(byte_strings(), st.integers(1, 2_000))
def test_same_input_prints_the_same_bytes_again(data: bytes, most: int) -> None:
    with fresh_project():
        first = call("pipe", f"--max-chars={most}", stdin=data)
        again = call("pipe", f"--max-chars={most}", stdin=data)
        assert again.out == first.out


ITEMS = bench_items(os.environ)
FILES = spread(sorted(ITEMS.glob("*/*")), 30) if ITEMS.is_dir() else []


@pytest.mark.skipif(not FILES, reason=f"there are no real outputs in {ITEMS}; PENSTOCK_BENCH names another place")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:40])
def test_laws_hold_over_a_real_output_that_is_printed(path: Path) -> None:
    data = path.read_bytes()
    with fresh_project() as folder:
        piped = call(
            "pipe", "--query", "why did it fail?", *options(bounds := Limits(bytes=5_000, lines=60)), stdin=data
        )
        admitted = call("admit", "--json", *options(Limits(chars=3_000)), str(path))
        assert (piped.code, piped.err, admitted.code, admitted.err) == (0, "", 0, "")
        assert_text_within(piped.out.decode("utf-8", "replace"), bounds)
        assert len(admitted.out.decode().rstrip("\n")) <= 3_000
        assert admitted.json["status"] in ("success", "partial")
        files = kept_files(folder)
        if not files:
            assert piped.out == data
            return
        assert [file.read_bytes() for file in files] == [data]
        handle = call("ls", "--json").json["handle"]
        assert call("read", handle, "--all").out == data
        page = call("read", handle, "--start", "2", "--limit", "3")
        assert page.out in data
