"""The benchmark's scorer agrees with the one that comes with the corpus, which was written by others."""

from __future__ import annotations

import importlib.util
import json
import os
from types import ModuleType
from typing import Any

import pytest
from bench.corpus import load
from bench.recall import view_of
from bench.scoring import Needle, Score, missing, needles_of, score
from bench.simple import SIMPLE

from strategies import bench_items

CORPUS = bench_items(os.environ).parent


def relaid(kind: str, needle: str, shown: str) -> Score:
    return score(kind, [Needle(needle)], shown)


def test_needle_as_it_is_counts_as_verbatim_and_kept() -> None:
    assert score("ci_log", [Needle("b c"), Needle("x", ("a ",))], "a b c") == Score(1.0, 1.0)


def test_needle_with_other_white_space_colour_or_escapes_is_kept_but_not_verbatim() -> None:
    shown = '{"out": "E  \\"x\\"\\n\x1b[31m  is\\ty"}'
    assert score("ci_log", [Needle('E "x"\nis y')], shown) == Score(0.0, 1.0)


def test_record_without_its_keys_is_kept_where_its_values_stand_together() -> None:
    record = '{"id": "abc-1", "n": 12, "on": true, "no": null, "tags": ["red", ""]}'
    assert relaid("json", record, "7\tabc-1\t12\tred\n") == Score(0.0, 1.0)
    assert relaid("json", record, "7\tabc-1\t12\t\n") == Score(0.0, 0.0)
    assert relaid("json", record, "abc-1 12 " + "." * 1_000 + "red") == Score(0.0, 0.0)
    assert relaid("json", "no record", "abc") == Score(0.0, 0.0)


def test_hit_under_its_path_is_kept_with_its_line_number_only() -> None:
    hit = "src/a.py:12:    def run(self):"
    assert relaid("grep", hit, "src/a.py\n  12: def run(self):\n") == Score(0.0, 1.0)
    assert relaid("grep", hit, "src/a.py\n  112: def run(self):\n") == Score(0.0, 0.0)
    assert relaid("grep", hit, "src/b.py\n  12: def run(self):\n") == Score(0.0, 0.0)


def test_listed_file_under_its_folder_is_kept() -> None:
    entry = "100644 blob 84b6 117\tsrc/core/variable.py"
    assert relaid("listing", entry, "src/core/\n  other.py\n  variable.py\n") == Score(0.0, 1.0)
    assert relaid("listing", entry, "src/\n  variable.py\n") == Score(0.0, 0.0)


def test_needle_over_the_longest_does_not_count() -> None:
    row = {"needles": [{"text": "a" * 4_001, "chars": 4_001}, {"text": "b", "chars": 1, "lines": [3, 3]}]}
    assert needles_of(row) == [Needle("b", (), (3, 3))]


def test_missing_needles_are_those_that_are_not_kept() -> None:
    lost = Needle("nowhere")
    assert missing("grep", [Needle("a b"), Needle("ab"), lost], "a b") == [lost]


@pytest.mark.parametrize("way", SIMPLE)
@pytest.mark.parametrize("room", [100, 101, 250, 1_000])
def test_simple_way_stays_within_its_room(way: str, room: int) -> None:
    for text in ("x" * 5_000, "an error\n" * 900, "\n" * 3_000, "line\n" * 400 + "y" * 2_000):
        shown = SIMPLE[way](text, room)
        assert len(shown) <= room
        assert "left out" in shown


@pytest.mark.parametrize("way", SIMPLE)
def test_simple_way_leaves_what_fits_as_it_is(way: str) -> None:
    assert SIMPLE[way]("short\n", 100) == "short\n"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    path = CORPUS / "score.py"
    if not path.is_file():
        pytest.skip("the corpus with its scorer is not on this machine")
    spec = importlib.util.spec_from_file_location("corpus_score", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def some_rows() -> list[dict[str, Any]]:
    """At most six of a kind, spread over the corpus."""
    of_kind: dict[str, list[dict[str, Any]]] = {}
    for line in (CORPUS / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        of_kind.setdefault(row["kind"], []).append(row)
    return [row for rows in of_kind.values() for row in rows[:: len(rows) // 6 + 1]]


def test_scorer_agrees_with_the_corpus_own_on_real_views(reference: ModuleType) -> None:
    rows = some_rows()
    items = {item.id: item for item in load(CORPUS)}
    compared = 0
    for row in rows:
        theirs_counts = reference.score(row, "") is not None
        assert theirs_counts == (row["id"] in items)
        if not theirs_counts:
            continue
        item = items[row["id"]]
        text = item.text()
        view, _ = view_of(text, item.query, 16_000)
        # Layouts of other kinds than any view has today: one line of JSON, columns, and a tree.
        relaid_texts = [json.dumps(text[:40_000]), text[:40_000].replace('"', "").replace("/", "/\n"), text]
        for shown in [view.text, SIMPLE["regex"](text, 8_000), *relaid_texts]:
            mine = score(item.kind, item.needles, shown)
            assert (mine.verbatim, mine.kept) == pytest.approx(reference.score(row, shown)), item.id
            compared += 1
    assert compared > 100
