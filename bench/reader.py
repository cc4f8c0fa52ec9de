"""How many calls a reader needs who follows only the notice of a view.

The reader is fixed, and knows nothing of kinds. It has the view, its notice, the question (which the gate may not have
had), and the two tools that the notice offers. Until it has seen what it looks for it makes, in this order:

1. the searches that the notice spells out, if it spells one out;
2. a read from the place that the notice names: one page;
3. a search for each word of the question, names and numbers first, then the longest, at most six of them; where a
   search finds three lines or fewer, a read from a thousand bytes before the first of them;
4. a search for errors, failures and warnings;
5. the pages that follow on the one read in step 2.

Each read and each search is one call and shows one bounded page. A needle is reached when all of one of its forms has
been shown, be it by several pages. A view whose notice offers no tool leaves the reader with nothing to do.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.corpus import Item
from bench.scoring import Needle, missing
from penstock import Gate, Limits, Settings, View
from penstock.stores.memory import MemoryStore

MOST_CALLS = 20
MOST_WORDS = 6
FEW = 3
BYTES_BEFORE = 1_000
WRONG = r"(?i)error|fail|exception|warning"

_OFFERED_READ = re.compile(r'read_output\(handle="[^"]+"(?P<more>[^)]*)\)')
_OFFERED_SEARCH = re.compile(r'grep_output\(handle="[^"]+", pattern="(?P<pattern>(?:[^"\\]|\\.)+)"')
_ARGUMENT = re.compile(r'(\w+)=(?:"(\w+)"|(\d+))')
_WORD = re.compile(r"[\w][\w.\-]{2,}")
_NAME = re.compile(r"[0-9_.]|[a-z][A-Z]|[A-Z]{2}")
_COMMON = frozenset(
    {
        *(
            "and",
            "any",
            "are",
            "did",
            "does",
            "for",
            "from",
            "has",
            "have",
            "how",
            "its",
            "later",
            "not",
            "that",
            "the",
        ),
        *("then", "there", "these", "this", "was", "were", "what", "when", "where", "which", "who", "why", "with"),
    }
)

Ranges = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Reached:
    """After how many calls each needle of an item was seen: 0 means in the view, None never."""

    item: Item
    calls: tuple[int | None, ...]

    def share(self, most: int) -> float:
        """Of the needles, how many were seen after at most so many calls."""
        return sum(made is not None and made <= most for made in self.calls) / len(self.calls)


def follow(item: Item, query: str, budget: int, tool: str) -> Reached:
    """`query` is what the gate is told; the reader always knows the item's own question."""
    text = item.text()
    with Gate(settings=Settings(), store=MemoryStore()) as gate:
        view = gate.admit(text, tool=tool, query=query, limits=Limits(chars=budget))
        lost = missing(item.kind, item.needles, view.text)
        calls: dict[Needle, int | None] = {needle: None if needle in lost else 0 for needle in item.needles}
        if lost:
            data = text.encode("utf-8", "surrogatepass")
            places = {needle: occurrences(needle, data) for needle in lost}
            seen: Ranges = [(span.start, span.stop) for span in view.spans]
            for number, shown in enumerate(_answers(gate, view, item.query), 1):
                seen = merged([*seen, *shown])
                for needle in [n for n in lost if any(_within(place, seen) for place in places[n])]:
                    calls[needle] = number
                    lost.remove(needle)
                if not lost or number == MOST_CALLS:
                    break
        return Reached(item, tuple(calls[needle] for needle in item.needles))


def _answers(gate: Gate, view: View, question: str) -> Iterator[Ranges]:
    """What each call shows, as byte ranges of the original."""
    notice = _notice(view.text)
    first = _OFFERED_READ.search(notice)
    if view.handle is None or first is None:
        return
    for offered in _OFFERED_SEARCH.finditer(notice):
        if offered["pattern"] != "...":
            yield list(gate.grep(view.handle, offered["pattern"].replace("\\\\", "\\")).shown)
    page = gate.read(view.handle, **_arguments(first["more"]))
    yield [(page.start, page.stop)]
    for word in words_of(question):
        found = gate.grep(view.handle, re.escape(word), ignore_case=True)
        yield list(found.shown)
        if 0 < len(found) <= FEW and found.complete:
            near = gate.read(view.handle, unit="bytes", offset=max(0, found.hits[0].start - BYTES_BEFORE))
            yield [(near.start, near.stop)]
    yield list(gate.grep(view.handle, WRONG).shown)
    while page.next is not None:
        page = gate.read(view.handle, **{name: value for name, value in page.next.items() if name != "handle"})
        yield [(page.start, page.stop)]


def _notice(text: str) -> str:
    """The line that says what was left out, at either end of a view."""
    lines = text.rstrip("\n").split("\n")
    return lines[-1] if "read_output(" in lines[-1] else lines[0]


def _arguments(written: str) -> dict[str, Any]:
    return {name: word or int(number) for name, word, number in _ARGUMENT.findall(written)}


def words_of(question: str) -> list[str]:
    """What of a question is worth a search: no common words, the most telling ones first."""
    words = dict.fromkeys(word.strip(".-") for word in _WORD.findall(question))
    wanted = [word for word in words if word.lower() not in _COMMON and len(word) > 2]
    return sorted(wanted, key=lambda word: (bool(_NAME.search(word)), len(word)), reverse=True)[:MOST_WORDS]


def occurrences(needle: Needle, data: bytes, most: int = 100) -> Ranges:
    found: Ranges = []
    for form in needle.forms:
        wanted = form.encode("utf-8", "surrogatepass")
        place = data.find(wanted)
        while place >= 0 and len(found) < most:
            found.append((place, place + len(wanted)))
            place = data.find(wanted, place + 1)
    return found


def merged(ranges: Ranges) -> Ranges:
    """In order, and those that touch as one."""
    joined: Ranges = []
    for start, stop in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _within(place: tuple[int, int], ranges: Ranges) -> bool:
    return any(start <= place[0] and place[1] <= stop for start, stop in ranges)
