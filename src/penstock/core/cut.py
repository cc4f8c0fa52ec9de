"""Where may a text be cut?

Never inside a grapheme cluster, a UTF-8 sequence, an ANSI escape sequence or a `\\r\\n`. Positions are byte
offsets. The data is any bytes: UTF-8, a `str` with lone surrogates encoded by `surrogatepass`, or no text.

Rules:
1. `floor` and `ceiling` are boundaries because the caller says so; what lies beyond them cannot undo that.
2. A cut moves outward only, and stops where every rule agrees. A unit that reaches past the floor or the
   ceiling gives the floor or the ceiling.
3. A byte of no valid sequence is shown as U+FFFD, which a combining mark can follow. Bytes that a lead byte
   announces stay with it, whole or broken off, so the two halves decode to what the whole decodes to.
4. The cost is that of a small window around the cut. It grows only inside a run without a certain boundary
   (flags, marks, conjuncts), and then to that run.
"""

import re
from collections.abc import Iterator

_LONGEST_ESCAPE = 4096
ESCAPE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    # OSC, DCS, SOS, PM, APC: links, titles. One that would run past the end of its line is no sequence, or a
    # stray introducer would glue kilobytes of lines together.
    rb"|[\]PX^_][^\x07\x1b\r\n]*(?:\x07|\x1b\\)"
    rb"|[ -/]+[0-~]"  # character sets: `tput sgr0` ends in ESC ( B
    rb"|[0-OQ-WYZ\\`-~]"
    rb")"
)

_LF = 0x0A

# How many bytes a lead byte announces; 1 for what announces nothing.
_LENGTHS = b"\1" * 0xC2 + b"\2" * 30 + b"\3" * 16 + b"\4" * 5 + b"\1" * 11

_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")

_WINDOW = 64  # holds a family of four with skin tones
_GROWTH = 4

# What stands before two characters can join them in three ways: an open Indic conjunct (GB9c), an open emoji
# sequence (GB11), an odd number of regional indicators (GB12, GB13). Two characters that break after each of
# these contexts therefore break everywhere. Two regional indicators break after neither, so they never pass.
_OPEN_CONTEXTS = ("\N{DEVANAGARI LETTER KA}\N{DEVANAGARI SIGN VIRAMA}", "\N{GRINNING FACE}")


def cut_at_or_before(data: bytes, pos: int, floor: int = 0) -> int:
    """The largest safe cut p with floor <= p <= pos; the floor when there is none above it."""
    p = min(pos, len(data))
    while floor < p < len(data):
        if escape := _escape_over(data, p, floor):
            p = escape.start()
        elif data[p - 1] | data[p] < 0x80 or data[p - 1] == _LF:
            if data[p - 1 : p + 1] != b"\r\n":
                return p
            p -= 1
        else:
            start = _cluster_start(data, p, floor)
            if start == p:
                return p
            p = start
    return max(p, floor)


def cut_at_or_after(data: bytes, pos: int, ceiling: int | None = None) -> int:
    """The smallest safe cut p with pos <= p <= ceiling; the ceiling (by default the end) if there is none."""
    limit = len(data) if ceiling is None else min(ceiling, len(data))
    p = max(pos, 0)
    while 0 < p < limit:
        if escape := _escape_over(data, p, 0):
            p = escape.end()
        elif data[p - 1] | data[p] < 0x80 or data[p - 1] == _LF:
            if data[p - 1 : p + 1] != b"\r\n":
                return p
            p += 1
        else:
            end = _cluster_end(data, p, limit)
            if end == p:
                return p
            p = end
    return min(p, limit)


def advance(data: bytes, start: int, stop: int, *, chars: int | None, size: int | None) -> int:
    """The largest p in [start, stop] such that data[start:p] fits in `chars` characters and `size` bytes.

    What counts is the text as it is shown, where a byte that is not UTF-8 is at most one U+FFFD. `None` is
    unlimited. p is never inside a UTF-8 sequence, but it is not a safe cut yet.
    """
    room = _least(stop - start, chars, size)
    if room <= 0:
        return start
    if chars is None and size is None:
        return max(start, _aligned_down(data, stop))
    if data[start : start + room].isascii():
        return start + room
    text = _decoded(data, start, _aligned_down(data, start + _reach(stop - start, chars, size)))
    if chars is not None:
        text = text[:chars]
    if size is not None:
        shown = _shown(text).encode()
        fitting = shown[: _aligned_down(shown, size)]
        text = text[: len(fitting.decode())]
    return max(start, _aligned_down(data, start + _width(text)))


def retreat(data: bytes, start: int, stop: int, *, chars: int | None, size: int | None) -> int:
    """The smallest p in [start, stop] such that data[p:stop] fits: the mirror of `advance`."""
    room = _least(stop - start, chars, size)
    if room <= 0:
        return stop
    if chars is None and size is None:
        return min(stop, _aligned_up(data, start))
    if data[stop - room : stop].isascii():
        return stop - room
    text = _decoded(data, _aligned_up(data, stop - _reach(stop - start, chars, size)), stop)
    if chars is not None:
        text = text[-chars:]
    if size is not None:
        shown = _shown(text).encode()
        fitting = shown[_aligned_up(shown, max(0, len(shown) - size)) :]
        text = text[len(text) - len(fitting.decode()) :]
    return min(stop, _aligned_up(data, stop - _width(text)))


def _escape_over(data: bytes, p: int, floor: int) -> re.Match[bytes] | None:
    """The escape sequence that position p is inside of. An unterminated or too long one is plain text.

    Asking the last ESC before p is enough. Inside a sequence an ESC stands only in the terminator `ESC \\`,
    which is a sequence itself: a cut in it is sent to its ESC, where the question is asked again.
    """
    escape = data.rfind(b"\x1b", max(floor, p - _LONGEST_ESCAPE + 1), p)
    if escape < 0:
        return None
    match = ESCAPE.match(data, escape, escape + _LONGEST_ESCAPE)
    return match if match and match.end() > p else None


def _cluster_start(data: bytes, p: int, floor: int) -> int:
    """The largest boundary of a grapheme cluster at or before p, not below the floor."""
    p = _aligned_down(data, p)
    if p <= floor:
        return floor
    right = _decoded(data, p, p + 4)[0]
    reach = _WINDOW
    while True:
        low = _aligned_down(data, p - reach) if p - reach > floor else floor
        left = _decoded(data, low, p)
        shown = _shown(left + right)
        certain = _last_certain_boundary(shown)
        if certain or low <= floor:
            break
        reach *= _GROWTH
    clusters = _clusters(shown[certain:])
    boundary = certain
    while (end := boundary + len(next(clusters))) <= len(left):
        boundary = end
    return p - _width(left[boundary:])


def _cluster_end(data: bytes, p: int, ceiling: int) -> int:
    """The next position from p on that can be a grapheme cluster boundary: p itself only if it is one."""
    if (aligned := _aligned_up(data, p)) > p:
        return aligned
    start = _cluster_start(data, p, 0)
    if start == p:
        return p
    reach = max(_WINDOW, p - start)  # not less, since every turn reads the cluster again from its start
    while True:
        high = _aligned_down(data, min(p + reach, len(data)))
        text = _decoded(data, start, high)
        first = next(_clusters(_shown(text)))
        if len(first) < len(text):
            return start + _width(text[: len(first)])
        if high >= ceiling:
            return ceiling
        reach *= _GROWTH


def _last_certain_boundary(text: str) -> int:
    """The last index at which a cluster starts whatever stands before the text; 0 if there is none."""
    known: dict[str, bool] = {}  # a long run repeats few pairs
    for i in range(len(text) - 1, 0, -1):
        pair = text[i - 1 : i + 1]
        if pair not in known:
            known[pair] = all([*_clusters(context + pair)][-1] == pair[1] for context in _OPEN_CONTEXTS)
        if known[pair]:
            return i
    return 0


def _clusters(text: str) -> Iterator[str]:
    # 20 ms to import, and most processes never cut beside a character that is not ASCII.
    from wcwidth import iter_graphemes  # noqa: PLC0415

    return iter_graphemes(text)


def _aligned_down(data: bytes, p: int) -> int:
    """The lead of the UTF-8 sequence, whole or broken off, that byte p continues; p if it continues none."""
    if p >= len(data) or data[p] & 0xC0 != 0x80:
        return p
    for lead in range(p - 1, max(p - 4, -1), -1):
        if data[lead] & 0xC0 != 0x80:
            return lead if lead + _LENGTHS[data[lead]] > p else p
    return p


def _aligned_up(data: bytes, p: int) -> int:
    """The first position from p on whose byte continues no sequence."""
    while _aligned_down(data, p) < p:
        p += 1
    return p


def _decoded(data: bytes, start: int, stop: int) -> str:
    """One character for a valid sequence, one for every other byte: `_width` is the way back."""
    return data[start:stop].decode("utf-8", "surrogateescape")


def _width(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _shown(text: str) -> str:
    return _ESCAPED_BYTE.sub("\ufffd", text)


def _least(most: int, chars: int | None, size: int | None) -> int:
    return min(most, most if chars is None else chars, most if size is None else size)


def _reach(most: int, chars: int | None, size: int | None) -> int:
    """How many bytes can fit: a shown character has at least as many bytes as its source, and at most 4."""
    return _least(most, None if chars is None else 4 * chars, size)
