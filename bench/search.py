"""`python -m bench.search`: how well `search_code` finds what labelled queries ask for, beside published figures.

Sources are checked out by whoever calls, each repository at its pinned revision into `PENSTOCK_BENCH_REPOS/<name>`. The
labels are a folder with `manifest.json` (name, language, the folder that is searched), `queries.jsonl` and
`published_per_repo.json`. Repositories that are not checked out are named and left out, of the published figures too.

The figure is NDCG@10 over chunks: a target counts at the first chunk of its file, which has to overlap its lines where
the label has some; gains are 0 or 1; means are over queries, then repositories, then languages. `--baseline` puts
simpler ways beside it (`search_baselines` says which), `--bundled` searches with the bundled model's vectors too.
`--large` asks the same queries of one index over all checkouts, for the times and the memory of a large project.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bench.memory import peak
from bench.peers.environments import Unavailable
from bench.search_baselines import BASELINES, SEMBLE, Baselines, by_semble
from penstock.search.code_search import CodeSearch
from penstock.search.embedder import Embedder
from penstock.search.indexing import Report, index_tree
from penstock.search.ranking import Ranked

REPOS_VARIABLE = "PENSTOCK_BENCH_REPOS"
LABELS = Path(__file__).parents[2] / "shared" / "code-bench"
PEERS = {"semble": "semble", "CRE hybrid": "CodeRankEmbed+hybrid", "BM25+rank": "BM25+rank", "BM25": "BM25-raw"}
LOOKED_AT = 10


class Target(NamedTuple):
    path: str
    start: int | None
    end: int | None


class Asked(NamedTuple):
    text: str
    category: str
    targets: tuple[Target, ...]


class Repo(NamedTuple):
    name: str
    language: str
    root: Path
    published: dict[str, float]


@dataclass
class Outcome:
    repo: Repo
    report: Report
    scores: list[tuple[Asked, float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    measured: dict[str, list[float]] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return statistics.fmean(score for _, score in self.scores)

    def of(self, column: str) -> float:
        """What another way gave, published or measured; nan where it is not known."""
        if column in self.measured:
            return statistics.fmean(self.measured[column])
        return self.repo.published.get(PEERS.get(column, column), math.nan)


# -- the labels --------------------------------------------------------------------------------------------------------


def repos_of(labels: Path, checkouts: Path) -> tuple[list[Repo], list[str]]:
    """Those that are checked out, and the names of the others."""
    published = json.loads((labels / "published_per_repo.json").read_text())
    there, missing = [], []
    for entry in json.loads((labels / "manifest.json").read_text()):
        root = checkouts / entry["name"] / (entry.get("benchmark_root") or "")
        if root.is_dir():
            there.append(Repo(entry["name"], entry["language"], root, published.get(entry["name"], {})))
        else:
            missing.append(entry["name"])
    return there, missing


def queries_of(labels: Path) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for line in (labels / "queries.jsonl").read_text().splitlines():
        query = json.loads(line)
        targets = tuple(
            Target(target["path"], target.get("start_line"), target.get("end_line"))
            for target in (*query["relevant"], *query["secondary"])
        )
        found.setdefault(query["repo"], []).append(Asked(query["query"], query["category"], targets))
    return found


# -- the figure --------------------------------------------------------------------------------------------------------


def ndcg(best: Sequence[Ranked], targets: Sequence[Target]) -> float:
    gained = set()
    for target in targets:
        place = next((at for at, one in enumerate(best[:LOOKED_AT]) if hits(one, target)), None)
        if place is not None:
            gained.add(place)
    ideal = sum(_worth(place) for place in range(min(LOOKED_AT, len(targets))))
    return sum(map(_worth, gained)) / ideal


def hits(one: Ranked, target: Target) -> bool:
    found = one.candidate
    ours, theirs = f"/{found.path}", f"/{target.path}"
    if not (ours.endswith(theirs) or theirs.endswith(ours)):
        return False
    if target.start is None or target.end is None:
        return True
    return found.start_line <= target.end and target.start <= found.end_line


def _worth(place: int) -> float:
    return 1 / math.log2(place + 2)


def measure(
    repo: Repo, queries: Iterable[Asked], folder: Path, *, baseline: bool = False, embedder: Embedder | None = None
) -> Outcome:
    with CodeSearch(folder, embedder=embedder) as search:
        made = search.projects.made(repo.name)
        outcome = Outcome(repo, index_tree(made, repo.root, repo.name, embedder=embedder))
        made.close()
        index = search.projects.opened(repo.name)
        simpler = Baselines(index, repo.name) if baseline else None
        for asked in queries:
            began = time.perf_counter()
            best = search.best(index, asked.text)
            outcome.seconds.append(time.perf_counter() - began)
            outcome.scores.append((asked, ndcg(best, asked.targets)))
            for name, found in simpler.ranked(asked.text, LOOKED_AT).items() if simpler else ():
                outcome.measured.setdefault(name, []).append(ndcg(found, asked.targets))
    return outcome


def measure_semble(outcome: Outcome) -> str:
    """Beside what was measured of ours; why not, where it cannot be had."""
    asked = [one for one, _ in outcome.scores]
    found = by_semble(outcome.repo.root, [one.text for one in asked], LOOKED_AT)
    if isinstance(found, Unavailable):
        return found.reason
    outcome.measured[SEMBLE] = [ndcg(best, one.targets) for best, one in zip(found, asked, strict=True)]
    return ""


def by_language(outcomes: Sequence[Outcome], figure: Callable[[Outcome], float]) -> dict[str, float]:
    languages = sorted({outcome.repo.language for outcome in outcomes})
    return {name: statistics.fmean(figure(o) for o in outcomes if o.repo.language == name) for name in languages}


# -- the tables --------------------------------------------------------------------------------------------------------


def table(outcomes: Sequence[Outcome]) -> list[str]:
    columns = [name for name in (*BASELINES, SEMBLE, *PEERS) if any(not math.isnan(o.of(name)) for o in outcomes)]
    lines = [_row("repository", "language", "files", "chunks", "queries", "index s", "NDCG@10", *columns)]
    for outcome in outcomes:
        report = outcome.report
        sizes = (f"{report.indexed}", f"{report.chunks}", f"{len(outcome.scores)}", f"{report.seconds:.1f}")
        others = (_told(outcome.of(name)) for name in columns)
        lines.append(_row(outcome.repo.name, outcome.repo.language, *sizes, f"{outcome.mean:.3f}", *others))
    ours = by_language(outcomes, lambda outcome: outcome.mean)
    theirs = {name: by_language(outcomes, _column(name)) for name in columns}
    lines.append("")
    for language, figure in ours.items():
        others = (_told(theirs[name][language]) for name in columns)
        lines.append(_row("", language, *[""] * 4, f"{figure:.3f}", *others))
    totals = (_told(statistics.fmean(theirs[name].values())) for name in columns)
    lines.append(_row("all languages", "", *[""] * 4, f"{statistics.fmean(ours.values()):.4f}", *totals))
    return [*lines, "", *_categories(outcomes), *_times(outcomes)]


def _column(name: str) -> Callable[[Outcome], float]:
    return lambda outcome: outcome.of(name)


def _told(figure: float) -> str:
    return "-" if math.isnan(figure) else f"{figure:.3f}"


def _row(name: str, language: str, *cells: str) -> str:
    return f"{name:<22}{language:<12}" + "".join(f"{cell:>13}" for cell in cells)


def _categories(outcomes: Sequence[Outcome]) -> list[str]:
    """Ours, then those of the other ways that were measured here."""
    scores: dict[str, dict[str, list[float]]] = {}
    for outcome in outcomes:
        for place, (asked, score) in enumerate(outcome.scores):
            ways = {"": score} | {name: found[place] for name, found in outcome.measured.items()}
            for name, one in ways.items():
                scores.setdefault(asked.category, {}).setdefault(name, []).append(one)
    lines = []
    for category, found in sorted(scores.items()):
        ours, *others = ((name, statistics.fmean(way)) for name, way in found.items())
        told = "".join(f"; {name} {figure:.3f}" for name, figure in others)
        lines.append(f"{category}: {ours[1]:.3f} over {len(found[''])} queries{told}")
    return lines


def _times(outcomes: Sequence[Outcome]) -> list[str]:
    files = sum(outcome.report.indexed for outcome in outcomes)
    seconds = sum(outcome.report.seconds for outcome in outcomes)
    asked = [second for outcome in outcomes for second in outcome.seconds]
    return [
        f"indexed {files:,} files in {seconds:.1f} s: {60 * files / seconds:,.0f} a minute",
        f"a query took {told_times(asked)}; most memory {peak():,.0f} MB",
    ]


def told_times(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"{1000 * ordered[len(ordered) // 2]:.1f} ms (p50), {1000 * ordered[int(0.95 * len(ordered))]:.1f} ms (p95)"


def missed(outcomes: Sequence[Outcome]) -> list[str]:
    return [
        f"{score:.2f} {outcome.repo.name}: {asked.text} -> {', '.join(target.path for target in asked.targets)}"
        for outcome in outcomes
        for asked, score in outcome.scores
        if score < 0.5
    ]


# -- one large index ---------------------------------------------------------------------------------------------------


def large(root: Path, queries: Sequence[str], folder: Path, embedder: Embedder | None = None) -> list[str]:
    """One project of all that is in a folder; the whole of `search_code` is timed, packing too."""
    with CodeSearch(folder, embedder=embedder) as search:
        made = search.projects.made("large")
        report = index_tree(made, root, "large", embedder=embedder)
        made.close()
        times, processor = [], []
        for query in (queries[0], *queries, *queries):
            began, used = time.perf_counter(), time.process_time()
            search.search_code(query, "large")
            times.append(time.perf_counter() - began)
            processor.append(time.process_time() - used)
    warm = len(queries) + 1
    return [
        f"{report.indexed:,} files, {report.chunks:,} chunks in {report.seconds:.0f} s: "
        f"{60 * report.indexed / report.seconds:,.0f} files a minute; left out: {dict(report.left_out)}",
        f"first query {1000 * times[0]:.0f} ms; warm {told_times(times[warm:])}, of which on the processor "
        f"{told_times(processor[warm:])}; most memory {peak():,.0f} MB",
    ]


def bundled() -> Embedder:
    from penstock.search.static_embedder import StaticEmbedder

    return StaticEmbedder()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__.partition("\n")[0])
    parser.add_argument("--checkouts", type=Path, default=os.environ.get(REPOS_VARIABLE), help=f"or {REPOS_VARIABLE}")
    parser.add_argument("--labels", type=Path, default=LABELS, help="manifest, queries and published figures")
    parser.add_argument("--repo", action="append", help="only this one; may be repeated")
    parser.add_argument("--baseline", action="store_true", help="simpler ways beside it")
    parser.add_argument("--semble", action="store_true", help="semble without its model beside it; installs it once")
    parser.add_argument("--missed", action="store_true", help="the queries that score less than a half")
    parser.add_argument("--bundled", action="store_true", help="with the vectors of the bundled model")
    parser.add_argument("--large", action="store_true", help="only: one index over all checkouts")
    given = parser.parse_args(arguments)
    if given.checkouts is None:
        parser.error(f"name the folder of the checkouts: --checkouts DIR or {REPOS_VARIABLE}")
    repos, missing = repos_of(given.labels, given.checkouts)
    repos = [repo for repo in repos if not given.repo or repo.name in given.repo]
    if not repos:
        parser.error(f"none of the repositories of {given.labels} is checked out in {given.checkouts}")
    queries = queries_of(given.labels)
    embedder = bundled() if given.bundled else None
    with tempfile.TemporaryDirectory() as folder:
        if given.large:
            texts = [asked.text for repo in repos for asked in queries[repo.name]]
            print("\n".join(large(given.checkouts, texts, Path(folder), embedder)))
            return 0
        outcomes = [
            measure(repo, queries[repo.name], Path(folder), baseline=given.baseline, embedder=embedder)
            for repo in repos
        ]
    reasons = {measure_semble(outcome) for outcome in outcomes} - {""} if given.semble else set()
    print("\n".join([*table(outcomes), *(missed(outcomes) if given.missed else [])]))
    for reason in reasons:
        print(f"semble: {reason}")
    if missing:
        print(f"not checked out, and left out of all figures: {', '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
