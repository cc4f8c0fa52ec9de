"""The map between raw and visible text."""

from __future__ import annotations

from penstock.core.stream import Positions


def test_places_are_found_in_both_directions_around_what_is_hidden() -> None:
    positions = Positions()
    positions.add(2, 4)  # "ab"
    positions.add(4, 5)  # "c", right behind
    positions.add(9, 11)  # "de", behind four hidden characters
    assert [positions.raw(place) for place in range(6)] == [2, 3, 4, 9, 10, 11]
    assert [positions.visible(place) for place in (0, 2, 3, 5, 7, 9, 10, 11, 20)] == [0, 0, 1, 3, 3, 3, 4, 5, 5]
    assert positions.raw(-3) == 2
    assert positions.raw(99) == 11


def test_an_empty_map_has_one_place() -> None:
    assert Positions().raw(5) == 0
    assert Positions().visible(5) == 0
