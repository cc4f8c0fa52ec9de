"""`repo_map`: the definitions that matter most in a tree of code, each by the lines of its signature.

1. What matters is told by who uses what: a file that is used by files that are used is worth more, and of it the
   definitions by which it is used. A query and the files that the reader has already decide where that begins.
2. Files are parsed once, and again when they change. A query is asked of what is known, and kept nowhere.
3. A call ends within its time. What was not looked at by then is told, and the next call goes on with it.
4. The same tree and the same arguments give the same answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from penstock.core.limits import Limits
from penstock.core.offers import Offer
from penstock.errors import ArgumentError
from penstock.gate import BareGate
from penstock.tools.base import BareTool
from penstock.tools.map_files import MAPS
from penstock.tools.map_text import Counts, Drawn, Sheet
from penstock.tools.prompt import Prompt
from penstock.tools.references import References
from penstock.tools.roots import Roots
from penstock.tools.tagging import MOST_FILES, TOO_LARGE, Tagged, Tree
from penstock.tools.toolset import Workshop

SECONDS: Final = 10.0

# Of the time, what finding and parsing may take; the rest is for ranking.
_LOOKING: Final = 0.7

OFFER: Final = Offer(
    "repo_map",
    "Show the most important definitions of a code base: of each file the lines where its types, functions and values"
    " are defined, with line numbers, the best file first. They are ranked by how the files use one another. Say with"
    " query what the task is about, and with files what you have read already. The last line says how much is shown.",
    {
        "path": {"type": "string", "description": "The folder or file to map; the whole root by default."},
        "query": {
            "type": "string",
            "description": "What is looked for: words, names in the code, paths. It decides what comes first.",
        },
        "files": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Files that you have already: they are left out, and what they use comes first.",
        },
        "max_tokens": {"type": "integer", "minimum": 1, "description": "How long the map may be, in tokens."},
    },
)

# Why files have no definitions that nobody misses.
_MEANT: Final = ("no language", "binary", "generated")

_log = logging.getLogger("penstock.tools")


class RepoMap(BareTool):
    """`folder` is where the tags of files are kept from call to call."""

    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, roots: Roots, folder: Path, *, seconds: float = SECONDS) -> None:
        super().__init__(gate)
        self.roots = roots
        self._folder = folder
        self._seconds = seconds
        self._lock = threading.Lock()
        self._trees: dict[Path, Tree] = {}
        self._graphs: dict[Path, tuple[object, References]] = {}

    def execute(
        self, path: str = ".", *, query: str = "", files: Sequence[str] = (), max_tokens: int | None = None
    ) -> str:
        return self.drawn(path, query=query, files=files, max_tokens=max_tokens).text

    def drawn(
        self, path: str = ".", *, query: str = "", files: Sequence[str] = (), max_tokens: int | None = None
    ) -> Drawn:
        """The map with what it shows, for programs."""
        if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
            raise ArgumentError("max_tokens", max_tokens, "a whole number from 1 on")
        limits = self.gate.policy(self.name, limits=self.limits).limits & Limits(tokens=max_tokens)
        place = self.roots.path(path)
        root = self.roots.of(place)
        there = [self.roots.path(file) for file in files]
        prompt = Prompt(query, [file.relative_to(root).as_posix() for file in there if file.is_relative_to(root)])
        sheet = Sheet(limits, self.gate.size, lambda told: self.roots.told(root / told))
        with self._lock:
            until = time.monotonic() + self._seconds
            tagged = self._tree(root).tagged(place, self._seconds * _LOOKING, lambda told: -prompt.likes(told))
            references = self._references(root, tagged, lambda: time.monotonic() > until)
            ranked = references.best(prompt, sheet.most(), lambda: time.monotonic() > until)
            hasty = time.monotonic() > until
        return sheet.drawn(references.files, ranked, self._counts(tagged, prompt, hasty=hasty))

    def _tree(self, root: Path) -> Tree:
        if root not in self._trees:
            self._trees[root] = Tree(root, self._folder)
        return self._trees[root]

    def _references(self, root: Path, tagged: Tagged, expired: Callable[[], bool]) -> References:
        """The graph of these files: that of the last call, if they are the same."""
        before = self._graphs.get(root)
        if before is not None and before[0] == tagged.state:
            return before[1]
        references = References(tagged.files, expired)
        if not expired():  # else it lacks what came last
            self._graphs[root] = tagged.state, references
        return references

    def _counts(self, tagged: Tagged, prompt: Prompt, *, hasty: bool) -> Counts:
        remarks = []
        shown = [tags for path, tags in tagged.files if not prompt.has(path)]
        if left_out := len(tagged.files) - len(shown):
            remarks.append(f"without the {left_out:,} that you have")
        lacks = Counter(tags.lack for tags in shown if tags.lack and tags.lack not in _MEANT)
        lacks[TOO_LARGE] += tagged.too_large
        remarks += [
            f"{lack}: {count:,} file{'' if count == 1 else 's'}" for lack, count in sorted(lacks.items()) if count
        ]
        if tagged.kept:
            _log.warning("repo_map: %s", tagged.kept)
            remarks.append("what was learned could not be kept for the next call")
        if hasty:
            remarks.append(f"ranked by what was known of their use after {self._seconds:g} s")
        if not tagged.complete:
            remarks.append(self._partial(tagged))
        return Counts(sum(len(tags.definitions) for tags in shown), len(shown), tuple(remarks), not tagged.complete)

    def _partial(self, tagged: Tagged) -> str:
        looked_at = f"partial: {len(tagged.files):,} files were looked at"
        if len(tagged.files) >= MOST_FILES:
            return f"{looked_at}, which is the most; map a folder of it"
        waiting = f", {tagged.waiting:,} or more were not" if tagged.waiting else ""
        return f"{looked_at} within {self._seconds:g} s{waiting}; call again to go on"


def made(of: Workshop) -> RepoMap:
    return RepoMap(of.gate, of.roots, of.indexes / MAPS)
