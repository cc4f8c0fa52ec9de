"""The records of JSON are found whatever form it has, and the units that hold them touch."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce import brackets
from penstock.core.reduce.brackets import Unit, blanked, is_by_line, json_start, units_by_line, units_of
from penstock.core.reduce.contract import Effort, EffortSpent
from strategies import byte_strings

GATES = [{"id": n, "name": f"gate, {n}", "levels": [n, [n]], "at": {"x": n}} for n in range(30)]


def records(data: bytes, units: list[Unit] | None = None) -> list[bytes]:
    units = units_of(data, Effort()) if units is None else units
    assert b"".join(data[unit.span.start : unit.span.stop] for unit in units) == data, "units touch and leave nothing"
    return [data[unit.value.start : unit.value.stop] for unit in units if unit.value.stop]


def decoded(data: bytes) -> list[object]:
    return [json.loads(record) for record in records(data)]


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_records_of_a_list_are_found_with_and_without_a_wrapper(indent: int | str | None) -> None:
    for wrapped in (GATES, {"next": None, "items": GATES}, {"a": {"b": GATES, "count": 30}, "c": "]"}):
        assert decoded(json.dumps(wrapped, indent=indent).encode()) == GATES


@pytest.mark.parametrize("indent", [None, 4])
def test_records_by_id_are_found_with_their_keys_in_the_unit(indent: int | None) -> None:
    data = json.dumps({f"gate {n}, {{": gate for n, gate in enumerate(GATES)}, indent=indent).encode()
    assert decoded(data) == GATES
    assert all(b'"gate ' in data[u.span.start : u.value.start] for u in units_of(data, Effort()) if u.value.stop)


def test_object_with_other_fields_is_no_list_by_id() -> None:
    text = json.dumps({"a": {"x": 1}, "n": 3, "b": {"x": 2}, "c": {"x": "y" * 2_000}})
    assert all(unit.group < 0 for unit in units_of(text.encode(), Effort()))
    lists = json.dumps({"a": [1], "b": [2], "c": [3]})
    assert all(unit.group < 0 for unit in units_of(lists.encode(), Effort()))


def test_records_are_found_behind_lines_of_log() -> None:
    log = '[12:00] GET /gates "now" {id}\nthe "answer:\n'
    data = (log + json.dumps(GATES, indent=2)).encode()
    assert data[json_start(data) :].startswith(b"[\n")
    assert decoded(data) == GATES


def test_words_around_json_are_parted_by_lines() -> None:
    words = b"a line of log\n" * 300 + b"x" * 5_000 + b"\n"
    data = words + json.dumps(GATES).encode() + b"\n" + words + b"y" * 3_000
    assert decoded(data) == GATES
    parts = [data[unit.span.start : unit.span.stop] for unit in units_of(data, Effort())]
    assert all(part.endswith(b"\n") for part in parts[:5])
    assert max(part.count(b"a line") for part in parts) * 14 <= brackets.PART


def test_records_of_json_that_is_broken_off_are_found_up_to_there() -> None:
    data = json.dumps({"items": GATES}, indent=1).encode()
    found = records(data[: len(data) // 2])
    assert [json.loads(record) for record in found[:12]] == GATES[:12]
    assert found[-1].startswith(b"{")


def test_values_one_after_another_are_records() -> None:
    data = "\n".join(json.dumps(gate, indent=2) for gate in GATES[:3]).encode()
    assert decoded(data) == GATES[:3]
    assert decoded(json.dumps(GATES[0]).encode() + b" " + json.dumps(GATES[1]).encode()) == GATES[:2]


def test_record_of_many_kilobytes_is_parted_into_its_own_lists() -> None:
    large = {"kind": "report", "gates": GATES * 12, "more": [{"n": n} for n in range(90)], "tail": 1}
    data = json.dumps([large, large], indent=2).encode()
    units = units_of(data, Effort())
    assert len({unit.group for unit in units if unit.value.stop}) == 4
    assert len(records(data, units)) == 2 * (12 * 30 + 90)


def test_long_list_of_numbers_is_parted_at_commas() -> None:
    data = json.dumps({"readings": list(range(2_000)), "unit": "m"}).encode()
    units = units_of(data, Effort())
    assert records(data, units) == []
    assert max(unit.span.stop - unit.span.start for unit in units) <= brackets.PART + 10
    assert all(data[a.span.stop - 2 : a.span.stop] in (b", ", b"1]", b": ", b'"}', b'{"') or a for a in units)


def test_string_without_commas_stays_one_unit() -> None:
    data = json.dumps({"log": "x" * 5_000, "state": "ok"}).encode()
    assert max(unit.span.stop - unit.span.start for unit in units_of(data, Effort())) > 5_000


def test_unit_of_laid_out_json_is_whole_lines() -> None:
    data = json.dumps({"items": GATES}, indent=2).encode()
    for unit in units_of(data, Effort()):
        assert unit.span.start == 0 or data[unit.span.start - 1 : unit.span.start] == b"\n" or not unit.value.stop


def test_deep_nesting_is_not_looked_into() -> None:
    data = b"[" * 100 + b'{"a": 1}' * 400 + b"]" * 100
    assert len(units_of(data, Effort())) < 300


@pytest.mark.parametrize("data", [b"", b"[]", b"]]}}[", b'{"a"', b'"a', b"[[], ]x", b"[1,{},[2]", b"text", b'{"a": [1'])
def test_what_is_hardly_json_is_parted_without_loss(data: bytes) -> None:
    records(data)


@given(byte_strings())
def test_any_bytes_are_parted_without_loss(data: bytes) -> None:
    records(data)
    records(data, units_by_line(data, Effort()))
    assert len(blanked(data)) == len(data)


@given(st.lists(st.sampled_from([b'"', b"\\", b"a", b"{", b"\n"]), max_size=30).map(b"".join))
def test_strings_are_blanked_the_same_in_pieces(data: bytes) -> None:
    whole = blanked(data)
    size = brackets._CHUNK
    brackets._CHUNK = 3  # type: ignore[misc]
    try:
        assert blanked(data) == whole
    finally:
        brackets._CHUNK = size  # type: ignore[misc]


def test_blanks_stand_for_what_is_inside_of_strings() -> None:
    assert blanked(rb'{"a\"]": "\\", "b": 1}') == rb'{"____": "__", "_": 1}'
    assert blanked(b'"open {') == b'"______'


def test_list_that_a_decoder_reads_has_the_units_that_brackets_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [json.dumps(value, indent=indent) for indent in (None, 2) for value in (GATES, {"n": 1, "items": GATES})]
    fast = [units_of(text.encode(), Effort()) for text in texts]
    monkeypatch.setattr(brackets, "_main_list", lambda *_: None)
    assert fast == [units_of(text.encode(), Effort()) for text in texts]


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, {"a": "b" * 60}],
        [{"a": "b" * 20_000}],
        {"a": "b" * 90, "c": [{"d": 1}]},
        {"a": {"b": "c" * 50}},
        {},
        [[1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ],
)
def test_what_is_no_list_of_records_is_read_by_its_brackets(value: object) -> None:
    data = json.dumps(value).encode()
    assert brackets._main_list(data, 0) is None
    records(data)


def test_lines_are_records_where_each_is_a_value() -> None:
    lines = b'{"a":1}\nstarting\n[1]\n\n{"a":2}'
    assert records(lines, units_by_line(lines, Effort())) == [b'{"a":1}', b"[1]", b'{"a":2}']
    assert is_by_line(b'{"a":1}\n{"a":2}\n') and is_by_line(b'{"a":1}\r\n{"a":2}\r\n')
    assert not is_by_line(b'{\n "a": 1\n}\n{\n "a": 2\n}\n') and not is_by_line(b'{"a":1}')


def test_each_record_costs_effort() -> None:
    for parting in (units_of, units_by_line):
        with pytest.raises(EffortSpent):
            parting(b"{}\n" * 2_000, Effort(100))


@given(st.integers(0, 40), st.integers(0, 300))
def test_units_are_in_order_wherever_the_content_ends(count: int, cut: int) -> None:
    data = json.dumps({"items": GATES[:count], "of": [count]}, indent=1).encode()
    units = units_of(data[: len(data) - cut] if cut < len(data) else data, Effort())
    assert all(a.span.stop == b.span.start and a.span.start < a.span.stop for a, b in pairwise(units))
