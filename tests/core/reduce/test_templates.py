"""Lines of the same making."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from core.hurtful import whole_contents
from penstock.core.content import Content
from penstock.core.reduce.lines import Lines
from penstock.core.reduce.templates import Templates, bare, last_said


def keys(*lines: str) -> list[bytes]:
    return Templates("\n".join(lines).encode()).keys


def test_numbers_ids_dates_bars_and_colours_make_no_difference() -> None:
    same = [
        ("took 3 ms", "took  1504 ms"),
        ("2024-03-01T10:00:00Z GET /a", "2025-11-30T23:59:59Z GET /a"),
        ("object 0xdeadbeef freed", "object 0x7f00a1 freed"),
        ("\x1b[32mok\x1b[0m 5", "ok 6"),
        ("[=====>    ]  50%", "[=========>]  99%"),
    ]
    for one, other in same:
        first, second = keys(one, other)
        assert first == second, one


def test_words_make_a_difference_though_they_lose_letters() -> None:
    assert len(set(keys("passed", "failed", "added", "deed: no", "error", "warning"))) == 6


def test_line_that_was_written_over_is_what_it_said_last() -> None:
    made = Templates(b"10%\r20%\rdone\r\n\rkept\rpass\r\r\nplain\r\n")
    assert made.texts == [b"done", b"pass", b"plain"]
    assert made.rewritten == [0, 1]
    assert last_said(b"a\rb\r\r") == b"b"
    assert last_said(b"") == b""


def test_escapes_are_not_seen() -> None:
    assert bare(b"\x1b[1;31merror\x1b[0m\x1b]8;;http://x\x07 at\x1b(B") == b"error at"
    assert bare(b"none") == b"none"


def test_rare_lines_are_known_among_names_that_vary() -> None:
    names = [f"tests/{a}/test_{b}.py::test_{c}_{b} PASSED" for a in "xyz" for b in "klmnop" for c in "qrstuvw"]
    made = Templates("\n".join([*names, "E   assert 1 == 2"]).encode())
    assert made.common[-1] == 1
    assert min(made.common[:-1]) == len(names)
    assert made.counts == [1] * len(made)


def test_first_and_last_of_each_template_are_found() -> None:
    made = Templates(b"get 1\nput 1\nget 2\nput 2\nend\n")
    assert made.firsts == [0, 1, 4]
    assert made.lasts == [2, 3, 4]


def test_runs_are_lines_in_a_row_of_one_template() -> None:
    text = "a\n" + "get 1\nget 2\nget 3\n" + "z\nz\n" + "".join(f"put {n}\n" for n in range(5))
    assert list(Templates(text.encode()).runs()) == [(1, 4), (6, 11)]
    assert list(Templates(text.encode()).runs(least=2)) == [(1, 4), (4, 6), (6, 11)]
    assert list(Templates(b"one\n").runs()) == []
    assert list(Templates(b"").runs()) == []


@given(whole_contents)
def test_every_line_has_a_template(content: Content) -> None:
    made = Templates(content.data)
    assert len(made) == len(Lines(content))
    assert len(made.keys) == len(made.counts) == len(made.common) == len(made)
    assert all(count >= 1 for count in made.common)
    assert all(made.keys.index(key) == line for key, line in made.first_of.items())
    assert made.common == [made.common_of(line) for line in range(len(made))]


@given(st.lists(st.sampled_from(["get 1", "get 2", "put", "", "=="]), max_size=30), st.integers(2, 4))
def test_runs_hold_one_template_and_no_more_would(lines: list[str], least: int) -> None:
    made = Templates("\n".join([*lines, "end"]).encode())
    end = 0
    for first, stop in made.runs(least):
        assert end <= first <= stop - least
        assert len(set(made.keys[first:stop])) == 1
        assert made.keys[stop : stop + 1] != made.keys[first : first + 1]
        assert not first or made.keys[first - 1] != made.keys[first]
        end = stop


def test_ten_times_the_lines_take_ten_times_the_time() -> None:
    def seconds(data: bytes) -> float:
        began = time.process_time()
        made = Templates(data)
        assert made.common
        assert made.first_of
        assert list(made.runs()) is not None
        return time.process_time() - began

    for line in (b"10%\r20%\r" * 20 + b"\n", b"\x1b[1mok\x1b[0m 17 of 20\n", b"\r\n", b" " * 200 + b"\n", b"\r\r\r\r"):
        short = min(seconds(line * 2_000) for _ in range(3))
        assert seconds(line * 20_000) < 30 * short + 0.05


def test_line_of_nothing_but_escapes_is_a_line() -> None:
    assert Templates(b"\x1b[1m\x1b[0m").texts == [b""]
    assert Templates(b"a\n\x1b[0m").texts == [b"a", b""]


def test_time_before_every_line_is_no_part_of_it() -> None:
    stamped = b"".join(b"2031-05-04T10:00:%02d.1234567Z     at %d\n" % (n, n) for n in range(60))
    assert Templates(stamped).texts[:2] == [b"    at 0", b"    at 1"]
    named = b"".join(b"build\tRun make\t2031-05-04T10:00:%02d.1Z at %d\n" % (n, n) for n in range(60))
    assert Templates(b"\n" + named + b"and so on\n").texts[1:3] == [b"at 0", b"at 1"]
    assert Templates(b"2031-05-04T10:00:00.1Z at 1\nb\nc\n").texts[0].startswith(b"2031")


def test_line_that_was_rewritten_keeps_all_that_it_said_last() -> None:
    stamp = b"2031-04-05T06:07:08.1234567Z "
    lines = [stamp + b"line %d of the log" % number for number in range(40)]
    lines[7] = stamp + b"10 %\r" + stamp + b"55 %"
    lines[8] = stamp + b"10 %\r99 % of all that there is to be had"
    lines[9] = b"no stamp here"
    texts = Templates(b"\n".join(lines) + b"\n").texts
    assert texts[6:10] == [b"line 6 of the log", b"55 %", b"99 % of all that there is to be had", b"no stamp here"]
