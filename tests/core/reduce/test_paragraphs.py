"""Plain text and Markdown as passages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from core.hurtful import collected, whole_contents
from penstock.core.content import Content, content_of_bytes
from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.paragraphs import PASSAGE, read_paragraphs


def read(text: str) -> list[str]:
    """Each passage as its kind, the level of a heading, and its units."""
    data = text.encode()
    return [
        f"{p.kind}{p.level or ''}: " + "|".join(data[start:stop].decode() for start, stop in p.units)
        for p in read_paragraphs(content_of_bytes(data), Effort())
    ]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("", []),
        ("\n\n \n", []),
        ("One line. Another!\nA third", ["text: One line. |Another!\n|A third"]),
        ("One.\n\nTwo.\n", ["text: One.\n", "text: Two.\n"]),
        (
            "# One\n## Two ##\ntext.\n### Three",
            ["heading1: # One\n", "heading2: ## Two ##\n", "text: text.\n", "heading3: ### Three"],
        ),
        ("#no heading.\n####### none.\n", ["text: #no heading.\n|####### none.\n"]),
        ("Title\n=====\nSub\n---\ntext.", ["heading1: Title\n=====\n", "heading2: Sub\n---\n", "text: text."]),
        ("two lines\nno title\n---\n", ["text: two lines\nno title\n---\n"]),
        ("The Gate\n\nIt opens.\n", ["heading3: The Gate\n", "text: It opens.\n"]),
        ("It opens,\n\n    indented\n", ["text: It opens,\n", "text:     indented\n"]),
        (
            "text\n- one\n- two\n  more\n* three\n12. four.\n",
            ["text: text\n", "text: - one\n", "text: - two\n  more\n", "text: * three\n", "text: 12. four.\n"],
        ),
        ("```py\n# no heading\n\nx\n```\nafter.", ["code: ```py\n# no heading\n\nx\n```\n", "text: after."]),
        ("intro:\n~~~\nx\n```\n", ["text: intro:\n", "code: ~~~\nx\n```\n"]),
        ("```", ["code: ```"]),
        (
            "| a | b |\n|---|:-:|\n| 1 | 2 |\nafter.",
            ["head: | a | b |\n|---|:-:|\n", "row: | 1 | 2 |\n", "text: after."],
        ),
        ("text.\n| 1 | 2 |", ["text: text.\n", "row: | 1 | 2 |"]),
        ("5. The gate in 2007. It is 3.5 m high.", ["text: 5. The gate in 2007. It is 3.5 m high."]),
        ("门开了。水位下降！他走了吗？", ["text: 门开了。|水位下降！|他走了吗？"]),
    ],
)
def test_text_is_parted_where_a_reader_would_part_it(text: str, passages: list[str]) -> None:
    assert read(text) == passages


def test_long_paragraph_is_several_passages_of_whole_sentences() -> None:
    text = "The keeper walks along the river. " * 100
    passages = read_paragraphs(content_of_bytes(text.encode()), Effort())
    assert len(passages) == 10
    assert all(text[unit.start : unit.stop] == text[:34] for passage in passages for unit in passage.units)


def test_text_without_sentences_is_cut_between_words() -> None:
    (first, *_) = read_paragraphs(content_of_bytes(b"gate valve pump " * 1_000), Effort())
    assert first.units[0].stop <= PASSAGE and first.units[0].stop % 16 in (0, 5, 11)


@given(whole_contents | collected())
def test_passages_are_the_content_but_for_blank_lines_in_order(content: Content) -> None:
    units = [unit for passage in read_paragraphs(content, Effort()) for unit in passage.units]
    assert all(start < stop for start, stop in units)
    for before, after in pairwise(units):
        assert before.stop <= after.start
        assert not content.data[before.stop : after.start].strip(b" \t\r\n\v\f|-:")


def test_lines_cost_effort() -> None:
    with pytest.raises(EffortSpent):
        read_paragraphs(content_of_bytes(b"a\n" * 1_000), Effort(900))
