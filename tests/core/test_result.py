"""What tools return, in one form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from penstock.core import result as module
from penstock.core.envelope import Frame
from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.result import Result, result_of
from penstock.errors import ResultError
from strategies import json_values, limits, outputs

ENVELOPE = {"status": "success", "data": {"rows": [1, 2]}, "stats": {"time_ms": 3}}


@given(outputs)
def test_text_and_bytes_stay_as_they_are(output: str | bytes) -> None:
    result = result_of(output)
    assert (result.form, result.media, result.shown, result.whole) == ("text", "text", output, output)
    assert result.errors == ("surrogatepass" if isinstance(output, str) else "replace")
    assert result.text() == (output if isinstance(output, str) else output.decode("utf-8", "replace"))
    raw = output.encode("utf-8", "surrogatepass") if isinstance(output, str) else output
    assert b"".join(result.chunks()) == raw


def test_buffers_are_bytes() -> None:
    assert result_of(bytearray(b"ab")).shown == b"ab"
    assert result_of(memoryview(b"ab")).shown == b"ab"


@given(json_values.filter(lambda value: not isinstance(value, str)))
def test_json_is_shown_compact_and_kept_laid_out(value: Any) -> None:
    result = result_of(value)
    assert (result.form, result.media, result.errors) == ("json", "json", "surrogatepass")
    assert json.loads(result.text()) == json.loads(result.whole) == value
    assert b"".join(result.chunks()).decode() == result.whole


def test_json_has_a_line_for_every_value_when_kept() -> None:
    assert result_of({"a": [1, 2]}).whole == '{\n  "a": [\n    1,\n    2\n  ]\n}'


def test_envelope_is_known_by_its_form() -> None:
    result = result_of(ENVELOPE)
    assert (result.form, result.media, result.skip) == ("envelope", "json", False)
    assert result.frame == Frame("success", {"time_ms": 3})
    assert result_of({**ENVELOPE, "context": {"truncation_skip": True}}).skip


def test_envelope_that_is_asked_for_stands_around_text_and_json() -> None:
    text = result_of("é\ud800", envelope=True)
    assert (text.form, text.whole, text.errors, text.frame) == ("envelope", "é\ud800", "surrogatepass", Frame())
    assert json.loads(text.text())["text"] == "é\ud800"
    raw = result_of(b"\xff", envelope=True)
    assert (raw.whole, raw.errors) == (b"\xff", "replace")
    assert json.loads(raw.text())["text"] == "\ufffd"
    value = result_of([1, 2], envelope=True)
    assert json.loads(value.text())["data"] == [1, 2]
    assert (value.form, value.media, value.whole) == ("envelope", "json", "[\n  1,\n  2\n]")
    assert result_of(ENVELOPE, envelope=True) == result_of(ENVELOPE)


def test_blocks_are_known_by_their_types() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "image", "data": "AAAA"}, {"type": "text", "text": "two"}]
    result = result_of(blocks)
    assert (result.form, result.text(), result.blocks) == ("blocks", "one\ntwo", tuple(blocks))
    assert result_of([{"type": "file", "name": "a.txt"}]).form == "json"
    assert result_of([]).form == "json"


def test_what_has_no_json_form_is_refused() -> None:
    for output in (print, object(), {1, object()}):
        with pytest.raises(ResultError):
            result_of(output)


def test_large_output_is_handed_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 3)
    assert list(result_of("aé中😀\ud800b").chunks()) == ["aé中".encode(), "😀\ud800b".encode("utf-8", "surrogatepass")]
    assert list(result_of(b"abcd").chunks()) == [b"abc", b"d"]
    assert list(result_of("").chunks()) == []


@given(outputs, limits())
def test_result_that_is_surely_over_is_over(output: str | bytes, most: Limits) -> None:
    result = Result("text", "text", output)
    size = measure(result.text())
    if result.surely_over(most):
        # No token is longer than 128 bytes.
        assert size._replace(tokens=-(-size.bytes // 128)).over(most) is not None


@pytest.mark.parametrize(
    ("output", "most", "over"),
    [
        ("abc", Limits(chars=2), True),
        ("abc", Limits(chars=3), False),
        ("abc", Limits(bytes=2), True),
        ("a" * 129, Limits(tokens=1), True),
        ("a" * 128, Limits(tokens=1), False),
        (b"a" * 9, Limits(chars=2), True),
        (b"a" * 8, Limits(chars=2), False),
        (b"abc", Limits(bytes=2), True),
        (b"abc", Limits(lines=1), False),
    ],
)
def test_length_alone_tells_of_results_that_are_far_over(output: str | bytes, most: Limits, over: bool) -> None:
    assert result_of(output).surely_over(most) is over
