"""Results of a search: definitions, odd lines and every file before more of the same."""

from __future__ import annotations

import time

import pytest
from bench.anomalies import search_hits

from core.reduce.shown import view_of
from penstock.core.content import content_of_text
from penstock.core.measure import Size
from penstock.core.reduce import sample_of
from penstock.core.reduce.contract import Ask, Room
from penstock.core.reduce.grep import GREP, fit


def uses(files: int = 40, each: int = 30, path: str = "src/pump/part{}.py") -> list[str]:
    return [
        f"{path.format(f)}:{10 * n + f}:    result = open_valve(pressure={n}, name=names[{f}])"
        for f in range(files)
        for n in range(each)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("asked", [True, False])
def test_two_odd_hits_among_ten_thousand_are_shown(seed: int, asked: bool) -> None:
    planted = search_hits(seed)
    view = view_of(planted.text, 16_000, planted.query if asked else "")
    assert view.kind == "grep"
    assert planted.lost(view.text) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/core/valve.py", "    def open_valve(self, pressure):"),
        ("src/core/valve.go", "func (v *Valve) open_valve(pressure int) error {"),
        ("src/core/valve.rs", "pub(crate) async fn open_valve<T>(pressure: T) -> bool {"),
        ("src/core/valve.c", "static int open_valve(struct valve *v)"),
        ("src/core/valve.java", "    public Valve open_valve(int pressure) {"),
        ("src/core/valve.ts", "export const open_valve = async (pressure: number) => {"),
        ("src/core/valve.h", "#define open_valve(x) shut((x))"),
        ("src/core/valve.sql", "CREATE OR REPLACE FUNCTION open_valve(pressure int)"),
    ],
)
def test_definition_of_what_was_searched_is_shown_first(path: str, line: str) -> None:
    rows = uses()
    rows.insert(777, f"{path}:99:{line}")
    text = view_of("\n".join(rows) + "\n", 1_500).text
    assert f"{path}" in text
    assert f"99:{line}\n" in text


def test_every_file_is_named_with_its_count_where_not_all_of_it_is_shown() -> None:
    text = view_of("\n".join(uses()) + "\n", 8_000).text
    assert all(f"src/pump/part{n}.py (30)\n" in text for n in range(40))
    assert "hidden" in text
    assert "files" not in text.rpartition("hidden")[2]


def test_path_is_shown_once_only_where_that_shows_more() -> None:
    rows = "\n".join(uses()) + "\n"
    compact, verbatim = view_of(rows, 8_000), view_of(rows, 8_000, compact=False)
    assert "Layout changed: paths are shown once" in compact.text
    assert "Layout changed" not in verbatim.text
    assert compact.text.count("open_valve(") > verbatim.text.count("open_valve(")
    assert "src/pump/part0.py:0:    result" in verbatim.text


def test_what_the_question_speaks_of_is_shown_first() -> None:
    rows = uses()
    rows[613] = "src/pump/part20.py:4444:    retry_later(open_valve(pressure=1))"
    assert "4444:    retry_later(" in view_of("\n".join(rows) + "\n", 1_200, "Where is it retried?").text


def test_code_goes_before_tests_and_documents() -> None:
    rows = [*uses(30, 30, "docs/page{}.md"), *uses(30, 30, "tests/test_part{}.py"), *uses(2, 30)]
    assert "src/pump/part1.py" in view_of("\n".join(rows) + "\n", 1_000).text


def test_context_of_a_definition_is_shown_with_it() -> None:
    rows = [row.replace(":", "-", 2) if n % 3 else row for n, row in enumerate(uses())]
    rows[600:603] = [
        "src/pump/part20.py-7-@cached",
        "src/pump/part20.py:8:def open_valve(pressure):",
        "src/pump/part20.py-9-    return locked(pressure)",
    ]
    text = view_of("\n".join(rows) + "\n", 1_500, compact=False).text
    assert "\n".join(rows[600:603]) in text


def test_part_of_a_long_line_around_the_match_is_shown_with_its_path() -> None:
    rows = uses(4, 4)
    rows.append(f"dist/app.js:1:{'x=1;' * 900}call(open_valve);{'y=2;' * 900}")
    for compact in (True, False):
        text = view_of("\n".join(rows) + "\n", 2_500, compact=compact).text
        assert "call(open_valve)" in text
        assert "dist/app.js" in text
        assert len(text) <= 2_500


def test_column_tells_where_in_a_long_line_the_match_is() -> None:
    rows = [f"src/a{n}.js:{n}:4:a(b{n})" for n in range(40)]
    rows.append(f"dist/app.js:1:6001:{'x+1,' * 1_500}HERE(){';y=2' * 900}")
    assert "HERE()" in view_of("\n".join(rows) + "\n", 900).text


def test_what_a_tool_says_around_the_hits_is_shown() -> None:
    text = "Found 1200 matches\n" + "\n".join(uses()) + "\n(Results are truncated)\n"
    shown = view_of(text, 1_000).text
    assert shown.startswith("Found 1200 matches\n")
    assert "(Results are truncated)" in shown


def test_heading_of_a_file_is_shown_above_its_hits() -> None:
    text = "\n".join(
        f"src/part{f}.py\n" + "".join(f"{n}:    open_valve({n})\n" for n in range(1, 30)) for f in range(40)
    )
    text += "\nsrc/core.py\n7:def open_valve(pressure):\n8-    pass\n"
    shown = view_of(text, 1_500)
    assert shown.kind == "grep"
    assert "src/core.py\n7:def open_valve(pressure):\n" in shown.text


def test_hits_without_numbers_or_path_are_shown_too() -> None:
    bare = "".join(f"src/part{n // 9}.py:    open_valve({n})\n" for n in range(400))
    alone = "".join(f"{n}:    open_valve({n})\n" for n in range(400))
    for text in (bare, alone):
        choice = GREP.reduce(content_of_text(text), Ask()).choose(Room(900, None, None, Size(20, 1, 20)))
        assert choice.shown[1] > 10


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"src/a.py:{n}:5: E501 Line too long ({n} > 120)\n" for n in range(100, 160)),
        "".join(f"src/a.c:{n}:5: error: expected ';'\n" for n in range(100, 160)),
        "".join(f"2026-03-02 10:{n}:11 INFO pump.valve: opened\n" for n in range(10, 60)),
        "".join(f"10:{n}:11 opened a valve\n" for n in range(10, 60)),
        "".join(f"{n}, the valve: it is open\n" for n in range(60)),
        "a:1:b\n",
        "",
    ],
)
def test_logs_and_diagnoses_are_left_to_other_kinds(text: str) -> None:
    assert fit(sample_of(content_of_text(text), "text")) < 0.5


def test_hits_in_colours_are_read_and_shown_with_them() -> None:
    rows = [row.replace("open_valve", "\x1b[1;31mopen_valve\x1b[m") for row in uses()]
    rows.append("dist/a.js:1:" + "x+1;" * 300 + "\x1b[31mopen_valve\x1b[m" + "y=2;" * 300)
    rows.append("\x1b[35msrc/core.py\x1b[m:\x1b[32m9\x1b[m:def \x1b[1;31mopen_valve\x1b[m(x):")
    view = view_of("\n".join(rows) + "\n", 3_000)
    assert view.kind == "grep"
    assert "Layout changed" not in view.text
    assert rows[-1] in view.text


def test_cost_of_long_hits_grows_with_their_number() -> None:
    def seconds(number: int) -> float:
        content = content_of_text("".join(f"a.js:{n}:{'x+1;' * 150}open_valve()\n" for n in range(number)))
        began = time.process_time()
        GREP.reduce(content, Ask("pressure")).choose(Room(4_000, None, None, Size(20, 1, 20)))
        return time.process_time() - began

    once = min(seconds(800) for _ in range(3))
    assert seconds(8_000) < 30 * once
