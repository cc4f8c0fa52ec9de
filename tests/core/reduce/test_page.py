"""Pages: the main text before what surrounds it, rows that are asked for, markup only where it takes no room."""

from __future__ import annotations

import pytest

from core.reduce.materials import MATERIALS
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.page import PAGE

ARTICLE = MATERIALS["page:article"]
HANDBOOK = MATERIALS["page:handbook"]


def view(text: str, chars: int, query: str = "") -> str:
    found = bound(Case(content_of_bytes(text.encode()), Policy(Limits(chars=chars)), "chars", query=query))
    assert found.kind == "page"
    return found.text


@pytest.mark.parametrize("query", ["", "Main text of https://example.org/the-gates"])
def test_main_text_is_shown_and_navigation_and_scripts_are_not(query: str) -> None:
    shown = view(ARTICLE, 6_000, query)
    assert "The gates of the valley</h1>" in shown
    assert "The gate of the lower reservoir was opened at dawn" in shown
    assert "Topic number 7" not in shown and "go();" not in shown and "margin" not in shown


def test_outline_tells_of_sections_that_have_no_room() -> None:
    shown = view(ARTICLE, 4_000)
    assert sum(f"Part {n}</h2>" in shown for n in range(24)) > 8


def test_table_is_told_by_its_head_and_first_rows() -> None:
    shown = view(ARTICLE, 5_000)
    assert "<th>Gate</th><th>Height</th><th>Built</th>" in shown
    assert '<a href="/gate/0">Gate 0</a></td><td>0 m</td><td>2000</td>' in shown


def test_row_that_is_asked_for_is_shown_with_the_head_of_its_table() -> None:
    shown = view(ARTICLE, 2_500, "When was Gate 23 built (2023)?")
    assert "<th>Gate</th><th>Height</th><th>Built</th>" in shown
    assert '<a href="/gate/23">Gate 23</a></td><td>4 m</td><td>2023</td>' in shown


def test_rows_under_a_head_that_speaks_of_the_question_are_shown() -> None:
    shown = view(ARTICLE, 4_500, "What height have they?")
    assert all(f">Gate {n}</a>" in shown for n in range(20))


def test_long_link_is_hidden_and_its_text_shown() -> None:
    link = '<a href="https://example.org/{}">the keeper</a>'.format("a/" * 60)
    shown = view(f"<html><p>Ask {link} of the gate.</p>" + "<p>The pump, the valve and the river.</p>" * 200, 3_000)
    assert "]the keeper</a> of the gate." in shown and "a/a/a/" not in shown


def test_short_markup_stands_where_it_was() -> None:
    page = "<html><p>Ask <b>the</b> <i>keeper</i> of it.</p>" + "<p>The pump, the valve and the river.</p>" * 200
    assert "Ask <b>the</b> <i>keeper</i> of it.</p><p>The pump" in view(page, 3_000)


def test_room_that_the_text_leaves_is_filled_with_the_markup_of_the_main_text_first() -> None:
    link = '<a href="https://example.org/{}/{}">gate</a>'
    text = "".join(f"<p>The {link.format(n, 'x' * 60)} and the valve, the pump and the river.</p>" for n in range(40))
    page = f"<html><head><script>{'var q = 1;' * 2_000}</script></head><main>{text}</main></html>"
    shown = view(page, 4_600)
    assert shown.count("and the valve, the pump and the river.") == 40
    assert sum(f"https://example.org/{n}/xx" in shown for n in range(1, 40)) > 5
    fuller = view(page, 12_000)
    assert all(f"https://example.org/{n}/xx" in fuller for n in range(40)) and "var q = 1;" in fuller


def test_markdown_is_shown_from_its_start_with_its_outline() -> None:
    shown = view(HANDBOOK, 3_000)
    assert shown.startswith("# Handbook of the gates\n")
    assert "| gate | height |\n|---|---|\n" in shown
    assert sum(f"## Part {n}\n" in shown for n in range(30)) > 10


def test_section_of_markdown_that_is_asked_for_is_shown_with_its_heading() -> None:
    shown = view(HANDBOOK, 1_500, "How is number 17 opened?")
    assert "## Part 17\n" in shown and "gate open --number 17\n" in shown


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("<!DOCTYPE html><html>", 0.9, 1),
        ("\n<HTML><BODY>", 0.9, 1),
        ("HTTP/2 200\ncontent-type: text/html\n\n<!doctype html>\n", 0.6, 1),
        ("HTTP/1.1 200 OK\r\n\r\n<!doctype html>\n", 0.9, 1),
        ("$ curl -s host\n<!doctype html>\n", 0.5, 0.7),
        ("<div><p>One</p><p>Two</p></div>" * 20, 0.8, 0.9),
        ("<a><b>1</b></a>" * 20, 0, 0.6),
        ("# Title\n\n## Part\n\n- a\n- b\n- c\n\n[x](y) [x](z)\n", 0.6, 0.8),
        ("#!/bin/sh\n# Copies\n# files\n\ncp a b\n# done\n", 0, 0),
        ("import os\n\n# One\n# Two\nprint(1)\n", 0, 0),
        ("2026-01-01 12:00:00 INFO started\n" * 20, 0, 0),
        ("", 0, 0),
    ],
)
def test_page_is_told_by_how_it_begins(text: str, least: float, most: float) -> None:
    assert least <= PAGE.fit(sample_of(content_of_bytes(text.encode()), "text")) <= most
