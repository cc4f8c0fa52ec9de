"""A bounded value: within its limits, of the same types, with what matters in it and a true report of the rest."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from bench.anomalies import records
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from core.hurtful import COUNTERS
from penstock.core.limits import Limits
from penstock.core.tokens import Estimate, TokenCounter
from penstock.core.value import BoundedValue, bounded_value
from penstock.errors import ResultError
from strategies import limits, texts, utf8_size

SLUICES: list[dict[str, Any]] = [
    {"id": f"sl-{n:04d}", "state": "open", "litres": 500 + n * 37 % 90, "at": {"x": n}, "error": None}
    for n in range(400)
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts(),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(texts() | st.sampled_from(["error", "a/b", "~"]), inner)
    ),
    max_leaves=40,
)


def at(value: Any, pointer: str) -> Any:
    """What stands at a JSON Pointer."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def assert_same_types(original: Any, shown: Any) -> None:
    assert type(original) is type(shown)
    if isinstance(shown, dict):
        assert list(shown) == [key for key in original if key in shown], "keys stay in order"
        for key, value in shown.items():
            assert_same_types(original[key], value)
    elif not isinstance(shown, list | str):
        assert shown == original


@given(json_values, limits(), st.sampled_from(COUNTERS), st.sampled_from(["", "error of the valve"]))
@settings(max_examples=300, deadline=None)
def test_any_value_is_within_any_limits_and_keeps_its_types(
    value: Any, most: Limits, counter: TokenCounter, query: str
) -> None:
    bounded = bounded_value(value, most, query=query, counter=counter)
    text = bounded.text
    assert most.chars is None or len(text) <= most.chars
    assert most.bytes is None or utf8_size(text) <= most.bytes
    assert most.tokens is None or counter.count(text) <= most.tokens
    if text:
        assert json.loads(text) == json.loads(json.dumps(bounded.value))
        # Two halves of a surrogate pair, one after the other, have no other form in JSON than the pair.
        assert_same_types(json.loads(json.dumps(value)), json.loads(json.dumps(bounded.value)))
        for omission in bounded.omitted:
            assert at(bounded.value, omission.pointer) is not None
    else:
        assert bounded.value is None
    assert bounded.truncated or bounded.value == value
    assert bounded_value(value, most, query=query, counter=counter) == bounded


def test_value_within_its_limits_is_the_same_object() -> None:
    bounded = bounded_value(SLUICES, Limits(chars=100_000))
    assert bounded.value is SLUICES and not bounded.truncated
    assert json.loads(bounded.text) == SLUICES and bounded.size == bounded.original


@pytest.mark.parametrize("seed", range(3))
def test_error_outlier_and_rare_category_of_2000_records_are_kept(seed: int) -> None:
    planted = records(seed)
    bounded = bounded_value(json.loads(planted.text), Limits(chars=16_000))
    assert planted.lost(bounded.text) == []
    assert len(bounded.text) > 14_000


def test_record_that_is_asked_for_is_kept_whole() -> None:
    for value in (SLUICES, {"items": SLUICES, "next": None}, {sluice["id"]: sluice for sluice in SLUICES}):
        assert (
            json.dumps(SLUICES[217], separators=(",", ":"))
            in bounded_value(value, Limits(chars=900), query="sl-0217").text
        )


def test_report_tells_which_items_of_a_list_are_shown() -> None:
    bounded = bounded_value({"items": SLUICES, "next": "p2"}, Limits(chars=3_000))
    (omission,) = bounded.omitted
    assert bounded.value["next"] == "p2"
    assert (omission.pointer, omission.what) == ("/items", "items")
    shown = []
    for part in omission.shown.split(","):
        first, _, last = part.partition("-")
        shown += range(int(first), int(last or first) + 1)
    assert bounded.value["items"] == [SLUICES[number] for number in shown]
    assert omission.many == 400 - len(shown)
    assert bounded.report() == [{"at": "/items", "omitted": omission.many, "of": "items", "shown": omission.shown}]


def test_report_tells_of_objects_by_id() -> None:
    bounded = bounded_value({f"a/{n}": {"n": n, "text": "some words"} for n in range(200)}, Limits(chars=1_000))
    assert bounded.omitted[-1].what == "keys"
    assert bounded.omitted[-1].many == 200 - len(bounded.value)
    assert all(item == {"n": int(key[2:]), "text": "some words"} for key, item in bounded.value.items())


def test_long_text_shows_both_ends_between_graphemes() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    bounded = bounded_value({"log": family * 500, "n": 1}, Limits(chars=400))
    start, _, rest = bounded.value["log"].partition("[... bytes ")
    _, _, end = rest.partition("]")
    assert set(iter_graphemes(start)) == set(iter_graphemes(end)) == {family}
    assert bounded.value["n"] == 1
    assert bounded.report()[0]["of"] == "characters"


def test_text_full_of_escapes_fits() -> None:
    for text in ("\0" * 5_000, '"\\' * 5_000, "\ud800" * 900):
        bounded = bounded_value({"a": text}, Limits(bytes=300))
        assert len(bounded.value["a"]) > 0 and utf8_size(bounded.text) <= 300


def test_short_text_is_left_out_rather_than_cut() -> None:
    value = {f"key{n}": f"name of the sluice {n}" for n in range(30)}
    bounded = bounded_value(value, Limits(chars=300))
    assert 3 < len(bounded.value) < 30
    assert all(shown == value[key] for key, shown in bounded.value.items())


def test_key_that_tells_of_an_error_stays_where_others_have_no_room() -> None:
    value: dict[str, Any] = {f"key{n}": n for n in range(90)} | {"error": "no water"}
    assert bounded_value(value, Limits(chars=60)).value["error"] == "no water"


def test_small_values_beside_a_large_one_stay_whole() -> None:
    value = {"status": "ok", "log": "x" * 9_000, "items": SLUICES[:3], "rows": [1, 2, 3]}
    bounded = bounded_value(value, Limits(chars=2_000))
    assert {**bounded.value, "log": ""} == {**value, "log": ""}
    assert len(bounded.text) > 1_800


def test_large_one_of_many_objects_by_id_is_shown_in_part() -> None:
    value = {f"g{n}": {"n": n, "log": "x" * (9_000 if n == 5 else 9)} for n in range(9)}
    bounded = bounded_value(value, Limits(chars=2_000))
    assert list(bounded.value) == list(value)
    assert [omission.pointer for omission in bounded.omitted] == ["/g5/log"]


def test_large_items_of_a_list_are_shown_in_part() -> None:
    value = [{"id": n, "log": "x" * 9_000, "error": "no water" if n == 7 else None} for n in range(12)]
    bounded = bounded_value(value, Limits(chars=2_000))
    assert [item["id"] for item in bounded.value] == [0, 7]
    assert bounded.value[1]["error"] == "no water"


@pytest.mark.parametrize(
    ("value", "chars", "text"),
    [
        ([1, 2], 2, "[]"),
        ({"a": 1}, 2, "{}"),
        ("word", 2, '""'),
        ([1, 2], 1, ""),
        (12_345, 3, ""),
        (True, 2, ""),
        ("some words", 6, '"some"'),
        ([[], {}, 12_345], 5, "[[]]"),
    ],
)
def test_tiny_limits_leave_the_emptiest_of_its_type_or_nothing(value: Any, chars: int, text: str) -> None:
    bounded = bounded_value(value, Limits(chars=chars))
    assert bounded.text == text and bounded.truncated
    assert bounded.value == (json.loads(text) if text else None)


def test_size_has_tokens_where_they_are_limited() -> None:
    bounded = bounded_value(SLUICES, Limits(tokens=500), counter=Estimate())
    assert bounded.size.tokens is not None and 350 < bounded.size.tokens <= 500
    whole = bounded_value([1], Limits(tokens=500))
    assert whole.text == "[1]"


def test_numbers_are_never_changed() -> None:
    value = [10**30, 1.5, -0.0, 2**63] * 30
    bounded = bounded_value(value, Limits(chars=200))
    assert len(bounded.value) > 3 and set(bounded.value) <= set(value)


def test_deep_value_is_bounded_and_a_deeper_one_refused_with_one_error() -> None:
    def nested(depth: int) -> Any:
        value: Any = "bottom"
        for _ in range(depth):
            value = [value, "beside"]
        return value

    bounded = bounded_value(nested(200), Limits(chars=900))
    assert 0 < len(bounded.text) <= 900
    keyed: Any = "bottom" * 90
    for _ in range(90):
        keyed = {"a": keyed}
    assert bounded_value(keyed, Limits(chars=450)).text.startswith('{"a":{"a":')
    with pytest.raises(ResultError, match="nested too deep"):
        bounded_value(nested(100_000), Limits(chars=900))


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(ResultError):
        bounded_value({"a": object()}, Limits(chars=9))


def test_not_a_number_is_null_as_in_any_json() -> None:
    assert bounded_value([math.nan] * 99, Limits(chars=20)).value == [None] * 3


def test_report_begins_with_what_misses_the_most() -> None:
    bounded = bounded_value({"a": list(range(900)), "b": "x" * 900, "c": list(range(100))}, Limits(chars=300))
    report = bounded.report(2)
    assert len(report) == 2
    assert report[0]["omitted"] >= report[1]["omitted"]
    assert isinstance(bounded, BoundedValue)


@pytest.mark.parametrize(
    ("value", "what", "many"), [("x" * 100, "characters", 100), ({"a": 1, "b": 2}, "keys", 2), ([1, 2, 3], "items", 3)]
)
def test_value_of_which_nothing_fits_is_told_to_be_left_out_whole(value: object, what: str, many: int) -> None:
    bounded = bounded_value(value, Limits(chars=1))
    assert (bounded.text, bounded.value) == ("", None)
    assert [(omission.pointer, omission.what, omission.many) for omission in bounded.omitted] == [("", what, many)]
