"""The tool response protocol. That envelopes are within their limits is in test_flow."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.hurtful import HANDLE, PATH
from penstock.core.envelope import Frame, asks_to_skip, frame_of, is_envelope, wrapped, wrapped_data
from penstock.core.notice import Step
from penstock.core.view import Truncation

CUT = Truncation("head", None, 2_000, 51_200, None, 9, 8, 7, 6, 5, 4, PATH, HANDLE)
FRAME = Frame("success", {"time_ms": 12}, {"cwd": "/srv"}, None)


def shown(frame: Frame, step: Step) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(frame.around("the preview", "[Truncated]", CUT, step))
    return result


def test_envelope_describes_what_was_cut_and_carries_the_rest_over() -> None:
    assert shown(FRAME, Step.FULL) == {
        "status": "partial",
        "data": {
            "truncated": True,
            "truncation": {
                "direction": "head",
                "max_lines": 2_000,
                "max_bytes": 51_200,
                "original_chars": 9,
                "original_lines": 8,
                "original_bytes": 7,
                "kept_chars": 6,
                "kept_lines": 5,
                "kept_bytes": 4,
                "full_output_path": PATH,
                "handle": HANDLE,
            },
            "preview": "the preview",
        },
        "text": "[Truncated]",
        "stats": {"time_ms": 12},
        "context": {"cwd": "/srv"},
        "error": None,
    }


def test_envelope_gives_way_step_by_step() -> None:
    short = shown(FRAME, Step.SHORT)
    assert short["data"]["truncation"] == {
        "original_lines": 8, "original_bytes": 7, "kept_lines": 5, "kept_bytes": 4,
        "full_output_path": PATH, "handle": HANDLE,
    }  # fmt: skip
    bare = {"truncated": True, "handle": HANDLE, "preview": "the preview"}
    assert shown(FRAME, Step.BARE) == {"status": "partial", "data": bare}
    assert shown(FRAME, Step.NOTHING) == {"status": "partial"}


def test_short_envelope_carries_over_only_what_is_short() -> None:
    frame = Frame(context={"exit_code": 1}, stats={"history": list(range(100))}, error=None)
    short = shown(frame, Step.SHORT)
    assert short["context"] == {"exit_code": 1}
    assert "stats" not in short
    assert "error" not in short


@pytest.mark.parametrize("step", list(Step))
@pytest.mark.parametrize(("status", "then"), [("success", "partial"), ("partial", "partial"), ("error", "error")])
def test_success_becomes_partial_and_an_error_stays_one(step: Step, status: str, then: str) -> None:
    frame = Frame(status, error={"code": "E"})
    assert shown(frame, step)["status"] == then
    if step is Step.FULL:
        assert shown(frame, step)["error"] == {"code": "E"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"status": "success", "data": {}}, True),
        ({"status": "error", "error": {"code": "E"}, "stats": {}, "context": {}}, True),
        ({"status": "partial", "text": ""}, True),
        ({"status": "success"}, False),
        ({"status": "success", "stats": {}}, False),
        ({"status": "ok", "data": {}}, False),
        ({"status": ["success"], "data": {}}, False),
        ({"status": "success", "data": {}, "more": 1}, False),
        ({"data": {}}, False),
        ({}, False),
    ],
)
def test_mapping_is_an_envelope_when_it_follows_the_protocol(value: dict[str, Any], expected: bool) -> None:
    assert is_envelope(value) is expected


def test_frame_is_what_stays_of_an_envelope() -> None:
    assert frame_of({"status": "error", "data": 1, "stats": {"a": 1}, "error": "E"}) == Frame(
        "error", {"a": 1}, {}, "E"
    )
    assert frame_of({"status": "success", "data": 1}) == Frame()


def test_only_true_asks_to_skip() -> None:
    assert asks_to_skip({"context": {"truncation_skip": True}})
    for context in ({"truncation_skip": 1}, {"truncation_skip": "true"}, {}, None, "truncation_skip"):
        assert not asks_to_skip({"context": context})
    assert not asks_to_skip({})


def test_what_fits_is_wrapped_as_a_success() -> None:
    rest = {"stats": {}, "context": {}, "error": None}
    assert json.loads(wrapped("é")) == {"status": "success", "data": {"truncated": False}, "text": "é", **rest}
    assert json.loads(wrapped_data([1])) == {"status": "success", "data": [1], "text": "", **rest}
