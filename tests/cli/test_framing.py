from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.cli.framing import framed
from penstock.configured import Gate
from penstock.core.envelope import Frame
from penstock.core.limits import Limits
from strategies import assert_text_within, byte_strings, limits

FRAME = Frame("error", context={"command": ["make"], "exit_code": 2}, error={"code": "EXIT_CODE", "message": "2"})


def envelope_of(gate: Gate, data: bytes, limits: Limits) -> str:
    policy = gate.policy("make", limits=limits)
    view = gate.capture([data], tool="make", limits=limits)
    return framed(gate, view, policy, FRAME, tool="make", query="", agent=None).text


@settings(max_examples=60)
@given(byte_strings(), limits(tokens=False))
def test_envelope_is_within_the_limits_and_parses(data: bytes, limits: Limits) -> None:
    with tempfile.TemporaryDirectory() as folder, Gate(directory=folder, reader="cli") as gate:
        text = envelope_of(gate, data, limits)
        assert_text_within(text, limits)
        assert not text or json.loads(text)["status"] in ("partial", "error")


@settings(max_examples=30)
@given(byte_strings(), st.integers(2_000, 5_000))
def test_envelope_of_what_is_cut_has_a_handle_that_reads_the_same_bytes(data: bytes, most: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Gate(directory=folder, reader="cli") as gate:
        envelope = json.loads(envelope_of(gate, data, Limits(bytes=most)))
        if envelope["data"]["truncated"]:
            handle = envelope["data"]["truncation"]["handle"]
            assert gate.store is not None
            assert gate.store.read(handle, 0, len(data) + 1) == data
            assert envelope["context"] == FRAME.context


@pytest.mark.parametrize("data", [b"", b"\n", b"x", b"\xff"])
@pytest.mark.parametrize("most", [1, 18, 30, 60, 90, 120, 200, 300])
def test_envelope_of_nearly_nothing_gives_way_step_by_step(data: bytes, most: int, tmp_path: Path) -> None:
    with Gate(directory=tmp_path) as gate:
        text = envelope_of(gate, data, Limits(chars=most))
    assert len(text) <= most
    assert not text or json.loads(text)["status"] in ("partial", "error")
    assert text or most < 30
