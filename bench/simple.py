"""The simple ways to cut, to which ours are compared: what agents do by hand today.

Each takes a text and a number of characters, and gives a text within it, with a note for every stretch left out.
"""

import re
from collections.abc import Callable

NOTE = "[... {} characters left out]\n"
NOTE_ROOM = len(NOTE.format(10**9)) + 1

WRONG = re.compile(
    r"\b(?:error|failed|failure|exception|traceback|panic|fatal|undefined|cannot|not found|no such)\b", re.IGNORECASE
)
CONTEXT = 4
"""Lines before and after one that matches."""


def head(text: str, room: int) -> str:
    return _ends(text, room, 1.0)


def tail(text: str, room: int) -> str:
    return _ends(text, room, 0.0)


def head_tail(text: str, room: int) -> str:
    return _ends(text, room, 0.5)


def twenty_eighty(text: str, room: int) -> str:
    return _ends(text, room, 0.2)


def error_regex(text: str, room: int) -> str:
    """The first tenth of the room for the head, the last 30 % for the tail, between them the last lines that match.

    The last ones, because in a failed run the first ones are more often retries and warnings.
    """
    if len(text) <= room:
        return text
    start, stop = _head_end(text, room // 10), _tail_start(text, room * 3 // 10)
    left = room - start - (len(text) - stop) - 2 * NOTE_ROOM
    matches = [(match.start(), match.end()) for match in WRONG.finditer(text, start, stop)]
    pieces: list[tuple[int, int]] = []
    before = stop
    for match_start, match_end in reversed(matches):
        if match_start >= before:
            continue
        first = max(start, _lines_back(text, match_start, CONTEXT))
        last = min(before, _lines_on(text, match_end, CONTEXT))
        left -= last - first + NOTE_ROOM
        if left < 0:
            left = 0
            break
        pieces.append((first, last))
        before = first
    # What the matches leave goes to the tail.
    matched = pieces[0][1] if pieces else start
    tail_start = max(matched, _tail_start(text, len(text) - stop + left))
    return _joined(text, [(0, start), *reversed(pieces), (tail_start, len(text))])


def _ends(text: str, room: int, share: float) -> str:
    if len(text) <= room:
        return text
    left = room - NOTE_ROOM
    first = int(left * share)
    return _joined(text, [(0, _head_end(text, first)), (_tail_start(text, left - first), len(text))])


def _head_end(text: str, room: int) -> int:
    """Where whole lines of at most `room` characters end; inside the first line where that alone is longer."""
    return text.rfind("\n", 0, max(0, room)) + 1 or max(0, room)


def _tail_start(text: str, room: int) -> int:
    if room <= 0:
        return len(text)
    if room >= len(text):
        return 0
    line = text.find("\n", len(text) - room - 1, len(text) - 1) + 1
    return line or len(text) - room


def _lines_back(text: str, place: int, lines: int) -> int:
    for _ in range(lines + 1):
        place = text.rfind("\n", 0, max(0, place))
        if place < 0:
            return 0
    return place + 1


def _lines_on(text: str, place: int, lines: int) -> int:
    for _ in range(lines + 1):
        place = text.find("\n", place) + 1
        if place == 0:
            return len(text)
    return place


def _joined(text: str, pieces: list[tuple[int, int]]) -> str:
    shown, place = [], 0
    for start, stop in pieces:
        if start > place:
            note = NOTE.format(start - place)
            shown.append(note if not shown or shown[-1].endswith("\n") else f"\n{note}")
        shown.append(text[start:stop])
        place = stop
    if place < len(text):
        shown.append(NOTE.format(len(text) - place))
    return "".join(shown)


SIMPLE: dict[str, Callable[[str, int], str]] = {
    "head": head,
    "tail": tail,
    "head_tail": head_tail,
    "20/80": twenty_eighty,
    "regex": error_regex,
}
