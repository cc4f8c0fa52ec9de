"""The benchmark measures what it says: its made-up outputs hold what they promise, its reader follows the notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import anomalies, own
from bench.corpus import Item, NoCorpus, kinds_of, load
from bench.reader import follow, merged, words_of
from bench.recall import WITH, WITHOUT, measure, reader_table, table, times
from bench.scoring import Needle
from bench.simple import SIMPLE

from penstock import Gate, Limits, MemoryStore


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_test_run_has_three_failures_in_twelve_thousand_lines(seed: int) -> None:
    run = anomalies.test_run(seed)
    assert run.text.count("\n") == 12_000
    assert run.text.count(" FAILED ") == 3
    assert len(run.odd) == 6 and all(run.text.count(odd) == 1 for odd in run.odd)
    assert 900_000 < len(run.text) < 1_100_000


@pytest.mark.parametrize("layout", ["one line", "pretty", "ndjson"])
def test_records_hold_one_error_one_outlier_and_one_rare_category(layout: anomalies.Layout) -> None:
    found = anomalies.records(3, layout)
    rows = [json.loads(line) for line in found.text.splitlines()] if layout == "ndjson" else json.loads(found.text)
    error, outlier, rare = map(json.loads, found.odd)
    assert len(rows) == 2_000
    assert [row for row in rows if row["error"]] == [error]
    assert [row for row in rows if row["duration_ms"] > 1_000] == [outlier]
    assert [row for row in rows if row["channel"] == "fax"] == [rare]
    assert all(odd in found.text for odd in found.odd)
    assert found.lost(found.text) == []
    assert found.lost(found.odd[1]) == [found.odd[0], found.odd[2]]
    assert len(found.text) > 900_000


def test_search_hits_hold_two_that_are_not_like_the_others() -> None:
    found = anomalies.search_hits(4)
    assert len(found.odd) == 2
    assert found.text.count("\n") == found.text.count("timeout=self.timeout") + 2
    assert 900_000 < len(found.text) < 1_200_000


def item(tmp_path: Path, text: str, needle: str, query: str = "") -> Item:
    path = tmp_path / "output.txt"
    path.write_bytes(text.encode())
    return Item("made", "ci_log", query, path, (Needle(needle),))


LINES = [f"line {number} is like all the others here\n" for number in range(5_000)]


def test_reader_needs_no_call_for_what_is_in_the_view(tmp_path: Path) -> None:
    made = item(tmp_path, "".join(LINES), "line 0 is like")
    assert follow(made, "", 2_000, "Bash").calls == (0,)


def test_reader_reads_first_where_the_notice_says(tmp_path: Path) -> None:
    with Gate(store=MemoryStore()) as gate:
        first = gate.admit("".join(LINES), limits=Limits(chars=2_000)).gaps[0].first_line
    made = item(tmp_path, "".join(LINES), LINES[first - 1] + LINES[first])
    assert follow(made, "", 2_000, "Bash").calls == (1,)


def test_reader_searches_for_the_words_of_its_question_next(tmp_path: Path) -> None:
    lines = [*LINES]
    lines[3_000] = "here stands the flamingo\n"
    made = item(tmp_path, "".join(lines), "here stands the flamingo", "What does the flamingo do?")
    assert follow(made, "", 2_000, "Bash").calls == (2,)


def test_reader_gives_up_after_twenty_calls(tmp_path: Path) -> None:
    lines = [line * 20 for line in LINES]
    lines[3_000] = "here stands the flamingo\n"
    assert follow(item(tmp_path, "".join(lines), "flamingo"), "", 2_000, "Bash").calls == (None,)


def test_words_of_a_question_are_the_long_ones_first() -> None:
    assert words_of("Where is `set_options` defined in the core?") == ["set_options", "defined", "core"]


def test_ranges_that_touch_are_one() -> None:
    assert merged([(5, 9), (0, 3), (3, 4), (8, 12)]) == [(0, 4), (5, 12)]


def test_folder_without_a_manifest_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(NoCorpus, match="has no manifest"):
        load(tmp_path)


@pytest.mark.slow
def test_own_corpus_is_made_once_and_measured(tmp_path: Path) -> None:
    folder = own.build(tmp_path)
    made_at = (folder / "manifest.jsonl").stat().st_mtime_ns
    assert own.build(tmp_path) == folder and (folder / "manifest.jsonl").stat().st_mtime_ns == made_at
    items = load(folder)
    assert {"build_compiler", "test_log", "stack_trace", "json", "table", "server_log"} <= set(kinds_of(items))
    assert all(needle.text in item.text() for item in items for needle in item.needles)
    some = [item for item in items if item.kind in ("table", "stack_trace")]
    ways = (WITH, WITHOUT, *SIMPLE)
    outcomes = [measure(item, [8_000], ways) for item in some]
    assert "macro" in table(outcomes, 8_000, ways)[-3]
    assert "table" in times(outcomes, ways)[2]
    assert "macro" in reader_table([(WITH, follow(item, item.query, 8_000, "Bash")) for item in some], 8_000)[-2]
