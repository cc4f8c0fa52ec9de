"""Which passages go into a room."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.content import Span, content_of_bytes
from penstock.core.measure import Size
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.passages import Passage, PassageKind, Passages, parts_of, spread_over

MARK = Size(12, 1, 12)
DATA = b"".join(b"%04d gate valve pump\n" % n for n in range(1_000))  # 21 bytes each


def shown(kinds: dict[int, PassageKind], room: int, query: str = "", near: range = range(1_000)) -> list[int]:
    """Which of a thousand lines are shown."""
    passages = [
        Passage(kinds.get(n, "text"), [Span(n * 21, n * 21 + 21)], 1.0 if n in near else 0.1, 2) for n in range(1_000)
    ]
    chosen = Passages(content_of_bytes(DATA), passages, DATA, Ask(query)).choose(Room(room, None, None, MARK))
    return [n for start, stop in chosen.spans for n in range(start // 21, stop // 21)]


def test_main_text_is_shown_from_its_start_and_what_is_not_only_after_all_of_it() -> None:
    lines = shown({}, 2_000, near=range(400, 450))
    assert set(range(400, 450)) <= set(lines)
    assert lines[0] == 0
    assert shown({}, 900, near=range(400, 450)) == list(range(400, 400 + len(shown({}, 900, near=range(400, 450)))))


def test_title_is_shown_wherever_it_is_and_only_one() -> None:
    lines = shown({700: "title", 800: "title"}, 900, near=range(100))
    assert 700 in lines and 800 not in lines


def test_headings_and_first_rows_of_tables_are_shown_before_more_of_the_text() -> None:
    kinds: dict[int, PassageKind] = dict.fromkeys(range(100, 1000, 100), "heading")
    kinds |= {510: "head"} | dict.fromkeys(range(511, 540), "row") | {600: "head", 601: "row"}
    lines = shown(kinds, 3_000)
    assert {0, 1, 2, 100, 200, 510, 511, 512, 513, 600, 601} <= set(lines)
    assert 520 not in lines


def test_what_is_asked_for_is_shown_with_its_heading_and_the_head_of_its_table() -> None:
    kinds: dict[int, PassageKind] = dict.fromkeys(range(100, 1000, 100), "heading")
    kinds |= {510: "head"} | dict.fromkeys(range(511, 540), "row")
    lines = shown(kinds, 1_000, "Tell of 0537 and 0777.")
    assert {500, 510, 537, 700, 777} <= set(lines)


def test_rows_under_a_head_and_passages_under_a_heading_that_are_asked_for_are_shown() -> None:
    kinds: dict[int, PassageKind] = {300: "heading", 400: "heading", 510: "head"} | dict.fromkeys(
        range(511, 520), "row"
    )
    assert set(range(300, 310)) <= set(shown(kinds, 1_200, "Tell of 0300."))
    assert set(range(510, 520)) <= set(shown(kinds, 1_200, "Tell of 0510."))
    assert 520 not in shown(kinds, 1_200, "Tell of 0510.")


def test_question_without_words_that_tell_is_none() -> None:
    assert shown({}, 900, "why?") == shown({}, 900)


@given(st.integers(0, 300), st.integers(1, 9))
def test_first_few_of_spread_numbers_are_all_over_the_range(count: int, few: int) -> None:
    order = spread_over(count)
    assert sorted(order) == list(range(count))
    if count >= 64:
        places = [0, *sorted(order[: 2**few]), count]
        assert max(b - a for a, b in itertools.pairwise(places)) <= 2 * count / min(2**few, 64) + 2


def test_long_stretch_is_parted_between_words_and_else_at_whole_units() -> None:
    words = b"gate valve pump " * 100
    parts = parts_of(words, Span(0, 1_600), 200)
    assert parts[0].start == 0 and parts[-1].stop == 1_600
    assert all(words[stop - 1 : stop] == b" " for _, stop in parts)
    assert parts_of(b"x" * 500, Span(0, 500), 200) == [Span(0, 200), Span(200, 400), Span(400, 500)]
    cluster = ("e" + "\u0301" * 500).encode()
    assert parts_of(cluster, Span(0, len(cluster)), 200) == [Span(0, len(cluster))]


def test_units_that_share_a_cluster_are_shown_as_one_with_what_is_between_them() -> None:
    data = "x\ne\u0301y\n".encode() + b"z" * 90 + b"\n"
    passages = [
        Passage("text", [Span(0, 2)], 1.0),
        Passage("text", [Span(3, 7)], 1.0),
        Passage("text", [Span(7, 98)], 1.0),
    ]
    chosen = Passages(content_of_bytes(data), passages, data, Ask()).choose(Room(30, None, None, Size()))
    assert chosen.spans == [Span(0, 7)]
