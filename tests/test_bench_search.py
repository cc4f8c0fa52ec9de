"""The figure of the search benchmark is the one that it says it is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

pytest.importorskip("semble_grammars", reason="the code index needs penstock[search]")

from bench.search import Target, main, ndcg

from penstock.search.contract import Candidate
from penstock.search.ranking import Ranked


def best(*paths: str) -> list[Ranked]:
    return [Ranked(1.0, Candidate(place, "r", path, "python", 10, 20, (), (), 1.0)) for place, path in enumerate(paths)]


def target(path: str, start: int | None = None, end: int | None = None) -> Target:
    return Target(path, start, end)


def test_target_in_the_first_place_is_all() -> None:
    assert ndcg(best("a.py", "b.py"), [target("a.py")]) == 1


def test_target_further_down_is_worth_less_and_behind_the_tenth_nothing() -> None:
    assert ndcg(best("x.py", "x.py", "a.py"), [target("a.py")]) == pytest.approx(0.5)
    assert ndcg(best(*["x.py"] * 10, "a.py"), [target("a.py")]) == 0


def test_path_matches_by_its_end_in_either_direction_and_by_whole_names() -> None:
    assert ndcg(best("src/a.py"), [target("a.py")]) == ndcg(best("a.py"), [target("src/a.py")]) == 1
    assert ndcg(best("xa.py"), [target("a.py")]) == 0


def test_target_with_lines_has_to_overlap() -> None:
    assert ndcg(best("a.py"), [target("a.py", 20, 25)]) == 1
    assert ndcg(best("a.py"), [target("a.py", 21, 25)]) == 0


def test_two_targets_share_the_ideal() -> None:
    second = 1 / math.log2(3)
    assert ndcg(best("a.py", "b.py"), [target("a.py"), target("b.py")]) == 1
    assert ndcg(best("a.py", "x.py"), [target("a.py"), target("b.py")]) == pytest.approx(1 / (1 + second))


def test_whole_run_prints_ours_beside_the_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels, checkouts = tmp_path / "labels", tmp_path / "checkouts"
    (checkouts / "shop" / "src").mkdir(parents=True)
    labels.mkdir()
    (checkouts / "shop" / "src" / "card.py").write_text("def charge(): ...\n")
    entry = {"name": "shop", "language": "python", "benchmark_root": "src"}
    (labels / "manifest.json").write_text(json.dumps([entry, {"name": "gone", "language": "go"}]))
    (labels / "published_per_repo.json").write_text(json.dumps({"shop": {"semble": 0.75}}))
    query = {
        "repo": "shop",
        "category": "symbol",
        "query": "charge",
        "relevant": [{"path": "card.py"}],
        "secondary": [],
    }
    (labels / "queries.jsonl").write_text(json.dumps(query) + "\n")
    arguments = ["--checkouts", str(checkouts), "--labels", str(labels)]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    total = next(line for line in told.splitlines() if line.startswith("all languages"))
    assert total.split()[2:] == ["1.0000", "0.750"]
    assert "symbol: 1.000 over 1 queries" in told and "left out of all figures: gone" in told
    assert main([*arguments, "--large"]) == 0
    assert "first query" in capsys.readouterr().out
