"""Filling a room with lines of a log by their worth."""

from __future__ import annotations

from penstock.core.content import Content, Hole, Span, content_of_bytes
from penstock.core.measure import Size
from penstock.core.reduce.alarms import PLAIN, Alarm
from penstock.core.reduce.by_worth import LogView
from penstock.core.reduce.contract import Ask, Choice, Room, Tally
from penstock.core.reduce.templates import Templates

MARK = Size(20, 1, 20)
LINES = [f"{n:03}: the {('pond', 'pool', 'gauge')[n % 3]} stands at {n * 17 % 41} feet\n" for n in range(200)]


def view(content: Content, worth: dict[int, float], query: str = "", alarms: tuple[Alarm, ...] = ()) -> LogView:
    return LogView(content, Ask(query), Templates(content.data), worth, alarms)


def room(chars: int) -> Room:
    return Room(chars, None, None, MARK)


def shown(content: Content, choice: Choice) -> str:
    return "|".join(content.text(span) for span in choice.spans)


def test_worthy_lines_are_shown_before_others_and_the_rest_from_the_end() -> None:
    content = content_of_bytes("".join(LINES).encode())
    text = shown(content, view(content, {7: 1.0, 40: 2.0}).choose(room(260)))
    assert LINES[7] in text
    assert LINES[40] in text
    assert text.endswith("|" + "".join(LINES[-4:]))


def test_rare_lines_go_before_common_ones_when_nothing_is_worth_more() -> None:
    lines = [*LINES[:50], "who opened the sluice?\n", *LINES[50:]]
    content = content_of_bytes("".join(lines).encode())
    assert "sluice" in shown(content, view(content, {}).choose(room(260)))


def test_what_was_asked_is_shown_and_leaves_room_for_what_matters_anyway() -> None:
    lines = list(LINES)
    for place in range(0, 200, 5):
        lines[place] = f"{place:03}: the spillway of pond {place} ran\n"
    lines[3] = "003: a gate broke\n"
    content = content_of_bytes("".join(lines).encode())
    text = shown(content, view(content, {3: 4.0}, "what of the spillway?").choose(room(400)))
    assert "gate broke" in text
    assert text.count("spillway") >= 2
    without = view(content, {3: 4.0}, "why did this build fail?").choose(room(400))
    assert without == view(content, {3: 4.0}).choose(room(400)), "every question to a log says as much"


def test_gap_in_a_run_tells_how_many_repeats_it_hides() -> None:
    lines = ["a start\n", *(f"tick {n}\n" for n in range(90)), "the end\n"]
    content = content_of_bytes("".join(lines).encode())
    choice = view(content, {0: 9.0, 1: 8.0, 91: 8.0, 90: 7.0}).choose(room(52))
    assert [content.text(span) for span in choice.spans] == ["a start\ntick 0\n", "tick 89\nthe end\n"]
    assert choice.hidden == {1: Tally("repeats", 88)}
    choice = view(content, {0: 9.0, 91: 8.0}).choose(room(40))
    assert choice.hidden == {}, "the line that is repeated is hidden too"


def test_repeats_are_shown_when_all_else_is() -> None:
    lines = ["a start\n", *(f"tick {n}\n" for n in range(90)), *LINES[:3], "the end\n"]
    content = content_of_bytes("".join(lines).encode())
    text = shown(content, view(content, {0: 9.0}).choose(room(250)))
    assert "".join(LINES[:3]) in text
    assert text.startswith("a start\ntick 0\n")
    assert "tick 89" in text


def test_gap_at_a_hole_tells_of_no_repeats() -> None:
    data = b"a start\n" + b"tick 5\n" * 9 + b"the end\n"
    content = Content(data, Size(999, 99, 999), holes=(Hole(36, 900, 90, True),))
    assert view(content, {0: 9.0, 1: 8.0, 10: 8.0, 9: 7.0}).choose(room(95)).hidden == {}


def test_long_line_is_shown_around_the_word_that_tells() -> None:
    data = b"x " * 4_000 + b"error: no pump" + b" y" * 4_000 + b"\nbye\n"
    content = content_of_bytes(data)
    choice = view(content, {0: 2.0}, alarms=(Alarm(0, PLAIN, b"error:"),)).choose(room(2_000))
    assert "error: no pump" in shown(content, choice)
    assert choice.spans[0].stop - choice.spans[0].start <= 300


def test_long_line_that_was_written_over_is_shown_by_what_it_said_last() -> None:
    bar = b"".join(b"%d%% of the pool\r" % n for n in range(100))
    content = content_of_bytes(b"one\n" + bar + b"the pool is full\r\n" + LINES[0].encode())
    made = view(content, {1: 2.0})
    full = Span(4 + len(bar), 4 + len(bar) + len("the pool is full\r\n"))
    assert made.choose(room(60)).spans == made.choose(room(61)).spans == [full]
    long = content_of_bytes(b"one\n" + bar + b"full " * 200 + b"\nbye\n")
    assert 4 + len(bar) in {span.start for span in view(long, {1: 2.0}).choose(room(400)).spans}


def test_line_that_cannot_be_parted_is_shown_whole_or_not() -> None:
    cluster = ("e" + "\u0301" * 400).encode()
    content = content_of_bytes(b"one\n" + cluster + b"\nbye\n")
    whole = view(content, {1: 2.0}).choose(room(600))
    assert whole.spans == [Span(0, len(content.data))]
    assert all(start < stop for start, stop in view(content, {1: 2.0}).choose(room(60)).spans)


def test_lines_that_are_shown_are_counted() -> None:
    content = content_of_bytes("".join(LINES).encode())
    made = view(content, {7: 1.0, 40: 2.0})
    choice = made.choose(room(140))
    assert made.shown_of([7, 40, 80], choice) == 2
    assert made.shown_of([0], Choice([])) == 0


def test_units_are_a_sequence() -> None:
    content = content_of_bytes(b"a\nb\nc")
    made = view(content, {})
    made.choose(room(90))
    (units,) = made._units.values()
    assert list(units) == [Span(0, 2), Span(2, 4), Span(4, 5)]
    assert units[1:] == [Span(2, 4), Span(4, 5)]
    assert units[-1] == Span(4, 5)
