"""Pages of kept output: bounded, and every byte reachable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.hurtful import COUNTERS, Bytes, Shelf, assert_within, safe_cuts, uncounted
from penstock.core import slices as module
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.slices import (
    Slice,
    hidden_ranges,
    last_bytes,
    last_lines,
    page_by_bytes,
    page_by_lines,
    unseen_content,
)
from penstock.core.tokens import TokenCounter
from strategies import byte_strings, limits, texts

PLENTY = 10**9

contents = byte_strings(4_000) | texts(3_000).map(lambda text: text.encode("utf-8", "surrogatepass"))
hard = st.sampled_from(
    [
        b"e" + "\u0301".encode() * 3_000,  # one cluster
        b"x" * 9_000,
        b"x" * 5_000 + b"\r\n" + b"y" * 5_000,
        b"\r\n" * 800,
        "🇩🇪".encode() * 700,
        b"\x1b[38;5;196m" * 300,
        b"\x1b]8;;" + b"a" * 5_000,
        b"\x00" * 3_000,
        b"\xe4\xb8" * 900,
        "\ud800".encode("utf-8", "surrogatepass") * 900,
    ]
)
counters = st.sampled_from(COUNTERS)


def follow(source: Shelf, page: Slice, limits: Limits, counter: TokenCounter) -> Slice:
    arguments: dict[str, Any] = dict(page.next or {})
    if "offset" in arguments:
        assert arguments == {"unit": "bytes", "offset": page.stop}
        return page_by_bytes(source, page.stop, PLENTY, limits, counter.count)
    return page_by_lines(source, arguments["start"], 200, limits, counter.count)


def pages(source: Shelf, page: Slice, limits: Limits, counter: TokenCounter) -> list[Slice]:
    found = [page]
    while found[-1].next is not None:
        assert found[-1].stop > found[-1].start, "a page must get on"
        found.append(follow(source, found[-1], limits, counter))
    return found


def roomy(limits: Limits) -> Limits:
    """Limits in which any one character has room, whatever it is."""
    return Limits(
        limits.chars,
        limits.lines,
        None if limits.bytes is None else max(limits.bytes, 4),
        None if limits.tokens is None else max(limits.tokens, 30),
    )


# -- 8: every byte is reachable ----------------------------------------------------------------------------------------


@given(contents | hard, limits().map(roomy), counters, st.integers(1, 300), st.integers(1, 90))
@settings(max_examples=200, deadline=None)
def test_pages_by_lines_reach_every_byte_once(
    data: bytes, limits: Limits, counter: TokenCounter, limit: int, block: int
) -> None:
    assume(_pages_at_least(data, limits) < 80)
    source = Shelf(data, block)
    found = pages(source, page_by_lines(source, 1, limit, limits, counter.count), limits, counter)
    assert b"".join(page.data for page in found) == data
    assert [page.start for page in found[1:]] == [page.stop for page in found[:-1]]
    for page in found:
        check(page, data, Policy(limits, counter=counter))


@given(contents | hard, limits().map(roomy), counters, st.integers(1, 3_000))
@settings(max_examples=200, deadline=None)
def test_pages_by_bytes_reach_every_byte_once(data: bytes, limits: Limits, counter: TokenCounter, limit: int) -> None:
    assume(max(_pages_at_least(data, limits), len(data) / limit) < 80)
    source = Shelf(data)
    place, whole = 0, b""
    while place < len(data):
        page = page_by_bytes(source, place, limit, limits, counter.count)
        check(page, data, Policy(limits, counter=counter))
        assert page.start == place < page.stop
        whole += page.data
        place = page.stop
    assert whole == data


@given(contents | hard, limits(), counters, st.integers(1, 300))
@settings(deadline=None)
def test_last_lines_and_bytes_are_the_end_within_the_limits(
    data: bytes, limits: Limits, counter: TokenCounter, limit: int
) -> None:
    source, policy = Shelf(data), Policy(limits, counter=counter)
    lines = last_lines(source, limit, limits, counter.count)
    check(lines, data, policy)
    assert lines.data.count(b"\n") <= limit
    some = last_bytes(source, limit, limits, counter.count)
    check(some, data, policy)
    for page in (lines, some):
        assert not page.data or page.stop == len(data)


def _pages_at_least(data: bytes, limits: Limits) -> float:
    least = min(
        limits.chars or PLENTY, limits.bytes or PLENTY, (limits.tokens or PLENTY) / 2, 30 * (limits.lines or PLENTY)
    )
    return len(data) / least


def check(page: Slice, data: bytes, policy: Policy) -> None:
    assert_within(page.text, policy)
    assert page.data == data[page.start : page.stop] == bytes(page)
    assert (page.total_bytes, page.total_lines) == (len(data), Shelf(data).lines)
    assert page.first_line == data[: page.start].count(b"\n") + 1
    shown = data[page.start : page.stop]
    assert page.last_line == page.first_line + max(0, shown.count(b"\n") - shown.endswith(b"\n"))
    text = page.text.removesuffix(page.note)
    assert text.encode("utf-8", "surrogatepass").startswith(shown) or "\ufffd" in text
    assert str(page) == page.text


@given(texts(2_000), limits(), st.integers(1, 200), st.integers(1, 60))
def test_page_ends_at_a_unit_that_fits(text: str, limits: Limits, start: int, limit: int) -> None:
    data = text.encode("utf-8", "surrogatepass")
    cuts = safe_cuts(data)
    page = page_by_lines(Shelf(data), start, limit, limits, Bytes().count)
    unit = min((cut for cut in cuts if cut > page.start), default=len(data))
    assert not page.data or page.stop in cuts or page.stop < unit


@given(st.lists(st.text("ab ", max_size=30), min_size=1, max_size=60), st.integers(1, 70), st.integers(1, 70))
def test_page_by_lines_is_those_lines(lines: list[str], start: int, limit: int) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    page = page_by_lines(Shelf(data, 16), start, limit, Limits(), uncounted)
    assert page.data.decode() == "".join(line + "\n" for line in lines[start - 1 : start - 1 + limit])
    assert page.next == ({"start": start + limit} if start + limit <= len(lines) else None)
    assert page.text == page.data.decode() + page.note


# -- named cases -------------------------------------------------------------------------------------------------------

LINES = "".join(f"line {n}\n" for n in range(1, 1_001)).encode()


def test_note_says_which_lines_and_what_comes_next() -> None:
    assert page_by_lines(Shelf(LINES), 1, 200, Limits(), uncounted).note == "[lines 1-200 of 1,000; next: start=201]"
    assert page_by_lines(Shelf(LINES), 7, 1, Limits(), uncounted).text == "line 7\n[line 7 of 1,000; next: start=8]"
    assert page_by_lines(Shelf(LINES), 901, 200, Limits(), uncounted).note == "[lines 901-1,000 of 1,000; end]"


def test_page_past_the_end_says_where_the_end_is() -> None:
    page = page_by_lines(Shelf(LINES), 5_000, 10, Limits(chars=100), uncounted)
    assert (page.text, page.next) == (f"[past the end: 1,000 lines, {len(LINES):,} bytes]", None)
    assert page_by_bytes(Shelf(LINES), 10**9, 10, Limits(), uncounted).text == page.text
    assert page_by_lines(Shelf(b""), 1, 10, Limits(), uncounted).text == "[past the end: 0 lines, 0 bytes]"
    assert last_lines(Shelf(b""), 10, Limits(chars=5), uncounted).text == ""


def test_page_inside_a_long_line_says_at_which_byte_to_go_on() -> None:
    source = Shelf(b"one\n" + b"x" * 10_000 + b"\nthree\n")
    page = page_by_lines(source, 2, 1, Limits(chars=1_000), uncounted)
    assert page.next == {"unit": "bytes", "offset": page.stop}
    note = f'[line 2 of 3, bytes 4-{page.stop - 1} of 10011; next: unit="bytes", offset={page.stop}]'
    assert page.text == "x" * len(page.data) + "\n" + note
    assert len(page.text) > 900


def test_page_uses_its_limits_nearly_whole() -> None:
    for most in (Limits(chars=2_000), Limits(bytes=2_000), Limits(tokens=2_000), Limits(lines=50)):
        page = page_by_lines(Shelf(LINES), 1, 500, most, Bytes().count)
        assert len(page.text) > 1_850 if most.lines is None else page.text.count("\n") == 49


def test_note_goes_where_only_the_content_fits() -> None:
    page = page_by_lines(Shelf(LINES), 1, 5, Limits(chars=8), uncounted)
    assert page.text == "line 1\n"
    assert page_by_lines(Shelf(LINES), 2, 5, Limits(lines=1), uncounted).text == "line 2\n"


def test_nothing_is_shown_where_no_character_fits() -> None:
    page = page_by_lines(Shelf("中文\n".encode()), 1, 5, Limits(bytes=2), uncounted)
    assert (page.text, page.data, page.next) == ("", b"", {"unit": "bytes", "offset": 0})
    assert last_lines(Shelf("中文".encode()), 5, Limits(bytes=2), uncounted).text == ""


def test_limit_in_bytes_takes_at_least_one_whole_unit() -> None:
    family = "👨‍👩‍👧‍👦".encode()
    page = page_by_bytes(Shelf(family * 3), 0, 1, Limits(), uncounted)
    assert page.data == family
    assert last_bytes(Shelf(family * 3), 1, Limits(), uncounted).data == family
    assert page_by_bytes(Shelf(family * 3), 0, 30, Limits(), uncounted).data == family
    assert last_bytes(Shelf(family * 3), 30, Limits(), uncounted).data == family
    accent = "e\u0301".encode()
    assert page_by_bytes(Shelf(accent), 0, 1, Limits(), uncounted).data == accent
    assert last_bytes(Shelf(accent), 1, Limits(), uncounted).data == accent


def test_unit_that_ends_out_of_sight_is_cut_between_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK", 8)
    cluster = b"e" + "\u0301".encode() * 100
    assert page_by_bytes(Shelf(cluster), 0, 20, Limits(), uncounted).data == cluster[:19]
    assert page_by_bytes(Shelf(cluster), 1, 1, Limits(), uncounted).data == cluster[1:3]
    assert last_bytes(Shelf(cluster), 19, Limits(), uncounted).data == cluster[-18:]
    assert last_bytes(Shelf(cluster), 1, Limits(), uncounted).data == cluster[-2:]


def test_broken_byte_is_shown_where_nothing_else_fits() -> None:
    page = page_by_bytes(Shelf(b"\xe4\xb8" * 9), 0, 1, Limits(chars=1), uncounted)
    assert (page.text, page.data) == ("\ufffd", b"\xe4")
    # Seen alone, the second half of a broken character is no character either.
    page = page_by_lines(Shelf("\ud800x".encode("utf-8", "surrogatepass")), 1, 1, Limits(chars=1), uncounted)
    assert (page.text, len(page.data)) == ("\ud800", 3)
    page = page_by_lines(Shelf(b"\xed\xa0\xffx"), 1, 1, Limits(chars=1), uncounted)
    assert (page.text, page.data) == ("\ufffd", b"\xed")


def test_page_reads_little_more_than_it_shows() -> None:
    source = Shelf(LINES * 1_000, 256 * 1024)
    page_by_lines(source, 500_000, 200, Limits(chars=8_000), uncounted)
    last_lines(source, 200, Limits(chars=8_000), uncounted)
    assert source.read_bytes < 3_000_000
    source.read_bytes = 0
    assert page_by_lines(source, 1, 200, Limits(), uncounted).last_line == 200
    assert source.read_bytes < 1_000_000


def test_page_without_limits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE_MOST", 1_000)
    monkeypatch.setattr(module, "STEP", 64)
    source = Shelf(LINES * 100)
    for page in (
        page_by_lines(source, 1, PLENTY, Limits(), uncounted),
        page_by_bytes(source, 0, PLENTY, Limits(), uncounted),
        last_lines(source, PLENTY, Limits(), uncounted),
    ):
        assert 900 < len(page.data) < 20_000


def test_lone_surrogates_are_shown_wherever_a_page_begins_and_ends() -> None:
    data = ("x\ud800" * 3_000).encode("utf-8", "surrogatepass")
    page = page_by_bytes(Shelf(data), 4, 1_001, Limits(chars=2_000), uncounted)
    assert page.text.startswith("x\ud800x\ud800") and "\ufffd" not in page.text
    assert "\ufffd" not in last_bytes(Shelf(data), 1_001, Limits(chars=2_000), uncounted).text


# -- what was not shown yet --------------------------------------------------------------------------------------------

ranges = st.lists(st.integers(0, 3_000), max_size=12, unique=True).map(
    lambda places: list(zip(*[iter(sorted(places))] * 2, strict=False))
)


@given(contents, ranges, st.integers(1, 5_000))
def test_unseen_content_is_what_was_not_shown_with_holes_for_the_rest(
    data: bytes, shown: list[tuple[int, int]], most: int
) -> None:
    shown = [(start, min(stop, len(data))) for start, stop in shown if start < len(data)]
    source = Shelf(data)
    content = unseen_content(source, shown, most)
    hidden = hidden_ranges(len(data), shown)
    if content is None:
        assert not hidden
        return
    assert content.original_bytes == len(data)
    held = b"".join(data[start:stop] for start, stop in hidden)
    assert held.startswith(content.data)
    assert content.data == held or len(content.data) >= min(most, 1)
    for index, hole in enumerate(content.holes):
        begin, end = content.offset_of_end(hole.place), content.offset_of_start(hole.place)
        assert end - begin == hole.bytes
        assert hole.newlines == data[begin:end].count(b"\n")
        assert hole.ends_line == data[begin:end].endswith(b"\n")
        last = index == len(content.holes) - 1 and end == len(data)
        assert hole.census.complete or (last and content.data != held)


def test_halves_of_characters_side_by_side_are_not_taken_for_one() -> None:
    data = "中x中".encode()
    content = unseen_content(Shelf(data), [(1, 5)], 100)
    assert content is not None
    assert content.data == b"\xe4\xb8\xad" and content.errors == "replace"


def test_large_hole_is_counted_by_seeking() -> None:
    source = Shelf(LINES * 500, 64 * 1024)
    content = unseen_content(source, [(0, len(LINES) * 400)], 1_000)
    assert content is not None
    assert content.holes[0].newlines == 400_000
    assert source.read_bytes < 600_000


def test_ranges_may_overlap() -> None:
    assert hidden_ranges(10, [(0, 3), (2, 5), (4, 4), (8, 10)]) == [(5, 8)]
    assert hidden_ranges(10, []) == [(0, 10)]
    assert hidden_ranges(10, [(0, 10)]) == []


def test_slice_is_a_value() -> None:
    page = page_by_lines(Shelf(LINES), 1, 2, Limits(), uncounted)
    assert replace(page) == page
