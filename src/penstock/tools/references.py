"""Which file refers to which, by the names that it uses and others define; and what of that matters for a prompt.

1. A name counts the more, the fewer files use it, the fewer define it, and the less it could be any word: `read_chunk`
   says more than `read`, and `_read` says next to nothing to other files.
2. A file that uses a name refers to all that define it, and to each the less, the more there are. Where they are many
   the name is a node of its own, so that the graph grows with the files and not with their square.
3. The graph is the same for every prompt. A prompt tells where a reader starts and which names are followed rather.
4. What a file is worth goes on to the definitions that the files before it in the ranking use.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from operator import mul
from typing import Final, NamedTuple

from penstock.search.paths import names_of
from penstock.search.words import parts_of, stem
from penstock.tools.pagerank import pagerank
from penstock.tools.prompt import Prompt
from penstock.tools.tags import FileTags, Tag

# More definers than these are reached over a node of the name.
_DIRECT: Final = 4
_COMPOUND: Final = re.compile(r"[a-z0-9]_[a-zA-Z]|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_COMPOUND_LEAST: Final = 8

# What goes nowhere of a file's rank: as much as with so much of the links that a file has on average.
_IDLE: Final = 0.5
_STRONG_LINK: Final = 1_000.0
_COMPOUNDED: Final = 3.0
_TYPE: Final = 3.0
_PLAIN: Final = 0.3
_PRIVATE: Final = 0.1

# How much more a name is followed that the prompt has, and one that shares all of its words.
_MENTIONED: Final = 10.0
_ALIKE: Final = 20.0
_LIKED: Final = 0.2  # of that, what a reader starts rather at its file
_IN_CONTEXT: Final = 100.0
# Of a file's own rank, what its definitions share although nobody uses them.
_UNUSED: Final = 0.1
_LOCAL: Final = 0.05
_VALUE: Final = 0.5


class Ranked(NamedTuple):
    score: float
    file: int
    number: int  # of the definition in its file


class References:
    """The graph of some files, in the order that is given."""

    def __init__(self, files: Sequence[tuple[str, FileTags]], expired: Callable[[], bool] = lambda: False) -> None:
        self.files = files
        self.definers = _definers(files)
        self._names = {tag.key: tag.name for _, tags in files for tag in tags.definitions if tag.key in self.definers}
        self._uses = self._weighed(*_uses(files, self.definers, expired))
        self._links = self._linked()
        self._factors = [names_of(path).factor ** 2 for path, _ in files]
        self._words: dict[str, tuple[str, ...]] = {}
        self._kinds = [[(tag.key, _kind(tag), not tag.local) for tag in tags.definitions] for _, tags in files]

    def best(self, prompt: Prompt, most: int, expired: Callable[[], bool] = lambda: False) -> list[Ranked]:
        """The definitions that may be shown, the best first: before all, those of a name that the prompt has."""
        if not self.files:
            return []
        like = self._alike(prompt)
        likes = [1 + prompt.likes(path) for path, _ in self.files]
        ranks = pagerank(self._followed(like), self._start(prompt, like, likes), idle=self._idle, expired=expired)
        worth = self._worth(ranks, like)
        named = {key for key in like if self._names[key].lower() in prompt.names}
        found = []
        for number, (path, _) in enumerate(self.files):
            kinds = self._kinds[number]
            if not kinds or prompt.has(path):
                continue
            own = _UNUSED * ranks[number] / len(kinds)
            liked = likes[number] * self._factors[number]
            for place, (key, kind, is_known) in enumerate(kinds):
                score = (own + worth[key] if is_known else own) * kind * liked
                found.append((key not in named, -score * like.get(key, 1.0), number, place))
        found.sort()
        return [Ranked(-score, number, place) for _, score, number, place in found[:most]]

    def _weighed(self, uses: list[list[tuple[int, float]]], often: Counter[int]) -> list[list[tuple[int, float]]]:
        """The uses with what each says, in place of how often it is."""
        weights = {
            key: _weight(self._names[key], len(self.files) / many, len(self.definers[key]))
            for key, many in often.items()
        }
        return [[(key, weights[key] * times) for key, times in own] for own in uses]

    def _linked(self) -> list[dict[int, float]]:
        links: list[dict[int, float]] = [{} for _ in self.files]
        nodes: dict[int, int] = {}
        for file, uses in enumerate(self._uses):
            row = links[file]
            for key, weight in uses:
                definers = self.definers[key]
                if len(definers) > _DIRECT:
                    if key not in nodes:
                        nodes[key] = len(links)
                        links.append(dict.fromkeys(definers, 1.0))
                    row = links[file]
                    row[nodes[key]] = row.get(nodes[key], 0.0) + weight
                    continue
                for definer in definers:
                    row[definer] = row.get(definer, 0.0) + weight / len(definers)
        self._nodes = nodes
        self._idle = _IDLE * sum(sum(links[file].values()) for file in range(len(self.files))) / max(1, len(self.files))
        # From the node of a name all goes on to those that define it.
        for node in nodes.values():
            links[node] = dict.fromkeys(links[node], _STRONG_LINK * self._idle)
        return links

    def _alike(self, prompt: Prompt) -> dict[int, float]:
        """By what a definition counts more for the prompt, by its key; without those for which it is nothing."""
        if not prompt.words and not prompt.names:
            return {}
        like: dict[int, float] = {}
        rarity = self._rarity(prompt)
        whole = sum(rarity.values()) or 1.0
        for key, name in self._names.items():
            if name.lower() in prompt.names:
                like[key] = _MENTIONED * _ALIKE
            elif shared := [rarity[word] for word in self._words_of(name) if word in rarity]:
                like[key] = 1 + _ALIKE * sum(shared) / whole
        return like

    def _rarity(self, prompt: Prompt) -> dict[str, float]:
        """How much each word of the prompt tells, by how few names have it."""
        often = Counter(word for name in self._names.values() for word in self._words_of(name) if word in prompt.words)
        return {word: math.log1p(len(self._names) / often[word]) for word in sorted(often)}

    def _words_of(self, name: str) -> tuple[str, ...]:
        words = self._words.get(name)
        if words is None:
            words = self._words[name] = tuple(dict.fromkeys(map(stem, parts_of(name))))
        return words

    def _followed(self, like: dict[int, float]) -> list[dict[int, float]]:
        """The links, with those stronger that go by names which the prompt asks for."""
        if not like:
            return self._links
        links = list(self._links)
        for file, uses in enumerate(self._uses):
            row: dict[int, float] | None = None
            for key, weight in uses:
                if key not in like:
                    continue
                if row is None:
                    row = links[file] = dict(links[file])
                more = weight * (min(like[key], _MENTIONED) - 1)
                definers = self.definers[key]
                targets = [self._nodes[key]] if len(definers) > _DIRECT else definers
                for target in targets:
                    row[target] += more / len(targets)
        return links

    def _start(self, prompt: Prompt, like: dict[int, float], likes: Sequence[float]) -> list[float]:
        """Tests, examples and what is beside the matter count less; what the prompt names, more."""
        start = list(map(mul, self._factors, likes))
        for number, (path, _) in enumerate(self.files):
            if prompt.has(path):
                start[number] += _IN_CONTEXT
        for key, more in like.items():
            for definer in self.definers[key]:
                start[definer] += _LIKED * (more - 1) / len(self.definers[key])
        return start + [0.0] * (len(self._links) - len(self.files))

    def _worth(self, ranks: Sequence[float], like: dict[int, float]) -> dict[int, float]:
        """What each definition gets of the ranks of those that use it."""
        worth = dict.fromkeys(self.definers, 0.0)
        stronger = {key: min(more, _MENTIONED) for key, more in like.items()}
        for file, uses in enumerate(self._uses):
            told = [(key, weight * stronger.get(key, 1.0)) for key, weight in uses] if stronger else uses
            share = ranks[file] / (sum(weight for _, weight in told) + self._idle) if told else 0.0
            for key, weight in told:
                worth[key] += share * weight
        return {key: value / len(self.definers[key]) for key, value in worth.items()}


def _definers(files: Sequence[tuple[str, FileTags]]) -> dict[int, list[int]]:
    """The files that define each name, for others than themselves."""
    definers: dict[int, list[int]] = {}
    for number, (_, tags) in enumerate(files):
        for key in dict.fromkeys(tag.key for tag in tags.definitions if not tag.local):
            definers.setdefault(key, []).append(number)
    return definers


def _uses(
    files: Sequence[tuple[str, FileTags]], definers: dict[int, list[int]], expired: Callable[[], bool]
) -> tuple[list[list[tuple[int, float]]], Counter[int]]:
    """What each file uses of others, with the root of how often; and how many files use each."""
    uses: list[list[tuple[int, float]]] = []
    often: Counter[int] = Counter()
    for number, (_, tags) in enumerate(files):
        late = number % 1_000 == 999 and expired()
        own = [(key, math.sqrt(count)) for key, count in tags.uses() if key in definers]
        uses.append(own)
        often.update([key for key, _ in own])
        if late:
            uses += [[] for _ in range(len(files) - len(uses))]
            break
    return uses, often


def _weight(name: str, rarity: float, definers: int) -> float:
    told = math.log1p(rarity) / math.sqrt(definers)
    if name.startswith("_"):
        return told * _PRIVATE
    is_type = name[0].isupper()
    is_compound = len(name) >= _COMPOUND_LEAST and _COMPOUND.search(name) is not None
    if not is_type and not is_compound:
        return told * _PLAIN
    # Of a name that means one thing only, wide use is no sign of chance.
    told = math.sqrt(math.log1p(rarity) / definers)
    return told * (_TYPE if is_type else 1) * (_COMPOUNDED if is_compound else 1)


def _kind(tag: Tag) -> float:
    return (
        (_PRIVATE if tag.name.startswith("_") else 1.0)
        * (1.0 if tag.strong else _VALUE)
        * (_LOCAL if tag.local else 1.0)
    )
