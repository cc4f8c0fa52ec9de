"""What is out of the ordinary among records: errors first, then what is rare or far out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.oddities import ERROR, odd_columns, oddities, tells_of_error


def odd(rows: list[Any]) -> list[int]:
    """The odd records, the oddest first."""
    worth = oddities(rows, Effort())
    return sorted(worth, key=lambda number: (-worth[number], number))


def rows(count: int, **changed: dict[int, Any]) -> list[dict[str, Any]]:
    """Records with nothing odd about them, but for the fields that are `changed` in some of them."""
    made: list[dict[str, Any]] = [
        {"id": f"g{n:04d}", "error": None, "state": "open", "ms": 10 + n % 5} for n in range(count)
    ]
    for name, values in changed.items():
        for number, value in values.items():
            made[number][name] = value
    return made


def test_error_comes_before_what_is_rare_and_that_before_what_is_largest() -> None:
    found = odd(rows(400, error={300: "no water"}, state={200: "shut"}, ms={100: 9_000}))
    assert found[0] == 300
    assert set(found[1:3]) == {200, 100}
    assert len(found) < 10


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("error", "no water", True), ("error", None, False), ("error", "", False), ("error", "none", False),
        ("errors", [], False), ("errors", ["x"], True), ("lastError", "x", True), ("last_error_message", "x", True),
        ("error_count", 0, False), ("error_count", 3, True), ("mirror", "x", False), ("terror", "x", False),
        ("exit_code", 0, False), ("exitCode", 1, True), ("returncode", "", False), ("rc", 2, True),
        ("ok", False, True), ("ok", True, False), ("passed", "no", True), ("success", 0, True),
        ("status", 200, False), ("status", 503, True), ("http_status", "404", True), ("status", "failed", True),
        ("status", "ok", False), ("level", "ERROR", True), ("level", "info", False), ("severity", "critical", True),
        ("state", "CrashLoopBackOff", True), ("phase", 4, False), ("conclusion", "timed_out", True),
        ("note", "failed", False),
    ],
)  # fmt: skip
def test_field_tells_of_an_error_by_its_name_and_value(key: str, value: Any, told: bool) -> None:
    assert tells_of_error(key, value) is told
    worth = oddities([{key: value}], Effort())
    assert (worth.get(0, 0.0) >= ERROR) is told


def test_every_error_is_odd_and_each_sort_of_it_before_the_same_again() -> None:
    found = odd(rows(400, error=dict.fromkeys(range(10, 60), "no water") | {200: "no power"}))
    assert set(found[:51]) == {*range(10, 60), 200}
    assert set(found[:2]) == {10, 200}


def test_errors_in_most_records_are_usual() -> None:
    worth = oddities(rows(40, error=dict.fromkeys(range(30), "no water")), Effort())
    assert max(worth.values()) < ERROR


def test_rare_value_is_odd_and_its_first_record_the_most() -> None:
    found = odd(rows(400, state={50: "shut", 300: "shut"}))
    assert found.index(50) < found.index(300)


@pytest.mark.parametrize("count", [7, 15])
def test_few_records_tell_of_no_rare_values(count: int) -> None:
    assert all(worth < 2 for worth in oddities(rows(count, state={3: "shut"}), Effort()).values())


def test_names_are_not_rare_values() -> None:
    assert not oddities([{"id": f"g{n}", "kind": "a", "of": n % 90 and str(n % 90)} for n in range(400)], Effort())


def test_value_that_only_one_record_has_or_lacks_is_rare() -> None:
    assert odd(rows(100, extra={70: "x"}))[0] == 70
    assert odd([{"a": [1] if n != 60 else [], "b": "x"} for n in range(100)])[0] == 60
    assert odd([{"a": [1] if n != 60 else "none"} for n in range(100)])[0] == 60
    assert odd([{"a": {"b": 1} if n != 60 else None} for n in range(100)])[0] == 60


def test_number_far_out_is_odd_and_so_are_the_largest_and_the_smallest() -> None:
    worth = oddities([{"ms": n % 50} for n in range(200)] + [{"ms": 4_000}, {"ms": -900}], Effort())
    assert worth[200] > worth[201] > 4
    assert min(worth.values()) > 0
    plain = oddities([{"ms": n % 50} for n in range(200)], Effort())
    assert all(0 < found < 3 for found in plain.values()) and len(plain) == 2


def test_numbers_that_are_all_alike_are_names() -> None:
    assert odd([{"n": 7 if n != 44 else 8} for n in range(100)])[0] == 44


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, "n/a", None, True])
def test_value_that_is_no_number_to_count_with_does_no_harm(value: Any) -> None:
    numbers: list[dict[str, Any]] = [{"ms": n % 50} for n in range(99)]
    assert 99 in oddities([*numbers, {"ms": 4_000}, {"ms": value}], Effort())


def test_what_is_inside_of_lists_and_objects_is_odd_for_its_record() -> None:
    nested: list[dict[str, Any]] = [
        {"at": {"shore": "north", "tags": ["wet", "old"]}, "lines": [{"n": k, "state": "ok"} for k in range(3)]}
        for _ in range(60)
    ]
    nested[20]["lines"][1]["state"] = "failed"
    nested[30]["at"]["shore"] = "south"
    nested[40]["at"]["tags"] = ["wet", "new"]
    nested[50]["lines"] = [{"n": 1, "state": "ok"}] * 40
    assert set(odd(nested)[:4]) == {20, 30, 40, 50}
    assert odd(nested)[0] == 20
    nested[10]["at"]["tags"] = [["list"], "wet"]
    assert set(odd(nested)[:3]) == {20, 30, 50}, "lists in lists are not read"
    few = [{"tags": ["a"], "mixed": [1, {"state": "failed"}]}] * 3
    assert odd(few)[0] == 0


def test_what_is_nested_very_deep_is_not_read() -> None:
    deep: Any = "failed"
    for _ in range(9):
        deep = {"state": deep}
    assert not oddities([{"a": deep}], Effort())


def test_columns_are_read_like_records() -> None:
    columns: dict[str, list[Any]] = {"state": ["open"] * 40 + ["failed"], "ms": [float(n % 7) for n in range(41)]}
    worth = odd_columns(columns, Effort())
    assert max(worth, key=lambda number: worth[number]) == 40


def test_columns_cost_effort() -> None:
    with pytest.raises(EffortSpent):
        oddities([{"a": 1}] * 1_000, Effort(20))
    with pytest.raises(EffortSpent):
        odd_columns({"a": [1] * 1_000}, Effort(20))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["failed", 503]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["error", "status", "n", "a"]), inner),
    max_leaves=20,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["error", "state", "n", "x"]) | st.text(max_size=4), values), max_size=30)
)
def test_any_records_are_read(records: list[dict[str, Any]]) -> None:
    worth = oddities(records, Effort())
    assert all(0 <= number < len(records) and found > 0 for number, found in worth.items())
