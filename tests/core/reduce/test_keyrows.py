"""Keys once, values as they were: what a row holds, and what the header says of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.content import Content, Span, content_of_bytes
from penstock.core.reduce.brackets import units_of
from penstock.core.reduce.contract import Effort
from penstock.core.reduce.keyrows import Rows, parse

KEYS = "keys: "


def rows_of(value: Any, indent: int | None = 2) -> tuple[Content, Rows]:
    content = content_of_bytes(json.dumps(value, indent=indent, ensure_ascii=False).encode())
    return content, Rows(content, [unit for unit in units_of(content.data, Effort()) if unit.value.stop])


def text_of(content: Content, rows: Rows, index: int, *, whole: bool = False) -> str:
    row = rows.row(index, whole=whole)
    assert row is not None and row is rows.row(index, whole=whole)
    text = "".join(part if isinstance(part, str) else content.text(part) for part in row.parts)
    assert row.size.chars == len(text) and row.size.lines == 1
    return text


def test_keys_of_objects_in_objects_and_lists_stand_in_the_header() -> None:
    value = [
        {
            "id": f"g{n}",
            "at": {"x": n, "y": -n},
            "levels": [{"m": 1.50, "ok": True}] * n,
            "tags": ["a", "b"],
            "note": None,
        }
        for n in range(5)
    ]
    content, rows = rows_of(value)
    assert rows.header == "keys: {id,at:{x,y},levels:[{m,ok}],tags,note}\n"
    assert text_of(content, rows, 0) == '#1 {"g0",{0,0},[],["a","b"],null}\n'
    assert text_of(content, rows, 2) == '#3 {"g2",{2,-2},[{1.5,true},{1.5,true}],["a","b"],null}\n'
    assert (
        text_of(content, rows, 0, whole=True)
        == '#1 {"id":"g0","at":{"x":0,"y":0},"levels":[],"tags":["a","b"],"note":null}\n'
    )


def test_missing_value_leaves_its_place_empty() -> None:
    content, rows = rows_of([{"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 3}, {"b": 2}, {}])
    assert rows.header == "keys: {a,b,c}\n"
    assert [text_of(content, rows, n) for n in range(4)] == ["#1 {1,2,3}\n", "#2 {1,,3}\n", "#3 {,2}\n", "#4 {}\n"]


def test_object_with_other_keys_or_another_order_is_written_with_its_keys() -> None:
    usual = [{"a": 1, "b": 2}] * 600
    content, rows = rows_of([*usual, {"b": 1, "a": 1}, {"b": 2, "a": 1}, {"a": 1, "z": {"a": 2}}])
    assert text_of(content, rows, 601) == '#602 {"b":2,"a":1}\n'
    assert text_of(content, rows, 602) == '#603 {"a":1,"z":{"a":2}}\n'


def test_key_that_stands_twice_is_written_both_times() -> None:
    content = content_of_bytes(b'[{"a":1},{"a":1,"a":2},{"a":3}]')
    rows = Rows(content, [unit for unit in units_of(content.data, Effort()) if unit.value.stop])
    assert text_of(content, rows, 1) == '#2 {"a":1,"a":2}\n'


def test_new_key_is_put_behind_the_one_that_it_follows() -> None:
    _, rows = rows_of([{"a": 1, "c": 3}, {"a": 1, "b": 2, "c": 3}, {"z": 0, "a": 1}])
    assert rows.header == "keys: {z,a,b,c}\n"


def test_keys_that_are_names_are_written_with_what_is_under_them() -> None:
    content, rows = rows_of([{"id": n, "items": {f"{n}{k}": {"sku": k, "of": n} for k in range(4)}} for n in range(30)])
    assert rows.header == "keys: {id,items:{...:{sku,of}}}\n"
    assert text_of(content, rows, 0) == '#1 {0,{"00":{0,0},"01":{1,0},"02":{2,0},"03":{3,0}}}\n'


def test_records_by_id_have_their_key_before_them() -> None:
    content, rows = rows_of({f"g-{n}": {"id": n, "ok": True} for n in range(4)})
    assert text_of(content, rows, 1) == '#2 "g-1":{1,true}\n'


def test_lists_as_records_have_no_header_of_their_own() -> None:
    content, rows = rows_of([[1, [2, {"a": 3}]], [4, [5, {"a": 6}]]])
    assert rows.header == "keys: [[{a}]]\n"
    assert text_of(content, rows, 0) == "#1 [1,[2,{3}]]\n"
    assert rows_of([[1], [2]])[1].header == "keys: \n"


def test_thousand_keys_are_not_all_put_in_the_header() -> None:
    _, rows = rows_of([{f"k{n}": n for n in range(1_000)}] * 2, indent=None)
    assert rows.header.count(",") < 400


@pytest.mark.parametrize(
    "text", ["[1,", '{"a"}', "17", '"a"', "", "[1] 2", "[" * 60 + "]" * 60, "[" + "1," * 40_000 + "1]"]
)
def test_what_is_not_whole_or_too_large_is_not_taken_apart(text: str) -> None:
    data = text.encode()
    assert parse(data, Span(0, len(data))) is None


values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text('a"\\{}[],: é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"{,', max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), values), min_size=1, max_size=8),
    st.sampled_from([None, 2]),
)
def test_values_of_any_records_are_verbatim_and_in_order(records: list[dict[str, Any]], indent: int | None) -> None:
    content, rows = rows_of(records, indent)
    for number, record in enumerate(records):
        row = rows.row(number)
        assert row is not None
        spans = [part for part in row.parts if isinstance(part, Span)]
        assert [span.start for span in spans] == sorted(span.start for span in spans)
        told = text_of(content, rows, number, whole=True)
        assert json.loads(re.sub(r"^#\d+ ", "", told)) == record
        shown = text_of(content, rows, number)
        assert all(leaf in shown for leaf in leaves(record))


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [json.dumps(value, ensure_ascii=False)]
