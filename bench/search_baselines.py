"""Other ways to find code, to be put beside ours on the same queries.

- BM25: the chunks in the order of the engine, with our terms but without `penstock.search.ranking`.
- BM25/file: the same, the best chunk of each file. A label that is a file gains nothing by a second chunk of it.
- grep: the files that have the most of the query's words anywhere, in any case and as parts of words; of equals the one
  that has them more often.
- semble: another search of code, without its model (`peers/searching.py`), in an environment of its own.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.peers.environments import Unavailable, built
from penstock.search.contract import Candidate, Filters, Index, Sought
from penstock.search.query import analysed
from penstock.search.ranking import Ranked

BASELINES = ("BM25 only", "BM25/file", "grep")
SEMBLE = "semble words"
_SEMBLE_VERSION = "semble==0.7.0"
_SEMBLE_SECONDS = 600
_RUNNER = Path(__file__).parent / "peers" / "searching.py"
_MOST = 300


class Baselines:
    def __init__(self, index: Index, repository: str) -> None:
        self._index = index
        self._texts = [
            (file.path, "\n".join(chunk.content for chunk in file.chunks).lower()) for file in index.files(repository)
        ]

    def ranked(self, query: str, most: int) -> dict[str, list[Ranked]]:
        chunks = self._by_bm25(query)
        files = list({one.candidate.path: one for one in reversed(chunks)}.values())[::-1]
        return dict(zip(BASELINES, (chunks[:most], _best(files, most), self._by_grep(query, most)), strict=True))

    def _by_bm25(self, query: str) -> list[Ranked]:
        asked = analysed(query)
        rarity = self._index.rarity(asked.terms)
        terms = sorted((term for term in asked.terms if rarity[term]), key=lambda term: rarity[term])
        found = self._index.candidates(Sought(terms, ()), Filters(), _MOST)
        return _best([Ranked(candidate.bm25, candidate) for candidate in found], _MOST)

    def _by_grep(self, query: str, most: int) -> list[Ranked]:
        words = {word for word in re.findall(r"\w+", query.lower()) if len(word) > 1}
        counts = [(path, [text.count(word) for word in words]) for path, text in self._texts]
        scored = [(sum(map(bool, times)), sum(times), path) for path, times in counts if any(times)]
        scored.sort(key=lambda one: (-one[0], -one[1], one[2]))
        return [Ranked(shared, _whole(path)) for shared, _, path in scored[:most]]


def by_semble(root: Path, queries: Sequence[str], most: int) -> list[list[Ranked]] | Unavailable:
    """What semble finds for each query."""
    python = built("semble", (_SEMBLE_VERSION,))
    if isinstance(python, Unavailable):
        return python
    with tempfile.TemporaryDirectory() as own:
        done = subprocess.run(
            [python, "-I", _RUNNER],
            input=json.dumps({"root": str(root.resolve()), "queries": queries, "most": most}),
            capture_output=True,
            text=True,
            env={"HOME": own, "LANG": "C.UTF-8", "HF_HUB_OFFLINE": "1"},
            timeout=_SEMBLE_SECONDS,
            check=False,
        )
    if done.returncode:
        return Unavailable((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return [
        [Ranked(1.0, Candidate(0, "", path, "", first, last, (), (), 0.0)) for path, first, last in chunks]
        for chunks in json.loads(done.stdout)
    ]


def _best(found: Sequence[Ranked], most: int) -> list[Ranked]:
    ordered = sorted(found, key=lambda one: (-one.similarity, one.candidate.path, one.candidate.start_line))
    return ordered[:most]


def _whole(path: str) -> Candidate:
    return Candidate(0, "", path, "", 1, 1_000_000_000, (), (), 0.0)
