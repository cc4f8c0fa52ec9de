"""HTML as blocks of text: what is text, which box is the main one, whatever is wrong with the markup."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.reduce.contract import Effort, EffortSpent
from penstock.core.reduce.markup import LONGEST_ROW, Page, read_page

TEXT = "The gate is opened at dawn, the pump waits until noon, and the keeper walks along the river. "


def blocks_of(page: str) -> list[str]:
    """Each block as its kind and its text."""
    data = page.encode()
    return [
        f"{block.kind}: " + "|".join(data[start:stop].decode() for start, stop in block.runs)
        for block in read_page(data, Effort()).blocks
    ]


def nearness(page: str) -> dict[str, float]:
    """How near to the main text each block is, by its first word."""
    data = page.encode()
    found: Page = read_page(data, Effort())
    firsts = [(block, *block.runs[0]) for block in found.blocks]
    return {data[start:stop].decode().split()[0]: found.nearness[block.box] for block, start, stop in firsts}


@pytest.mark.parametrize(
    ("page", "blocks"),
    [
        ("<p>One</p><p>Two</p>", ["text: One", "text: Two"]),
        ("<p>One<p>Two", ["text: One", "text: Two"]),
        ("<p><b>One</b></p>", ["text: One"]),
        ("<P CLASS=x>One <B>bold</B> word", ["text: One|bold|word"]),
        (
            "<title>T</title><h1>A</h1><h3>B</h3><pre>x = 1</pre>",
            ["title: T", "heading: A", "heading: B", "code: x = 1"],
        ),
        ("a < b and <1> but no <tag", ["text: a|b and|1> but no"]),
        ("<p>One<!-- <p>two --> three<!--four--></p>", ["text: One|three"]),
        ("<p>One<!-- never <p>closed", ["text: One"]),
        ("<script>if (a</b>) '<p>'</script><p>One", ["text: One"]),
        ("<script src='x'/><p>One</p><script>Two</script>", ["text: One"]),
        ("<style>p {}</style >One<style>never", ["text: One"]),
        ("<?xml version='1'?><!doctype html>One", ["text: One"]),
        ('<a title="a > b" href=x>One</a>', ["text: One"]),
        ('<a title="a > b', ["text: b"]),
        ('<a title="a > b" x', ['text: b" x']),
        ("<p>&nbsp;</p><p> \n </p>", []),
        ("</div></p>One</nav>", ["text: One"]),
        ("<div><p>One<section>Two</div>Three", ["text: One", "text: Two", "text: Three"]),
        ("", []),
        ("no markup", ["text: no markup"]),
    ],
)
def test_text_is_told_from_markup(page: str, blocks: list[str]) -> None:
    assert blocks_of(page) == blocks


def test_text_parted_by_breaks_alone_is_several_blocks_where_it_is_long() -> None:
    assert blocks_of("one<br>two") == ["text: one|two"]
    assert len(blocks_of(f"{TEXT * 5}<br>{TEXT * 5}<br>end")) == 3


def test_row_of_data_is_one_block_with_its_markup() -> None:
    table = "<table><tr><th>Name<th>Age</tr><tr><td>Ann</td><td>7</td></tr><tr><td>Bob<td>8<tr><td>alone</table>after"
    assert blocks_of(table) == [
        "row: <tr><th>Name<th>Age</tr>",
        "row: <tr><td>Ann</td><td>7</td></tr>",
        "row: <tr><td>Bob<td>8",
        "text: alone",
        "text: after",
    ]
    assert [block.head for block in read_page(table.encode(), Effort()).blocks] == [True, False, False, False, False]


def test_row_that_lays_out_the_page_is_shown_by_its_paragraphs() -> None:
    assert blocks_of("<table><tr><td><div>One</div><td>Two</tr></table>") == ["text: One", "text: Two"]
    assert blocks_of("<table><tr><td><h2>One</h2><td>Two</tr></table>") == ["heading: One", "text: Two"]
    long = "x" * LONGEST_ROW
    assert blocks_of(f"<table><tr><td>{long}<td>Two</tr></table>") == [f"text: {long}", "text: Two"]
    assert blocks_of("<tr><td></td><td></td></tr>One</tr>") == ["text: One"]


def test_main_text_is_nearer_than_navigation_links_and_what_its_class_calls_aside() -> None:
    found = nearness(
        "<body><nav><p>Navigation</p></nav><div class='site-menu'><p>Menu</p></div>"
        "<div><ul>" + "".join(f"<li><a href={n}>Links to other pages here</a>" for n in range(9)) + "</ul></div>"
        f"<div class='content sidebar-left'><div><p>Opening. {TEXT * 3}</p></div><section><p>Section. {TEXT * 3}</p>"
        f"<p>short</p></section></div><div id=comments><p>Comment: {TEXT}</p></div><footer>Footer</footer></body>"
    )
    assert found["Opening."] > 0.5 and found["Section."] == 1.0 and found["short"] == 1.0
    assert all(found[other] < 0.5 for other in ("Navigation", "Menu", "Links", "Comment:", "Footer"))


def test_box_with_most_of_the_text_is_the_main_text_whatever_its_class() -> None:
    found = nearness(f"<div class=widget><p>Main {TEXT * 4}</p></div><div><p>Other {TEXT}</p></div>")
    assert found["Main"] == 1.0 > found["Other"]


def test_said_to_be_the_article_counts_where_two_are_alike() -> None:
    found = nearness(f"<div><div><p>First {TEXT}</p></div></div><div><article><p>Second {TEXT}</p></article></div>")
    assert found["Second"] > found["First"]


def test_class_that_comes_again_says_the_same_again() -> None:
    box = f'<div class="sidebar">Beside {TEXT}</div>'
    page = f"<body>{box}<article>Main {TEXT * 3}</article>{box.replace('Beside', 'Again')}</body>"
    found = nearness(page)
    assert found["Beside"] == found["Again"] < found["Main"]


def test_page_without_boxes_is_its_own_main_text() -> None:
    assert nearness(f"<p>One {TEXT}<p>Two {TEXT}") == {"One": 1.0, "Two": 1.0}


def test_page_costs_effort() -> None:
    with pytest.raises(EffortSpent):
        read_page(b"<p>" * 1_000, Effort(900))


@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<p", "x ", ">", "<!--", "-->", "<script>", "</script>", '"', "é"]))
)
def test_runs_are_in_order_and_apart_whatever_the_markup(parts: list[str]) -> None:
    data = "".join(parts).encode()
    place = 0
    for block in read_page(data, Effort()).blocks:
        for start, stop in block.runs:
            assert place <= start < stop <= len(data)
            place = stop


@pytest.mark.parametrize("piece", ["<div>", "<", "<!--", "</div>", "<table><tr><td>", '<a b="', "<div class=menu>a"])
def test_markup_of_one_sort_costs_in_proportion(piece: str) -> None:
    def spent(times: int) -> float:
        began = time.process_time()
        read_page(piece.encode() * times, Effort())
        return time.process_time() - began

    spent(1_000)
    assert spent(40_000) < 40 * max(spent(4_000), 0.005)
