"""`python -m bench.recall`: what a view keeps of what matters, by kind of output and by budget.

Every item of a corpus is admitted by a gate as users build it, once with its question and once without any. The share
of its needles that stand in the view counts (see `bench.scoring`), beside the same for the simple ways to cut. A
figure is the mean over the items of a kind; the last row is the mean over the kinds. What is over its budget counts
as nothing kept.
"""

import argparse
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench import own
from bench.corpus import Item, NoCorpus, kinds_of, load
from bench.peers.environments import home
from bench.reader import MOST_CALLS, Reached, follow
from bench.scoring import Score, missing, score
from bench.simple import SIMPLE
from penstock import Gate, Limits, MemoryStore, Settings, View

BUDGETS = (8_000, 16_000, 32_000)
"""Characters with the notice: about 2k, 4k and 8k tokens."""

READER_BUDGET = 16_000

TOOL = "Bash"
CORPUS_VARIABLE = "PENSTOCK_BENCH_CORPUS"
WITH, WITHOUT = "with query", "no query"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mark:
    """One way to cut, one item, one budget."""

    way: str
    budget: int
    score: Score
    over: int = 0  # characters over the budget
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    item: Item
    size: int
    marks: tuple[Mark, ...]


def new_gate() -> Gate:
    """A gate as users build it, without what the settings of this machine may say, and with nothing kept yet."""
    return Gate(settings=Settings(), store=MemoryStore())


def view_of(text: str, query: str, budget: int) -> tuple[View, float]:
    """The view, and the seconds that it took."""
    with new_gate() as gate:
        began = time.perf_counter()
        view = gate.admit(text, tool=TOOL, query=query, limits=Limits(chars=budget))
        return view, time.perf_counter() - began


def measure(item: Item, budgets: Sequence[int], ways: Sequence[str]) -> Outcome:
    text = item.text()
    marks = []
    for budget in budgets:
        for way in ways:
            if way in SIMPLE:
                shown, seconds = SIMPLE[way](text, budget), 0.0
            else:
                view, seconds = view_of(text, item.query if way == WITH else "", budget)
                shown = view.text
            over = max(0, len(shown) - budget)
            marks.append(Mark(way, budget, score(item.kind, item.needles, "" if over else shown), over, seconds))
    return Outcome(item, len(text.encode("utf-8", "surrogatepass")), tuple(marks))


def run(items: Sequence[Item], budgets: Sequence[int], ways: Sequence[str], jobs: int) -> list[Outcome]:
    return _over(items, partial(measure, budgets=budgets, ways=ways), jobs)


def run_reader(items: Sequence[Item], budget: int, ways: Sequence[str], jobs: int) -> list[tuple[str, Reached]]:
    return [(way, found) for way in ways for found in _over(items, partial(_followed, budget=budget, way=way), jobs)]


def _followed(item: Item, budget: int, way: str) -> Reached:
    return follow(item, item.query if way == WITH else "", budget, TOOL)


def _over(items: Sequence[Item], work: Callable[[Item], T], jobs: int) -> list[T]:
    if jobs == 1:
        return [work(item) for item in items]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(work, items, chunksize=4))


# -- the table ---------------------------------------------------------------------------------------------------------


def mean(outcomes: Iterable[Outcome], way: str, budget: int, figure: Callable[[Score], float]) -> float:
    return statistics.fmean(
        figure(mark.score)
        for outcome in outcomes
        for mark in outcome.marks
        if mark.way == way and mark.budget == budget
    )


def by_kind(outcomes: Sequence[Outcome], way: str, budget: int, figure: Callable[[Score], float]) -> dict[str, float]:
    kinds = kinds_of(outcome.item for outcome in outcomes)
    return {kind: mean([o for o in outcomes if o.item.kind == kind], way, budget, figure) for kind in kinds}


def table(outcomes: Sequence[Outcome], budget: int, ways: Sequence[str]) -> list[str]:
    """Ours as kept, and verbatim in brackets; the simple ways as kept, which for them is the same or nearly."""
    kept = {way: by_kind(outcomes, way, budget, lambda s: s.kept) for way in ways}
    exact = {way: by_kind(outcomes, way, budget, lambda s: s.verbatim) for way in ways}
    counts = {kind: sum(o.item.kind == kind for o in outcomes) for kind in kinds_of(o.item for o in outcomes)}
    ours = [way for way in ways if way not in SIMPLE]
    others = [way for way in ways if way in SIMPLE]
    heading = f"{budget:,} characters".ljust(19) + "items" + "".join(f"{way:>15}" for way in ours)
    lines = [heading + "".join(f"{way:>11}" for way in others)]

    def row(name: str, count: int, figure: Callable[[dict[str, float]], float]) -> str:
        cells = "".join(f"{figure(kept[way]):>9.3f} {f'({figure(exact[way]):.2f})':>5}"[-15:] for way in ours)
        rest = "".join(f"{figure(kept[way]):>11.3f}" for way in others)
        best = max((figure(kept[way]) for way in others), default=0.0)
        behind = [way for way in ours if figure(kept[way]) < best - 1e-9]
        said = f"  below the best simple: {', '.join(behind)}" if behind and name != "macro" else ""
        return f"{name:<19}{count:>5}{cells}{rest}{said}"

    lines += [row(kind, count, lambda figures, kind=kind: figures[kind]) for kind, count in counts.items()]
    lines.append(row("macro", len(outcomes), lambda figures: statistics.fmean(figures.values())))
    over = sum(mark.over > 0 for outcome in outcomes for mark in outcome.marks if mark.budget == budget)
    return [*lines, f"over the budget: {over}", ""]


def times(outcomes: Sequence[Outcome], ways: Sequence[str]) -> list[str]:
    ours = [way for way in ways if way not in SIMPLE]
    lines = ["time to admit".ljust(19) + "   MB" + "".join(f"{way + ', ms/MB':>22}{'worst item':>16}" for way in ours)]
    for kind in kinds_of(o.item for o in outcomes):
        chosen = [o for o in outcomes if o.item.kind == kind]
        megabytes = sum(o.size for o in chosen) / 1e6
        cells = ""
        for way in ours:
            spent = [(statistics.median(m.seconds for m in o.marks if m.way == way), o.size / 1e6) for o in chosen]
            total = sum(seconds for seconds, _ in spent)
            # What any admission costs would make a small item look like a slow kind.
            worst = max(seconds / max(size, 0.1) for seconds, size in spent)
            cells += f"{total / megabytes * 1e3:>22.1f}{worst * 1e3:>16.1f}"
        lines.append(f"{kind:<19}{megabytes:>5.1f}{cells}")
    return [*lines, ""]


def reader_table(reached: Sequence[tuple[str, Reached]], budget: int) -> list[str]:
    """Shares of needles, the mean over the items of a kind, and over the kinds in the last row."""
    steps = (0, 1, 3, 10, MOST_CALLS)
    lines = [f"Needles reached from a view of {budget:,} characters, by calls that its notice leads to"]
    for way in dict.fromkeys(way for way, _ in reached):
        of_way = [found for its_way, found in reached if its_way == way]
        lines.append(
            f"{way:<19}items" + "".join(f"{said:>10}" for said in ("in view", *(f"<= {n}" for n in steps[1:])))
        )
        rows = []
        for kind in kinds_of(found.item for found in of_way):
            chosen = [found for found in of_way if found.item.kind == kind]
            rows.append([statistics.fmean(found.share(step) for found in chosen) for step in steps])
            lines.append(f"{kind:<19}{len(chosen):>5}" + "".join(f"{share:>10.3f}" for share in rows[-1]))
        macro = [statistics.fmean(column) for column in zip(*rows, strict=True)]
        lines += [f"{'macro':<19}{len(of_way):>5}" + "".join(f"{share:>10.3f}" for share in macro), ""]
    return lines


# -- one item ----------------------------------------------------------------------------------------------------------


def show_missing(items: Sequence[Item], budgets: Sequence[int], ways: Sequence[str]) -> None:
    for item in items:
        text = item.text()
        for budget in budgets:
            for way in ways:
                view, _ = view_of(text, item.query if way == WITH else "", budget)
                lost = missing(item.kind, item.needles, view.text)
                if lost:
                    head = f"{item.id} ({item.kind}) {budget:,} {way}: {len(lost)} of {len(item.needles)} missing"
                    print(f"{head}\n    query: {item.query}\n    file:  {item.path}\n    kind seen: {view.kind}")
                for needle in lost:
                    where = "{}-{}".format(*needle.lines) if needle.lines else "?"
                    print(f"    line {where}: {needle.text[:80]!r}")


def show(items: Sequence[Item], budgets: Sequence[int], ways: Sequence[str]) -> None:
    for item in items:
        for budget in budgets:
            for way in ways:
                view, seconds = view_of(item.text(), item.query if way == WITH else "", budget)
                mark = score(item.kind, item.needles, view.text)
                print(
                    f"=== {item.id}, {budget:,} characters, {way} ({item.query if way == WITH else ''}): kept"
                    f" {mark.kept:.2f}, verbatim {mark.verbatim:.2f}, {len(view.text):,} characters,"
                    f" {seconds * 1e3:.1f} ms, {view.kind}"
                )
                print(view.text)


# -- the command -------------------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--corpus", type=Path, help=f"a folder with a manifest.jsonl; else ${CORPUS_VARIABLE}; else one of our own"
    )
    parser.add_argument("--kind", action="append", default=[], help="only items of this kind; may be repeated")
    parser.add_argument("--item", action="append", default=[], help="only items with this in their id; may be repeated")
    parser.add_argument("--budget", action="append", type=int, help="characters; may be repeated")
    parser.add_argument(
        "--query", action=argparse.BooleanOptionalAction, help="only with each item's query, or only without any"
    )
    parser.add_argument("--alone", action="store_true", help="without the simple ways to cut and the reader")
    parser.add_argument("--reader", action="store_true", help="only how many calls a reader needs")
    parser.add_argument("--jobs", type=int, default=1, help="processes; times are those of a busy machine then")
    parser.add_argument("--missed", action="store_true", help="list the needles that ours misses")
    parser.add_argument("--show", metavar="ITEM", help="print the view of the items with this in their id")
    return parser.parse_args()


def main() -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is a way to read this
    said = arguments()
    folder = said.corpus or os.environ.get(CORPUS_VARIABLE)
    try:
        items = load(Path(folder) if folder else own.build(home()), said.kind, _ids(said))
    except NoCorpus as error:
        sys.exit(str(error))
    if not items:
        sys.exit("no item of the corpus is of these kinds and has these ids")
    budgets = said.budget or BUDGETS
    ours = (WITH, WITHOUT) if said.query is None else (WITH,) if said.query else (WITHOUT,)
    if said.show:
        show(items, budgets, ours)
    elif said.missed:
        show_missing(items, budgets, ours)
    else:
        if not said.reader:
            print_recall(items, budgets, ours if said.alone else (*ours, *SIMPLE), said.jobs)
        if not said.alone:
            budget = READER_BUDGET if READER_BUDGET in budgets else budgets[0]
            print("\n".join(reader_table(run_reader(items, budget, ours, said.jobs), budget)))


def _ids(said: argparse.Namespace) -> list[str]:
    return [said.show] if said.show else said.item


def print_recall(items: Sequence[Item], budgets: Sequence[int], ways: Sequence[str], jobs: int) -> None:
    outcomes = run(items, budgets, ways, jobs)
    for budget in budgets:
        print("\n".join(table(outcomes, budget, ways)))
    print("\n".join(times(outcomes, ways)))


if __name__ == "__main__":
    main()
