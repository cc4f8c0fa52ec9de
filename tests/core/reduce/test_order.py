"""Orders of worth: each number once, found out no further than asked for."""

from __future__ import annotations

from itertools import islice

from penstock.core.reduce.order import Order, in_turn


def test_order_is_found_out_once_and_no_further_than_asked_for() -> None:
    asked: list[int] = []

    def source() -> list[int]:
        for number in (3, 1, 3, 2, 1):
            asked.append(number)
            yield number

    order = Order(source())
    assert list(islice(order, 2)) == [3, 1]
    assert asked == [3, 1]
    assert list(order) == [3, 1, 2]
    assert list(order) == [3, 1, 2]
    assert asked == [3, 1, 3, 2, 1]


def test_group_that_is_worth_more_has_more_turns() -> None:
    assert list(in_turn([[1, 2], [], [10, 20, 30, 40]], [0.5, 1.0, 1.0])) == [10, 1, 20, 30, 2, 40]
    assert list(in_turn([], [])) == []
