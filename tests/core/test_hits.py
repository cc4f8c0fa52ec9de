"""Search hits as text: bounded, with right numbers and honest windows, and a way to go on until nothing is left."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hurtful import COUNTERS, Bytes, Shelf, assert_within, safe_cuts, uncounted
from penstock.core import hits as module
from penstock.core.grep import Found, matcher, search
from penstock.core.hits import WINDOW, Hits, render
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from strategies import byte_strings, limits, texts

contents = byte_strings(4_000) | texts(4_000).map(lambda text: text.encode("utf-8", "surrogatepass"))
patterns = st.sampled_from(["error", "a", "x", "0", "[0-9]+", "中", "^", "m", "line|warning", "$"])


def found_in(data: bytes, pattern: str, start: int = 1, most: int = 50) -> Found:
    return search(Shelf(data), matcher(pattern), start_line=start, most=most)


def check(hits: Hits, data: bytes, policy: Policy) -> None:
    """What the text shows of each line is what is there, and all else of the line is in its marks."""
    assert_within(hits.text, policy)
    assert str(hits) == hits.text and len(hits) == len(hits.hits)
    if not hits.text:
        return
    assert hits.text == hits.note or hits.text.endswith(f"\n{hits.note}")
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    rest = hits.text
    last = 0
    for begin, stop in hits.shown:
        if rest.startswith("--\n"):
            rest = rest[3:]
        elif last:
            assert int(re.match(r"\d+", rest)[0]) == last + 1, "lines apart are parted"  # type: ignore[index]
        number = int(re.match(r"\d+", rest)[0])  # type: ignore[index]
        assert number > last
        last = number
        line_start, line_stop = starts[number - 1], starts[number] - 1
        assert line_start <= begin <= stop <= line_stop
        hit = next((hit for hit in hits.hits if hit.line == number), None)
        wanted = f"{number}{':' if hit else '-'}"
        wanted += _mark(line_start, begin) + _text(data[begin:stop]) + _mark(stop, line_stop) + "\n"
        assert rest.startswith(wanted)
        rest = rest[len(wanted) :]
    assert rest == hits.note


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _mark(start: int, stop: int) -> str:
    if start == stop:
        return ""
    return f"[... bytes {start}-{stop - 1}]" if stop - start > 1 else f"[... bytes {start}]"


@given(contents, patterns, st.integers(0, 4), limits(), st.sampled_from(COUNTERS), st.integers(1, 60))
@settings(max_examples=300)
def test_hits_are_within_the_limits_and_show_what_is_there(
    data: bytes, pattern: str, context: int, limits: Limits, counter: Bytes, most: int
) -> None:
    found = found_in(data, pattern, most=most)
    hits = render(Shelf(data), found, context, limits, counter.count, pattern)
    check(hits, data, Policy(limits, counter=counter))
    assert hits.hits == found.hits[: len(hits.hits)]
    assert hits.complete == (not hits.ended) == (hits.next is None and hits.ended != "room")


@given(contents, patterns, st.integers(0, 3), limits(), st.integers(1, 20))
@settings(max_examples=200)
def test_going_on_comes_to_every_hit_or_says_that_it_is_too_long(
    data: bytes, pattern: str, context: int, limits: Limits, most: int
) -> None:
    source, line = Shelf(data), 1
    dealt_with: list[int] = []
    while line <= 400:
        found = search(source, matcher(pattern), start_line=line, most=most)
        hits = render(source, found, context, limits, Bytes().count, pattern)
        dealt_with += [hit.line for hit in hits.hits]
        if found.hits and not hits.hits:
            dealt_with.append(found.hits[0].line)
            assert not hits.text or hits.text.startswith(f"[line {dealt_with[-1]:,} matches and is too long to show")
        if hits.next is None:
            break
        assert hits.next["pattern"] == pattern and hits.next["start"] > line
        line = hits.next["start"]
    wanted = [hit.line for hit in found_in(data, pattern, most=10**6).hits]
    assert dealt_with == [number for number in wanted if number <= 400 or number in dealt_with]


@given(texts(3_000), patterns, st.integers(0, 3))
def test_no_window_cuts_a_unit(text: str, pattern: str, context: int) -> None:
    data = text.encode("utf-8", "surrogatepass")
    found = found_in(data, pattern)
    cuts = safe_cuts(data) | {place for place, byte in enumerate(data) if byte == ord("\n")}
    for start, stop in render(Shelf(data), found, context, Limits(), uncounted, pattern).shown:
        assert start in cuts and stop in cuts


# -- named cases -------------------------------------------------------------------------------------------------------

LINES = "".join(f"line {n}{' ERROR' if n % 100 == 0 else ''}\n" for n in range(1, 1_001)).encode()


def shown(data: bytes, pattern: str, context: int, limits: Limits | None = None, **search_options: int) -> Hits:
    return render(
        Shelf(data), found_in(data, pattern, **search_options), context, limits or Limits(), uncounted, pattern
    )


def test_hits_look_as_grep_shows_them() -> None:
    hits = shown(LINES, "ERROR", 1, most=2)
    assert hits.text == (
        "99-line 99\n100:line 100 ERROR\n101-line 101\n--\n199-line 199\n200:line 200 ERROR\n201-line 201\n"
        "[2 matching lines shown; more: start=300]"
    )
    assert (hits.next, hits.complete, hits.ended) == ({"pattern": "ERROR", "start": 300}, False, "matches")


def test_lines_between_near_hits_are_shown_once() -> None:
    hits = shown(b"a\nb hit\nc\nd hit\ne\nf\n", "hit", 2)
    assert hits.text == "1-a\n2:b hit\n3-c\n4:d hit\n5-e\n6-f\n[2 matching lines; all 6 lines searched]"
    assert hits.complete and hits.next is None


@pytest.mark.parametrize(
    ("pattern", "start", "note"),
    [
        ("nothing", 1, "[no match in 1,000 lines]"),
        ("nothing", 501, "[no match in lines 501-1,000]"),
        ("line 7$", 1, "[1 matching line; all 1,000 lines searched]"),
        ("ERROR", 901, "[1 matching line; lines 901-1,000 searched]"),
        ("ERROR", 2_000, "[past the end: 1,000 lines]"),
    ],
)
def test_note_says_what_was_searched(pattern: str, start: int, note: str) -> None:
    assert shown(LINES, pattern, 0, start=start).note == note


def test_results_that_do_not_fit_are_left_for_the_next_call() -> None:
    hits = shown(LINES, "ERROR", 2, Limits(lines=13))
    assert len(hits) == 2 and hits.ended == "room" and hits.next == {"pattern": "ERROR", "start": 300}
    assert hits.text.endswith("[2 matching lines shown; more: start=300]")


def test_next_repeats_the_other_arguments_of_the_search() -> None:
    found = found_in(LINES, "ERROR", most=1)
    options = {"ignore_case": True, "context": 1}
    hits = render(Shelf(LINES), found, 1, Limits(), uncounted, "ERROR", options)
    assert hits.next == {"pattern": "ERROR", "start": 200, **options}


def test_match_in_a_long_line_is_shown_in_a_window() -> None:
    data = b"short\n" + b"x" * 5_000 + b"needle" + b"y" * 5_000 + b"\nshort\n"
    hits = shown(data, "needle", 1)
    before, after = 5_006 - WINDOW, 5_012 + WINDOW
    line = f"2:[... bytes 6-{before - 1}]{'x' * WINDOW}needle{'y' * WINDOW}[... bytes {after}-10011]"
    assert hits.text.splitlines()[:3] == ["1-short", line, "3-short"]
    assert hits.shown[1] == (before, after)


def test_long_lines_around_a_hit_are_shown_from_their_start() -> None:
    data = b"x" * 5_000 + b"\nhit\n" + b"y" * 300_000
    first, hit, last = shown(data, "hit", 1).text.splitlines()[:3]
    assert first == f"1-{'x' * 2 * WINDOW}[... bytes {2 * WINDOW}-4999]"
    assert hit == "2:hit"
    assert last == f"3-{'y' * 2 * WINDOW}[... bytes {5005 + 2 * WINDOW}-305004]"


def test_long_result_is_shown_with_less_around_it_and_then_passed_over() -> None:
    data = b"x" * 3_000 + b"needle" + b"y" * 3_000 + b"\nneedle\n"
    texts = {most: shown(data, "needle", 2, Limits(chars=most)).text for most in range(1, 1_400)}
    kinds = [
        text and ("passed" if text.startswith("[line 1 matches") else str(text.count("x"))) for text in texts.values()
    ]
    order = list(dict.fromkeys(kinds))
    assert order[:3] == ["", "passed", "1"] and order[3:] == [str(n) for n in sorted(map(int, order[3:]))]
    assert texts[next(n for n, kind in enumerate(kinds, 1) if kind == "passed")] == (
        "[line 1 matches and is too long to show; more: start=2]"
    )
    nothing = shown(data, "needle", 2, Limits(chars=1))
    assert (nothing.next, nothing.note, nothing.complete) == ({"pattern": "needle", "start": 2}, "", False)


def test_last_hit_that_is_passed_over_is_not_called_complete() -> None:
    hits = shown(b"x" * 3_000 + b"needle", "needle", 0, Limits(chars=60))
    assert (hits.text, hits.next, hits.complete) == ("[line 1 matches and is too long to show]", None, False)


def test_window_around_a_match_inside_an_escape_sequence_shows_it_whole() -> None:
    link = b"\x1b]8;;https://example.org/" + b"a" * 600 + b"needle" + b"a" * 600 + b"\x07"
    hits = shown(b"x" * 2_000 + link + b"y" * 2_000, "needle", 0)
    assert hits.shown == ((2_000, 2_000 + len(link)),)


def test_unit_that_ends_out_of_sight_is_cut_between_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK", 101)
    data = b"e" + "\u0301".encode() * 5_000 + b"needle" + b"e" + "\u0301".encode() * 5_000
    ((start, stop),) = shown(data, "needle", 0).shown
    assert data[start:stop].decode().count("needle") == 1
    assert stop - start < 2 * (WINDOW + 101) + 10


@pytest.mark.parametrize(
    ("found", "note", "line"),
    [
        (Found([], 500, "time", 1, 40), "after 500 bytes (5 %); more: start=40]", 40),
        (Found([], 500, "time", 40, 40), "after 500 bytes (5 %)]", None),
    ],
)
def test_search_that_ran_out_of_time_goes_on_unless_one_line_took_it_all(
    found: Found, note: str, line: int | None
) -> None:
    hits = render(Shelf(LINES), found, 2, Limits(), uncounted, "x")
    assert hits.text == f"[0 matching lines; stopped by the time limit {note}"
    assert hits.next == (line and {"pattern": "x", "start": line})
    assert hits.ended == "time" and not hits.complete


def test_line_that_was_hit_before_time_ran_out_is_not_searched_again() -> None:
    found = found_in(LINES, "line 40$")
    hits = render(Shelf(LINES), replace(found, ended="time", line=40), 0, Limits(), uncounted, "x")
    assert hits.next == {"pattern": "x", "start": 41}


def test_hits_of_a_large_output_are_rendered_from_little_of_it() -> None:
    data = LINES * 2_000
    found = found_in(data, "line 500 ", most=10)
    source = Shelf(data, 256 * 1024)
    render(source, found, 2, Limits(chars=8_000), uncounted, "line 500 ")
    assert source.read_bytes < 2_000_000


def test_many_hits_are_rendered_in_time() -> None:
    source = Shelf(LINES * 100, 256 * 1024)
    found = search(source, matcher("line"), most=100_000)
    source.read_bytes = 0
    hits = render(source, found, 2, Limits(chars=8_000), uncounted, "line")
    assert len(hits) > 300 and source.read_bytes < 1_000_000
