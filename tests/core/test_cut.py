"""The oracle here reads the whole text from its start; the code under test may look at a window only."""

import re
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from penstock.core import cut
from penstock.core.cut import advance, cut_at_or_after, cut_at_or_before, retreat

FAMILY = "👨‍👩‍👧‍👦"
FLAG_LETTERS = "\U0001f1e9\U0001f1ea"
LINK = b"\x1b]8;;http://example.org/\xc3\xa9\x1b\\"

TEXT_PIECES = [
    *"a Z|\0\t\r\n中ひ가각é😀❤✁",
    "\r\n",
    FAMILY,
    "👍🏽",
    "\U0001f3fd",
    *FLAG_LETTERS,
    "3\ufe0f\u20e3",
    "\u200d",
    "\u200c",
    "\ufe0f",
    *"\u0301\u0308\u20d2",
    *"\u1100\u1160\u11a8",
    *"\u0915\u0924\u094d\u093c\u093f\u0903",
    *"\u1019\u1039\u1b13\u1b44\u1cf5",
    *"\u0e01\u0e33\u0e48",
    *"\u0627\u0651\u0600\u0d4e",
    *"\u00ad\ue000\u0378\U0010ffff",
]
ANSI_PIECES = [
    b"\x1b[31m",
    b"\x1b[38;5;196m",
    b"\x1b[0m",
    b"\x1b[ q",
    LINK,
    b"\x1b]0;title\x07",
    b"\x1bP1$r\x1b\\",
    b"\x1b(B",
    b"\x1b7",
    b"\x1b",
    *(bytes([byte]) for byte in b"[]()P\\;m0 \x07\x7f"),
]
BROKEN_PIECES = [
    *(lone.encode("utf-8", "surrogatepass") for lone in "\ud83d\udc00"),
    *[
        b"\x80",
        b"\xbf\xbf",
        b"\xc1",
        b"\xc3",
        b"\xe0\x80",
        b"\xe4\xb8",
        b"\xed",
        b"\xf0\x9f\x91",
        b"\xf4\x90",
        b"\xff",
    ],
]


def joined(pieces: list[bytes], most: int = 80) -> st.SearchStrategy[bytes]:
    few = st.lists(st.sampled_from(pieces), min_size=1, max_size=4, unique=True)
    # A small alphabet of its own for each example gives the long runs that a large one never does.
    return few.flatmap(lambda some: st.lists(st.sampled_from(some), max_size=most)).map(b"".join) | st.lists(
        st.sampled_from(pieces), max_size=most
    ).map(b"".join)


TEXT = joined([piece.encode() for piece in TEXT_PIECES])
ANYTHING = joined([piece.encode() for piece in TEXT_PIECES] + ANSI_PIECES + BROKEN_PIECES) | st.binary(max_size=60)

ESCAPES = re.compile(
    rb"\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]"
    rb"|\x1b[\]PX^_][^\x07\x1b\r\n]*(?:\x07|\x1b\x5c)"
    rb"|\x1b[\x20-\x2f]+[\x30-\x7e]"
    rb"|\x1b(?![\[\]PX^_])[\x30-\x7e]"
)


def units(data: bytes) -> list[bytes]:
    """Sequences in order: a lead byte takes the continuation bytes that it announces, if they are there."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        lead = data[at]
        wanted = 4 if 0xF0 <= lead <= 0xF4 else 3 if 0xE0 <= lead < 0xF0 else 2 if 0xC2 <= lead < 0xE0 else 1
        end = at + 1
        while end < min(at + wanted, len(data)) and 0x80 <= data[end] < 0xC0:
            end += 1
        found.append(data[at:end])
        at = end
    return found


def unit_edges(data: bytes) -> list[int]:
    edges = [0]
    for unit in units(data):
        edges.append(edges[-1] + len(unit))
    return edges


def character(unit: bytes) -> str:
    text = unit.decode("utf-8", "replace")
    return text if len(text) == 1 else "\ufffd"


def safe_cuts(data: bytes) -> list[int]:
    edges = unit_edges(data)
    safe = {0}
    index = 0
    for cluster in iter_graphemes("".join(map(character, units(data)))):
        index += len(cluster)
        safe.add(edges[index])
    for escape in ESCAPES.finditer(data):
        safe -= set(range(escape.start() + 1, escape.end()))
    return sorted(safe)


def last_up_to(cuts: list[int], pos: int) -> int:
    return max(place for place in cuts if place <= pos)


def first_from(cuts: list[int], pos: int) -> int:
    return min(place for place in cuts if place >= pos)


@given(ANYTHING)
def test_cuts_are_the_nearest_that_the_whole_text_allows(data: bytes) -> None:
    cuts = safe_cuts(data)
    for pos in range(len(data) + 1):
        assert cut_at_or_before(data, pos) == last_up_to(cuts, pos)
        assert cut_at_or_after(data, pos) == first_from(cuts, pos)


@given(TEXT)
def test_cuts_in_plain_text_are_exactly_the_cluster_boundaries_of_the_library(data: bytes) -> None:
    boundaries = {0}
    for cluster in iter_graphemes(data.decode()):
        boundaries.add(max(boundaries) + len(cluster.encode()))
    assert {cut_at_or_before(data, pos) for pos in range(len(data) + 1)} == boundaries
    assert {cut_at_or_after(data, pos) for pos in range(len(data) + 1)} == boundaries


@given(ANYTHING)
def test_cuts_do_not_depend_on_the_size_of_the_first_window(data: bytes) -> None:
    cuts = safe_cuts(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut, "_WINDOW", 4)
        patch.setattr(cut, "_GROWTH", 2)
        for pos in range(len(data) + 1):
            assert cut_at_or_before(data, pos) == last_up_to(cuts, pos)
            assert cut_at_or_after(data, pos) == first_from(cuts, pos)


@given(ANYTHING)
def test_halves_of_a_cut_decode_to_what_the_whole_decodes_to(data: bytes) -> None:
    whole = data.decode("utf-8", "replace")
    for pos in range(len(data) + 1):
        for place in (cut_at_or_before(data, pos), cut_at_or_after(data, pos)):
            assert data[:place].decode("utf-8", "replace") + data[place:].decode("utf-8", "replace") == whole


@given(st.lists(st.sampled_from([*TEXT_PIECES, "\ud83d", "\udc00"]), max_size=40).map("".join))
def test_halves_of_a_str_with_lone_surrogates_are_such_strs(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    for pos in range(len(data) + 1):
        for place in (cut_at_or_before(data, pos), cut_at_or_after(data, pos)):
            halves = (half.decode("utf-8", "surrogatepass") for half in (data[:place], data[place:]))
            assert "".join(halves) == text


@given(ANYTHING, st.data())
def test_cut_between_floor_and_ceiling_is_the_nearest_safe_one_or_the_edge(data: bytes, draw: st.DataObject) -> None:
    cuts = safe_cuts(data)
    floor = draw.draw(st.sampled_from(cuts))
    pos = draw.draw(st.integers(0, len(data) + 3))
    ceiling = draw.draw(st.integers(pos, len(data) + 5))
    assert cut_at_or_before(data, pos, floor) == max(floor, last_up_to(cuts, pos))
    assert cut_at_or_after(data, pos, ceiling) == min(first_from([*cuts, ceiling], pos), len(data))


@given(ANYTHING, st.integers(0, 200), st.integers(0, 200))
def test_cut_never_leaves_an_edge_that_the_caller_chose_badly(data: bytes, one: int, other: int) -> None:
    low, high = sorted((min(one, len(data)), min(other, len(data))))
    assert low <= cut_at_or_before(data, high, low) <= high
    assert low <= cut_at_or_after(data, low, high) <= high


def test_cut_outside_the_data_is_its_nearer_end() -> None:
    assert cut_at_or_before(b"abc", 9) == 3
    assert cut_at_or_before(b"abc", -2) == 0
    assert cut_at_or_after(b"abc", -2) == 0
    assert cut_at_or_after(b"abc", 9) == 3
    assert cut_at_or_before(b"", 0) == cut_at_or_after(b"", 0) == 0


# One line for each rule of UAX #29; "|" is a boundary.
@pytest.mark.parametrize(
    "clusters",
    [
        pytest.param("a|\r\n|b", id="GB3 a line end of two bytes is one"),
        pytest.param("a|\r|\u0301|\n|\u0308", id="GB4 GB5 nothing joins a control"),
        pytest.param("\u1100\u1100\u1160\u11a8|\u1100\uac00\u11a8", id="GB6 GB7 GB8 jamo make syllables"),
        pytest.param("각\u11a8|가|각", id="GB8 precomposed syllables stand alone"),
        pytest.param("e\u0301\u0308|x\u200d|中\ufe0f", id="GB9 marks and joiners extend"),
        pytest.param("3\ufe0f\u20e3|#\u20e3", id="GB9 keycaps"),
        pytest.param("\u0e01\u0e33|\u0915\u093f", id="GB9a spacing marks extend"),
        pytest.param("\u06001|\u0d4e\u0d15|a", id="GB9b a prepended sign takes what follows"),
        pytest.param("\u0915\u094d\u0924\u094d\u092f|\u0915", id="GB9c conjuncts"),
        pytest.param("\u0915\u093c\u200d\u094d\u0924|\u0915|\u0924", id="GB9c conjunct with nukta and joiner"),
        pytest.param("\u179f\u17d2\u178f|\u1019\u1039\u1018", id="GB9c Khmer and Burmese stacks"),
        pytest.param("👨🏽\u200d👩🏻|👶|a\u200d|👶", id="GB11 emoji sequences"),
        pytest.param("a|🇩🇪|🇫🇷|🇫|b|🇩🇪", id="GB12 GB13 flags are pairs"),
        pytest.param("a|b|中|国|한|글|😀|😀|é|ش", id="GB999 everything else breaks"),
    ],
)
def test_cut_follows_each_rule_of_uax_29(clusters: str) -> None:
    data = clusters.replace("|", "").encode()
    edges = [0]
    for cluster in clusters.split("|"):
        edges.append(edges[-1] + len(cluster.encode()))
    for pos in range(len(data) + 1):
        assert cut_at_or_before(data, pos) == last_up_to(edges, pos)
        assert cut_at_or_after(data, pos) == first_from(edges, pos)


@pytest.mark.parametrize(
    "escape",
    [
        pytest.param(b"\x1b[1;31m", id="colour"),
        pytest.param(b"\x1b[?25l", id="private mode"),
        pytest.param(b"\x1b[2 q", id="cursor shape"),
        pytest.param(LINK, id="link"),
        pytest.param("\x1b]0;題名\x07".encode(), id="title"),
        pytest.param(b"\x1bPq#0;2;0;0;0\x1b\\", id="device control string"),
        pytest.param(b"\x1b_G1\x1b\\", id="application command"),
        pytest.param(b"\x1b(B", id="character set"),
        pytest.param(b"\x1bM", id="two bytes"),
        pytest.param(b"\x1b]8;;" + b"u" * 4090 + b"\x07", id="as long as allowed"),
    ],
)
def test_cut_never_splits_an_ansi_escape(escape: bytes) -> None:
    data = b"ab" + escape + b"cd"
    for pos in {3, len(escape) // 2 + 2, len(escape) + 1}:
        assert cut_at_or_before(data, pos) == 2
        assert cut_at_or_after(data, pos) == 2 + len(escape)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\x1b[31", id="colour without an end"),
        pytest.param(b"\x1b[3\x1b", id="colour interrupted"),
        pytest.param(b"\x1b]8;;http://example.org", id="link without an end"),
        pytest.param(b"\x1b]0;a\nb\x07", id="title over a line's end"),
        pytest.param(b"\x1b]8;;" + b"u" * 4091 + b"\x07", id="one byte too long"),
    ],
)
def test_cut_takes_what_only_begins_like_an_escape_for_text(text: bytes) -> None:
    for pos in range(1, len(text)):
        assert cut_at_or_before(text, pos) == cut_at_or_after(text, pos) == pos


def test_cut_that_breaks_two_rules_moves_until_both_agree() -> None:
    data = "中\x1b[1m\u0301文".encode()
    assert cut_at_or_before(data, 7) == 3
    assert cut_at_or_after(data, 4) == 9
    terminator = b"ab" + LINK + b"c"
    assert cut_at_or_before(terminator, len(terminator) - 2) == 2


def test_cut_inside_a_cluster_that_passes_the_edge_is_the_edge() -> None:
    data = ("a" + "\u0301" * 500 + "b").encode()
    assert cut_at_or_before(data, 600, floor=0) == 0
    assert cut_at_or_after(data, 600, ceiling=800) == 800
    assert cut_at_or_after(data, 600) == 1001


def test_cut_reads_from_the_floor_as_from_a_start() -> None:
    assert cut_at_or_before(b"\x1b[31mx", 4, floor=2) == 4
    flags = FLAG_LETTERS[0].encode() * 100
    assert cut_at_or_before(flags, 203, floor=0) == 200
    assert cut_at_or_before(flags, 203, floor=4) == 196
    assert cut_at_or_before(b"a" + flags, 204) == 201


RUN = 1_000_000


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        pytest.param("\U0001f1e9", lambda pos: pos - (pos - 1) % 8, id="flags"),
        pytest.param("\u0301", lambda pos: 0, id="marks on one base"),
        pytest.param("\u1100", lambda pos: 1, id="jamo"),
        pytest.param("👨\u200d", lambda pos: 1, id="emoji joined to one"),
        pytest.param("\u0915\u094d", lambda pos: 1, id="one conjunct"),
        pytest.param("का", lambda pos: pos - (pos - 1) % 6, id="syllables without a space"),
        pytest.param("👍🏽", lambda pos: pos - (pos - 1) % 8, id="emoji with a skin tone"),
        pytest.param("❤\ufe0f", lambda pos: pos - (pos - 1) % 6, id="emoji with a variation selector"),
    ],
)
def test_cut_in_a_run_of_a_million_characters_is_right_and_takes_seconds_at_most(
    unit: str, expected: Callable[[int], int]
) -> None:
    data = b"a" + unit.encode() * (RUN // len(unit)) + b" b"
    started = time.perf_counter()
    for pos in (len(data) // 2, len(data) - 5):
        assert cut_at_or_before(data, pos) == expected(pos)
    after = cut_at_or_after(data, len(data) // 2)
    assert after == len(data) - 2 or expected(after) == after
    assert time.perf_counter() - started < 20  # 0.5 s where it was written; quadratic would be minutes


@pytest.mark.parametrize("unit", ["plain log line\n", "中文", FAMILY, "🇩🇪 ", "नमस्ते ", "\x1b[31mred\x1b[0m ", "é\ud83d"])
def test_answers_about_50_megabytes_look_at_a_window_only(unit: str) -> None:
    one = unit.encode("utf-8", "surrogatepass")
    data = one * (50_000_000 // len(one))
    cut_at_or_before("é中".encode(), 2)  # the library is loaded before the clock starts
    started = time.perf_counter()
    for pos in range(25_000_000, 25_000_010):
        cut_at_or_before(data, pos)
        cut_at_or_after(data, pos)
    advance(data, 0, len(data), chars=8_000, size=51_200)
    retreat(data, 0, len(data), chars=8_000, size=51_200)
    advance(data, 0, len(data), chars=None, size=None)
    retreat(data, 0, len(data), chars=None, size=None)
    assert time.perf_counter() - started < 0.05


def test_cut_in_ascii_loads_no_library() -> None:
    program = (
        "import sys; from penstock.core.cut import *\n"
        "data = '中\\nplain \\x1b[1mbold\\x1b[0m\\r\\nend'.encode()\n"
        "for pos in range(4, len(data) + 1): cut_at_or_before(data, pos), cut_at_or_after(data, pos)\n"
        "sys.exit('wcwidth' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


LIMIT = st.none() | st.integers(-2, 60)


def fits(data: bytes, chars: int | None, size: int | None) -> bool:
    """Whether it fits when each byte that is not UTF-8 is shown as a U+FFFD of its own."""
    text = re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))
    return (chars is None or len(text) <= chars) and (size is None or len(text.encode()) <= size)


@given(ANYTHING, LIMIT, LIMIT, st.data())
def test_advance_is_the_farthest_that_fits(
    data: bytes, chars: int | None, size: int | None, draw: st.DataObject
) -> None:
    edges = unit_edges(data)
    start = draw.draw(st.sampled_from(edges))
    stop = draw.draw(st.integers(start, len(data)))
    within = [edge for edge in edges if start <= edge <= stop and fits(data[start:edge], chars, size)]
    assert advance(data, start, stop, chars=chars, size=size) == max([start, *within])


@given(ANYTHING, LIMIT, LIMIT, st.data())
def test_retreat_is_the_farthest_that_fits(
    data: bytes, chars: int | None, size: int | None, draw: st.DataObject
) -> None:
    edges = unit_edges(data)
    stop = draw.draw(st.sampled_from(edges))
    start = draw.draw(st.integers(0, stop))
    within = [edge for edge in edges if start <= edge <= stop and fits(data[edge:stop], chars, size)]
    assert retreat(data, start, stop, chars=chars, size=size) == min([stop, *within])


@given(ANYTHING, st.integers(1, 60), st.integers(1, 60))
def test_what_advance_and_retreat_take_fits_when_python_shows_it(data: bytes, chars: int, size: int) -> None:
    head = data[: advance(data, 0, len(data), chars=chars, size=size)].decode("utf-8", "replace")
    tail = data[retreat(data, 0, len(data), chars=chars, size=size) :].decode("utf-8", "replace")
    for shown in (head, tail):
        assert len(shown) <= chars
        assert len(shown.encode()) <= size


def test_advance_and_retreat_count_characters_and_bytes() -> None:
    data = "é中😀".encode()
    assert [advance(data, 0, 9, chars=n, size=None) for n in range(5)] == [0, 2, 5, 9, 9]
    assert [advance(data, 0, 9, chars=None, size=n) for n in range(10)] == [0, 0, 2, 2, 2, 5, 5, 5, 5, 9]
    assert [retreat(data, 0, 9, chars=n, size=None) for n in range(5)] == [9, 5, 2, 0, 0]
    assert [retreat(data, 0, 9, chars=None, size=n) for n in range(10)] == [9, 9, 9, 9, 5, 5, 5, 2, 2, 0]
    assert advance(b"\xff\xff", 0, 2, chars=None, size=5) == 1
    assert retreat(b"\xff\xff", 0, 2, chars=None, size=5) == 1
