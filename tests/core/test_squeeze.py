"""Closing in on a limit that only the finished text shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.limits import Limits
from penstock.core.measure import Size
from penstock.core.reduce.contract import Room
from penstock.core.squeeze import GOOD, TRIES, fullest, room_within


@dataclass(frozen=True)
class Made:
    size: Size


class Maker:
    """Makes texts of so many tokens for a part of the room, and counts how often."""

    def __init__(self, tokens: Callable[[float], float]) -> None:
        self.tokens = tokens
        self.parts: list[float] = []

    def __call__(self, part: float) -> Made:
        self.parts.append(part)
        return Made(Size(tokens=int(self.tokens(part))))


def squeezed(maker: Maker, most: int, *, fixed: int = 0) -> int | None:
    found = fullest(maker, Limits(tokens=most), Size(tokens=fixed), elastic=True, grows=True)
    return None if found is None else found.size.tokens


@given(st.floats(0.05, 20), st.integers(500, 100_000), st.integers(0, 40))
def test_text_that_grows_evenly_fills_its_limit(density: float, most: int, fixed: int) -> None:
    maker = Maker(lambda part: fixed + (most - fixed) * density * part)
    tokens = squeezed(maker, most, fixed=fixed)
    assert tokens is not None and tokens <= most
    assert tokens - fixed >= 0.9 * (most - fixed) - 2
    assert len(maker.parts) <= 5


@given(st.lists(st.floats(0, 3), min_size=30, max_size=30), st.integers(10, 1_000))
def test_what_is_found_fits_however_sizes_jump(factors: list[float], most: int) -> None:
    maker = Maker(lambda part: most * part * factors[int(part * 7) % 30])
    tokens = squeezed(maker, most)
    assert tokens is None or tokens <= most
    assert len(maker.parts) <= TRIES


def test_part_that_changes_nothing_is_halved() -> None:
    # The room is ten times the content, so only a tenth of it binds.
    maker = Maker(lambda part: min(110, 1_000 * part))
    assert squeezed(maker, 100) in range(50, 101)


def test_content_that_is_shown_whole_is_not_tried_again_and_again() -> None:
    maker = Maker(lambda part: 40)
    assert squeezed(maker, 100) == 40
    assert len(maker.parts) == 2


def test_first_try_is_enough_where_sizes_are_known_before() -> None:
    parts: list[float] = []

    def make(part: float) -> Made:
        parts.append(part)
        return Made(Size(chars=int(50 * part)))

    found = fullest(make, Limits(chars=100), Size(), elastic=False, grows=False)
    assert found is not None and found.size.chars == 50 and parts == [1.0]
    assert fullest(make, Limits(chars=100), Size(), elastic=True, grows=False) == found
    over = fullest(make, Limits(chars=40), Size(), elastic=False, grows=False)
    assert over is not None and GOOD * 40 <= over.size.chars <= 40


def test_nothing_is_found_where_nothing_fits() -> None:
    assert squeezed(Maker(lambda part: 500), 100) is None
    over_in_lines = fullest(lambda part: Made(Size(lines=3)), Limits(lines=2), Size(), elastic=False, grows=False)
    assert over_in_lines is None


def test_room_is_what_the_fixed_part_leaves() -> None:
    fixed = Size(30, 1, 40, 9)
    assert room_within(Limits(), fixed, b"x", Size()) == Room(None, None, None, Size())
    assert room_within(Limits(100, 5, 100), fixed, b"x", Size(5, 1, 5), 0.3) == Room(70, 4, 60, Size(5, 1, 5), 0.3)
    assert room_within(Limits(20, 1, 20), fixed, b"x", Size()) == Room(0, 0, 0, Size())


@pytest.mark.parametrize("data", [b"", b"plain words of a log " * 50, "中文字符".encode() * 9_000, b"\0" * 90_000])
def test_limit_on_tokens_is_told_in_bytes_of_such_data(data: bytes) -> None:
    room = room_within(Limits(tokens=100), Size(tokens=20), data, Size())
    assert room.bytes is not None and (0 if not data else 80) <= room.bytes <= 80 * 128
    assert room_within(Limits(tokens=10), Size(tokens=20), data, Size()).bytes == 0
    tight = room_within(Limits(bytes=50, tokens=100), Size(0, 0, 10, 20), data, Size())
    assert tight.bytes == min(40, room.bytes)
    assert room_within(Limits(tokens=80), Size(), data, Size()).bytes == room.bytes
