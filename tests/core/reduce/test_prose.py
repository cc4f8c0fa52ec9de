"""Prose: its opening, its end, its headings, sentences from all over it, and what is asked for."""

from __future__ import annotations

import pytest

from core.reduce.materials import MATERIALS
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.prose import PROSE
from penstock.core.view import View


def view(text: str, chars: int, query: str = "") -> View:
    found = bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query))
    assert found.kind == "prose"
    return found


DAY = "On day {} the keeper opened the gate. Then he went home, and the pump was quiet. " + "He slept well. " * 20
STORY = "\n\n".join(f"Chapter {n}\n\n{DAY.format(n)}" for n in range(100))


def test_text_is_shown_by_its_opening_its_end_and_sentences_from_all_over_it() -> None:
    shown = view(STORY, 4_000)
    assert shown.text.startswith("Chapter 0\n\nOn day 0 the keeper opened the gate. Then he went home")
    assert "On day 99 the keeper" in shown.text
    days = [n for n in range(100) if f"On day {n} the keeper" in shown.text]
    assert len(days) > 8
    assert all(any(decade <= day < decade + 20 for day in days) for decade in range(0, 100, 20))


def test_passage_that_is_asked_for_is_shown_under_its_heading() -> None:
    text = STORY.replace("On day 57 the keeper", "On day 57 the stranger")
    shown = view(text, 2_000, "What did the stranger do?").text
    assert "Chapter 57\n" in shown and "On day 57 the stranger opened the gate." in shown


def test_one_line_without_an_end_is_shown_by_sentences() -> None:
    shown = view(
        "The keeper opened the gate on day one. " * 3_000 + "At last the dam broke, and all was lost. The end.", 3_000
    )
    assert shown.text.startswith("The keeper opened the gate on day one. The keeper")
    assert "and all was lost. The end." in shown.text
    assert len(shown.text) > 2_700


def test_text_without_spaces_is_shown_by_sentences_and_searched() -> None:
    text = (
        "清晨，守门人打开了闸门。他沿着河岸走到桥边。" * 300
        + "夜里，水泵突然停了！"
        + "清晨，守门人打开了闸门。他沿着河岸走到桥边。" * 300
    )
    shown = view(text, 900, "水泵为什么停了").text
    assert "水泵突然停了！" in shown
    assert shown.startswith("清晨，守门人打开了闸门。")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        (MATERIALS["prose:report"], 0.4, 0.6),
        (MATERIALS["prose:chinese"], 0.4, 0.6),
        ("a" * 1_000, 0, 0.1),
        ("word " * 400, 0.1, 0.3),
        ('{"key": [1, 2, 3], "other": {"a": null}}\n' * 40, 0, 0.1),
        ("2026-03-01 12:00:01 INFO [worker-3] took 17 ms\n" * 40, 0, 0.1),
        ("def f(x):\n    return [g(y) for y in x if y]\n" * 40, 0, 0.1),
        ("It is short.", 0, 0),
        ("The gate\0 is open. " * 40, 0, 0),
    ],
)
def test_prose_is_told_by_its_letters_and_stops(text: str, least: float, most: float) -> None:
    assert least <= PROSE.fit(sample_of(content_of_bytes(text.encode()), "text")) <= most
