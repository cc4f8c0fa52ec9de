"""Literals in a stream: whole, cut in two, and one the beginning of another."""

from __future__ import annotations

from penstock.core.stream.markers import Markers


def test_the_first_literal_is_found_where_it_stands() -> None:
    markers = Markers(["<a>", "<ab>", "x"])
    assert markers.find("..<ab>x", 0, 7, False) == (2, "<ab>")
    assert markers.find("..<ab>x", 3, 7, False) == (6, "x")
    assert markers.find("....", 0, 4, False) == (4, "")


def test_a_prefix_at_the_end_is_held_until_nothing_can_follow() -> None:
    markers = Markers(["<ab>"])
    assert markers.find("..<a", 0, 4, False) == (2, "")
    assert markers.find("..<a", 0, 4, True) == (4, "")
    assert markers.find("..<a>", 0, 5, False) == (5, "")


def test_a_literal_that_may_become_a_longer_one_waits_for_what_follows() -> None:
    markers = Markers(["[", "[THINK]"])
    assert markers.find("[", 0, 1, False) == (0, "")
    assert markers.find("[", 0, 1, True) == (0, "[")
    assert markers.find("[x", 0, 2, False) == (0, "[")
    assert markers.find("[THINK]", 0, 7, False) == (0, "[THINK]")


def test_at_a_place_a_literal_stands_or_not_or_more_is_needed_to_tell() -> None:
    markers = Markers(["<a>"])
    assert markers.at("<a>", 0, 3, False) == "<a>"
    assert markers.at("<a", 0, 2, False) is None
    assert markers.at("<a", 0, 2, True) == ""
    assert markers.at("b", 0, 1, False) == ""
    assert markers.at("", 0, 0, False) is None
    assert markers.at("", 0, 0, True) == ""


def test_no_literals_are_found_nowhere() -> None:
    assert Markers([]).find("abc", 0, 3, False) == (3, "")
