"""Room, and how it gets less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.content import content_of_text
from penstock.core.measure import Size
from penstock.core.reduce import EXPLICIT, KINDS, reducer_for
from penstock.core.reduce.contract import Room, Sample

MARK = Size(10, 1, 12)


def test_room_is_never_negative_and_no_limit_stays_none() -> None:
    room = Room(100, 5, None, MARK)
    assert room.less(Size(30, 2, 30)) == Room(70, 3, None, MARK)
    assert room.less(Size(300, 20, 300)) == Room(0, 0, None, MARK)
    assert room.less_marks(3) == Room(70, 2, None, MARK)
    assert room.less_marks(0) == room


def test_share_is_of_all_units_and_squeezing_leaves_the_lines() -> None:
    assert Room(100, 5, 60, MARK).share(0.5) == Room(50, 2, 30, MARK)
    assert Room(100, 5, 60, MARK).squeezed(0.5) == Room(50, 5, 30, MARK)
    assert Room(None, None, None, MARK).share(0.5) == Room(None, None, None, MARK)


def test_last_kind_takes_everything() -> None:
    assert KINDS[-1].fit(Sample(b"\0", "text")) > 0
    assert EXPLICIT["head"].fit(Sample(b"\0", "text")) == EXPLICIT["tail"].fit(Sample(b"\0", "json")) == 0


@given(st.text())
def test_explicit_strategy_is_followed_and_others_are_chosen_by_kind(text: str) -> None:
    content = content_of_text(text)
    for name in ("head", "tail", "head_tail"):
        assert reducer_for(name, content, "text").name == name  # type: ignore[arg-type]
    for name in ("auto", "summarize"):
        assert reducer_for(name, content, "text") in KINDS  # type: ignore[arg-type]
