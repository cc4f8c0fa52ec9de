"""Diffs and logs of commits: which changes to show of thousands.

1. First the commits and the files by name, in a part of the room: all of them where they fit in it, else those that
   matter most.
2. Then changes, each with its commit, its file and the line that says where in the file it is. A change is a run of
   lines that were added or taken away, cut in pieces where it is long. Lines of context come last.
3. With a question, changes that speak of it come first, or whose file or place does. Then, and without a question,
   changes that do most in few lines: conditions, calls, definitions.
4. Code matters more than tests, tests more than documents, those more than what a machine wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from penstock.core.content import Content, Span
from penstock.core.patterns import re_pattern
from penstock.core.reduce.contract import Ask, Choice, Plan, Reducer, Room, Sample, Tally
from penstock.core.reduce.lines import LONG, Lines, Runs, without_colours
from penstock.core.reduce.order import Order
from penstock.core.reduce.patch import Patch, read_patch
from penstock.core.reduce.paths import worth_of
from penstock.core.reduce.pick import joined, picked
from penstock.core.reduce.question import Question

# What of the room the names of commits and files may take before any change is shown.
NAMES: Final = 0.2

# A run of changed lines is cut after so many, at a blank line or a definition where there is one.
PIECE: Final = 10
PIECE_AT_LEAST: Final = 4

# A question asks for a change by what it says, or by its commit, its file, its place there, what is beside it.
OF_FILE: Final = 0.5
OF_PLACE: Final = 0.3
OF_HUNK: Final = 0.5
OF_COMMIT: Final = 0.5

# How much the changes of one file make room for those of others, and what a change is worth that does nothing.
SPREAD: Final = 0.2
LEAST_DEED: Final = 0.1
# What is shown with a change takes so much as a rule: its place, a mark.
AROUND: Final = 20
# What was only taken away can be looked up nowhere else, but what is there now is asked about more.
TAKEN_AWAY: Final = 0.3

# So many changes that speak of the question go before the rest.
FIRST: Final = 400

_DIFF: Final = re_pattern(
    rb"(?m)^(?:diff --(?:git|cc|combined) |Index: \S|@@@? -\d|commit [0-9a-f]{7,64}\b| \S.* \| +\d+ [+\-]+$)"
)
_LINE: Final = re_pattern(rb"(?m)^(?:[ +\-\\]|@@|diff |index |$)")


def fit(sample: Sample) -> float:
    data = without_colours(sample.data[:8_000] + b"\n" + sample.middle)
    heads = len(_DIFF.findall(data))
    if not heads:
        return 0.0
    share = len(_LINE.findall(data)) / (data.count(b"\n") + 1)
    starts = data.startswith((b"diff --", b"Index: ", b"commit ", b"From ", b"--- "))
    return min(0.97, 0.4 * share + 0.2 * (heads > 1) + 0.4 * starts)


def reduce(content: Content, ask: Ask) -> Plan:
    lines = Lines(content)
    ask.effort.spend(3 * len(lines))
    texts = lines.plain()
    diff = _Diff(lines, texts, read_patch(texts), ask)
    return Plan(diff.choose, (Tally("files", len(diff.patch.files)), Tally("hunks", len(diff.patch.hunks))))


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Lines in runs that are shown together: `starts[i]` is the first line of the i-th, with one more for the end."""

    starts: list[int]
    changes: list[int]  # the runs that are changes
    hunks: list[int]  # the hunk of each of those
    heads: list[int]  # the run that is the first line of each hunk


@dataclass
class _Diff:
    lines: Lines
    texts: list[bytes]  # without colours
    patch: Patch
    ask: Ask

    def choose(self, room: Room) -> Choice:
        content = self.lines.content
        names = self._names_within(int(room.least * NAMES), room)
        shown = picked(content, self._units, chain(names, self._order), room)
        spans = joined(content, self._units, shown, room.mark)
        return Choice(spans, shown=self._shown(spans))

    def _shown(self, spans: list[Span]) -> tuple[int, int]:
        """The files that are named and the hunks of which something is shown, in some spans."""
        covered = bytearray(len(self.lines) + 1)
        for first, stop in self.lines.covered(spans):
            covered[first:stop] = b"\1" * (stop - first)
        files = sum(covered[file.name] for file in self.patch.files)
        return files, sum(1 in covered[hunk.first : hunk.stop] for hunk in self.patch.hunks)

    # -- units ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _pieces(self) -> _Pieces:
        return _pieces_of(self.texts, self.patch)

    @cached_property
    def _units(self) -> Runs:
        return Runs(self.lines, self._pieces.starts)

    @cached_property
    def _unit_of(self) -> dict[int, int]:
        """The unit that begins with a line."""
        return {line: unit for unit, line in enumerate(self._pieces.starts)}

    # -- names ---------------------------------------------------------------------------------------------------------

    def _names_within(self, most: int, room: Room) -> list[int]:
        """The names of commits and files that fit in so much, the most important first."""
        names: list[int] = []
        for unit in self._names:
            start, stop = self._units[unit]
            most -= stop - start + room.mark.bytes
            if most < 0:
                break
            names.append(unit)
        return names

    @cached_property
    def _names(self) -> list[int]:
        patch, unit_of = self.patch, self._unit_of
        worths = self._file_worths
        files = sorted(range(len(patch.files)), key=lambda file: (-worths[file], file))
        commits = [unit_of[line] for commit in patch.commits for line in dict.fromkeys((commit.subject, commit.first))]
        return [
            *commits,
            *(unit_of[patch.files[file].name] for file in files),
            *(unit_of[line] for line in patch.stats),
        ]

    # -- changes -------------------------------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> Order:
        return Order(self._by_worth())

    def _by_worth(self) -> Iterator[int]:
        pieces = self._pieces
        for change in chain(self._asked(), self._by_merit()):
            yield from self._place_of(pieces.hunks[change])
            yield pieces.changes[change]
        yield from self._names
        yield from range(len(self._units))

    def _place_of(self, hunk: int) -> Iterator[int]:
        """What a change is shown with: its commit, its file, its place in the file."""
        patch, unit_of = self.patch, self._unit_of
        file = patch.hunks[hunk].file
        if file >= 0:
            commit = patch.files[file].commit
            if commit >= 0:
                yield unit_of[patch.commits[commit].subject]
                yield unit_of[patch.commits[commit].first]
            yield unit_of[patch.files[file].name]
        yield self._pieces.heads[hunk]

    def _asked(self) -> list[int]:
        """The changes that speak of the question, best first."""
        scores = self._scores
        return sorted(scores, key=lambda change: (-scores[change], change))[:FIRST]

    def _by_merit(self) -> list[int]:
        """The changes that do most in few lines first, in files that matter; of one file not all before the others."""
        merits = self._merits
        files: dict[int, list[int]] = {}
        for change in sorted(range(len(merits)), key=lambda change: (-merits[change], change)):
            files.setdefault(self.patch.hunks[self._pieces.hunks[change]].file, []).append(change)
        ranked = [
            (-merits[change] / (1 + rank) ** SPREAD, change)
            for changes in files.values()
            for rank, change in enumerate(changes)
        ]
        return [change for _, change in sorted(ranked)]

    @cached_property
    def _merits(self) -> list[float]:
        """What a change is worth when nothing is asked."""
        files = [worth_of(file.path) ** 2 for file in self.patch.files]
        files.append(1.0)  # of a hunk without a file
        hunks = [files[hunk.file] for hunk in self.patch.hunks]
        return [
            deed * hunks[hunk] / (len(text) + AROUND) ** 0.5
            for deed, hunk, text in zip(self._deeds, self._pieces.hunks, self._changed, strict=True)
        ]

    @cached_property
    def _changed(self) -> list[bytes]:
        """The text of each change."""
        starts, texts = self._pieces.starts, self.texts
        return [b"\n".join(texts[starts[unit] : starts[unit + 1]]) for unit in self._pieces.changes]

    @cached_property
    def _deeds(self) -> list[float]:
        return [_deed(text) for text in self._changed]

    @cached_property
    def _question(self) -> Question:
        return Question(self.ask.query)

    @cached_property
    def _file_scores(self) -> dict[int, float]:
        return self._question.scores([file.path.lower() for file in self.patch.files], self.ask.effort)

    @cached_property
    def _file_worths(self) -> list[float]:
        scores = self._file_scores if self._question else {}
        return [worth_of(file.path) + scores.get(index, 0.0) for index, file in enumerate(self.patch.files)]

    @cached_property
    def _scores(self) -> dict[int, float]:
        """How well changes speak of the question, by themselves, by their file and by their place."""
        if not self._question:
            return {}
        pieces, patch, effort = self._pieces, self.patch, self.ask.effort
        own = self._question.scores([text.lower() for text in self._changed], effort)
        places = self._question.scores([self.texts[hunk.first].lower() for hunk in patch.hunks], effort)
        subjects = [self.texts[commit.subject].lower() for commit in patch.commits]
        of_commits, of_files = self._question.scores(subjects, effort), self._file_scores
        around: dict[int, float] = {}
        for change, score in own.items():
            around[pieces.hunks[change]] = max(score, around.get(pieces.hunks[change], 0.0))
        found: dict[int, float] = {}
        for change, hunk in enumerate(pieces.hunks):
            file = patch.hunks[hunk].file
            score = own.get(change, 0.0) + OF_HUNK * around.get(hunk, 0.0)
            score += OF_PLACE * places.get(hunk, 0.0) + OF_FILE * of_files.get(file, 0.0)
            if file >= 0:
                score += OF_COMMIT * of_commits.get(patch.files[file].commit, 0.0)
            if score and self._deeds[change]:
                worth = worth_of(patch.files[file].path) if file >= 0 else 1.0
                found[change] = score * worth**0.75 * (1.5 + self._deeds[change]) / len(self._changed[change]) ** 0.3
        return found


# What begins a condition, a way out, a definition, in most languages.
_TELLING: Final = re_pattern(
    rb"if[ (]|for |while|return|raise |throw|assert|catch|except|def |class |func|fn |struct |#define"
)
_NOTHING: Final = b"+- \t\r\n{}()[];,:"


def _deed(text: bytes) -> float:
    """How much a change does for its size: nothing where it only moves brackets and blank lines."""
    if not text.strip(_NOTHING):
        return 0.0
    count = text.count
    done = 0.5 * (count(b"(") + count(b"=")) + len(_TELLING.findall(text))
    deed = LEAST_DEED + min(1.0, (0.5 + done) / (count(b"\n") + 3))
    return deed if text[:1] == b"+" or b"\n+" in text else TAKEN_AWAY * deed


def _pieces_of(texts: Sequence[bytes], patch: Patch) -> _Pieces:
    starts: list[int] = []
    pieces = _Pieces(starts, [], [], [])
    line = 0
    for number, hunk in enumerate(patch.hunks):
        starts.extend(range(line, hunk.first + 1))
        pieces.heads.append(len(starts) - 1)
        columns = max(1, texts[hunk.first].find(b" ") - 1)
        _cut_hunk(texts, hunk.first + 1, hunk.stop, columns, number, pieces)
        line = hunk.stop
    starts.extend(range(line, len(texts) + 1))
    return pieces


def _cut_hunk(texts: Sequence[bytes], first: int, stop: int, columns: int, number: int, pieces: _Pieces) -> None:
    """Cuts the lines of a hunk in changes and single lines of context."""
    starts = pieces.starts
    begun = -1  # where the run that is open begins
    for index in range(first, stop):
        text = texts[index]
        signs = text[:columns]
        if b"+" not in signs and b"-" not in signs:
            starts.append(index)
            begun = -1
            continue
        long = index - begun
        # A piece ends with its blank lines.
        apart = long >= PIECE_AT_LEAST and len(text) >= columns + 2 > len(texts[index - 1])
        if begun < 0 or len(text) > LONG or long >= PIECE or apart:
            starts.append(index)
            pieces.changes.append(len(starts) - 1)
            pieces.hunks.append(number)
            begun = index if len(text) <= LONG else -1


DIFF = Reducer("diff", fit, reduce)
