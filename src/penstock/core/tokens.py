"""Tokens: the contract of a counter, and the estimate used where no tokenizer is at hand.

A counter keeps the bounds of byte-level BPE, bytes/128 <= tokens <= bytes, so that a limit can be decided without
counting when it lies outside them. `count_up_to` is what a limit asks: the count, or None once it is past the limit.

The estimate is a linear model over what a BPE tokenizer splits on: starts of words, groups of three digits, runs of
punctuation and of white space, letters by script, and what makes a word rare (long runs, clusters of consonants, mixed
letters and digits). No weight is negative, so adding text lowers it hardly ever, and then by a token or a few, where
the new text joins the old. Characters divided by four is no substitute: 60-80 % low on Chinese, base64, hex and emoji.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

MOST_BYTES_PER_TOKEN = 128

# Above this size the estimate measures windows spread evenly over the content and scales.
_SAMPLE_BYTES = 65_536
_WINDOWS = 16


class TokenCounter(Protocol):
    """Counts tokens the way one encoding does."""

    @property
    def name(self) -> str: ...

    @property
    def exact(self) -> bool:
        """False for an estimate: what is shown is then labelled "about N tokens"."""
        ...

    def count(self, text: str) -> int: ...

    def count_up_to(self, text: str, limit: int) -> int | None:
        """The count, or None when it is over `limit`; may stop as soon as that is known."""
        ...


class Estimate:
    """A counter without a vocabulary; close to o200k_base and labelled as an estimate wherever it is shown."""

    name = "estimate"
    exact = False

    def count(self, text: str) -> int:
        return estimate_tokens(text.encode("utf-8", "surrogatepass"))

    def count_up_to(self, text: str, limit: int) -> int | None:
        if len(text) > MOST_BYTES_PER_TOKEN * limit:
            return None
        count = self.count(text)
        return count if count <= limit else None


def estimate_tokens(data: bytes) -> int:
    """About how many tokens `data` is: deterministic, at least 1 for anything but nothing."""
    size = len(data)
    estimate = _weigh(data) if size <= _SAMPLE_BYTES else _weigh(_sample(data)) * size / _SAMPLE_BYTES
    return min(size, max(-(-size // MOST_BYTES_PER_TOKEN), round(estimate)))


def _weigh(data: bytes) -> float:
    return sum(count * weight for count, weight in zip(features(data), WEIGHTS, strict=True))


def _sample(data: bytes) -> bytes:
    length = _SAMPLE_BYTES // _WINDOWS
    starts = [(len(data) - length) * i // (_WINDOWS - 1) for i in range(_WINDOWS)]
    return b"".join([data[start : start + length] for start in starts])


class Features(NamedTuple):
    """What the model counts in a text. The weights have the same shape: tokens for each one counted."""

    words: float  # runs of letters; a capital after a small letter starts one
    word_tails: float  # letters after the eighth of a word
    clusters: float  # consonants after two others
    rare_letters: float  # j q x z
    scarce_letters: float  # k m v w
    capital_tails: float  # capitals after the sixth of a run
    lone_smalls: float  # aBcD: a small letter between capitals, as in base64
    capitals_after_space: float
    capitals_after_mark: float
    words_after_mark: float  # after punctuation that a token seldom shares with the word
    digits: float  # groups of at most three
    lone_digits: float  # between letters, as in hashes
    spaces_before_digit: float
    marks: float  # runs of punctuation, but for those that a word takes in
    mark_tails: float  # punctuation after the first of a run, unless a ruler
    noise: float  # punctuation after the sixth of a run, unless a ruler
    ruler_marks: float  # - = * # ~ _ + .
    slashes_after_word: float
    controls: float
    symbol_tails: float  # third and further of a row of symbols, unless a drawn line
    drawn: float  # four of a drawn line
    strays: float  # continuation bytes that continue nothing
    indents: float  # two or more blanks
    blank_tails: float  # blanks after the fifteenth of a run
    tab_runs: float
    lines: float  # runs of line ends, but for those that a mark takes in
    empty_lines: float  # line ends after the first of a run
    signs: float  # from here on, characters by lead byte; signs are those of C2
    latin: float
    greek: float
    cyrillic: float
    hebrew: float
    arabic: float
    indic: float
    viet: float  # E1: also Georgian and Khmer
    kana: float
    han: float
    hangul: float
    full_width: float
    emoji: float
    ideographic_marks: float  # counted in `kana` too


# Fitted to o200k_base by `bench/calibrate_tokens.py`, which says how and on what. cl100k_base is as close on English,
# code and logs, but needs 10 % (Chinese) to four times (Georgian) more for other scripts.
WEIGHTS = Features(
    words=0.872,
    word_tails=0.285,
    clusters=0.366,
    rare_letters=0.706,
    scarce_letters=0.287,
    capital_tails=0.307,
    lone_smalls=1.3,
    capitals_after_space=0.273,
    capitals_after_mark=0.809,
    words_after_mark=0.198,
    digits=1.02,
    lone_digits=0.681,
    spaces_before_digit=1.1,
    marks=0.903,
    mark_tails=0.182,
    noise=0.359,
    ruler_marks=0.034,
    slashes_after_word=0.493,
    controls=1.3,
    symbol_tails=1.3,
    drawn=0.802,
    strays=0.4,
    indents=0.908,
    blank_tails=0.008,
    tab_runs=0.921,
    lines=1.05,
    empty_lines=0.139,
    signs=1.093,
    latin=1.263,
    greek=0.268,
    cyrillic=0.152,
    hebrew=0.339,
    arabic=0.211,
    indic=0.292,
    viet=0.263,
    kana=0.535,
    han=0.652,
    hangul=0.401,
    full_width=0.5,
    emoji=1.954,
    ideographic_marks=1.346,
)

# A byte's class is a number of four bits, chosen so that each set asked for below takes few operations:
# 1000 vowel, 1001 consonant, 1010 rare, 1011 scarce, 1100 capital, 1101 lead of a letter, 1110 continuation, 1111 lead
# of a symbol; 0000 mark, 0001 control, 0010 ruler, 0011 slash; 0100 digit, 0101 space, 0110 tab, 0111 line end.
_CLASSES = {
    0b1000: b"aeiou",
    0b1001: b"bcdfghlnprsty",
    0b1010: b"jqxz",
    0b1011: b"kmvw",
    0b1100: bytes(range(0x41, 0x5B)),
    0b1101: bytes([*range(0xC3, 0xE2), *range(0xE3, 0xEF)]),
    0b1110: bytes(range(0x80, 0xC0)),
    0b1111: bytes([*range(0xC0, 0xC3), 0xE2, *range(0xEF, 0x100)]),
    0b0001: bytes([*range(9), *range(14, 32), 127]),
    0b0010: b"-=*#~_+.",
    0b0011: b"/\\",
    0b0100: b"0123456789",
    0b0101: b" ",
    0b0110: b"\t\v\f",
    0b0111: b"\r\n",
}
_CLASS_OF = {byte: code for code, members in _CLASSES.items() for byte in members}
_PLANES = tuple(bytes(48 + (_CLASS_OF.get(byte, 0) >> bit & 1) for byte in range(256)) for bit in (3, 2, 1, 0))

# Lead bytes of each script, in the order of the fields `signs` to `emoji`.
_SCRIPTS = tuple(
    bytes(range(first, last))
    for first, last in (
        (0xC0, 0xC3), (0xC3, 0xCE), (0xCE, 0xD0), (0xD0, 0xD6), (0xD6, 0xD8), (0xD8, 0xE0), (0xE0, 0xE1),
        (0xE1, 0xE2), (0xE3, 0xE4), (0xE4, 0xEA), (0xEA, 0xEE), (0xEE, 0xF0), (0xF0, 0x100),
    )
)  # fmt: skip
_NOT_LEADS = bytes(range(0xC0))
_DRAWN = tuple(symbol.encode() * 4 for symbol in "─━═█")
_IDEOGRAPHIC_MARK = b"\xe3\x80"  # 、。「」 and the like


class _Bits(NamedTuple):
    """Sets of the bytes of a text, one bit a byte.

    The highest bit is the first byte: `x >> 1` is what stands before a byte, `x << 1` what stands after it. Python's
    integers do 64 KB of that in a microsecond; a loop over the bytes takes milliseconds.
    """

    small: int
    capital: int
    letter: int
    consonant: int
    rare: int
    scarce: int
    digit: int
    mark: int
    control: int
    ruler: int
    slash: int
    symbol: int
    rest: int  # continuation bytes of symbols, and strays
    stray: int
    space: int
    tab: int
    end: int


def features(data: bytes) -> Features:
    bits = _bits(data)
    return Features(*_words(bits), *_digits(bits), *_marks(bits, data), *_blanks(bits), *_scripts(data))


def _bits(data: bytes) -> _Bits:
    a, b, c, d = (int(data.translate(plane) or b"0", 2) for plane in _PLANES)
    letter = small = a & ~b
    capital = a & b & ~(c | d)
    letter |= capital
    symbol = rest = stray = 0
    if not data.isascii():
        lead = a & b & d & ~c
        follow = a & b & c & ~d
        second = lead >> 1 & follow
        letter |= lead | second | second >> 1 & follow
        symbol = a & b & c & d
        rest = follow & ~letter
        of_symbol = symbol >> 1 & follow
        of_symbol |= of_symbol >> 1 & follow
        of_symbol |= of_symbol >> 1 & follow
        stray = rest & ~of_symbol
    blank = b & ~a
    mark = ((1 << len(data)) - 1) & ~(a | b)
    return _Bits(
        small=small,
        capital=capital,
        letter=letter,
        consonant=small & (c | d),
        rare=small & c & ~d,
        scarce=small & c & d,
        digit=blank & ~(c | d),
        mark=mark | symbol,
        control=mark & d & ~c,
        ruler=mark & c & ~d,
        slash=mark & c & d,
        symbol=symbol,
        rest=rest,
        stray=stray,
        space=blank & d & ~c,
        tab=blank & c & ~d,
        end=blank & c & d,
    )


def _words(bits: _Bits) -> tuple[int, ...]:
    small, capital, letter, mark = bits.small, bits.capital, bits.letter, bits.mark
    before = letter >> 1
    hump = capital & small >> 1
    start = letter & ~before | hump
    tail = (small | capital) & before & ~hump
    tail &= tail >> 1
    tail &= tail >> 2
    tail &= tail >> 4
    pair = capital & capital >> 1
    run = pair & pair >> 1
    run &= run >> 2
    run &= pair >> 4 & pair >> 5
    consonant = bits.consonant
    plain = mark & ~(bits.control | bits.ruler | bits.slash | bits.symbol)
    return (
        start.bit_count(),
        tail.bit_count(),
        (consonant & consonant >> 1 & consonant >> 2).bit_count(),
        bits.rare.bit_count(),
        bits.scarce.bit_count(),
        run.bit_count(),
        (hump & capital >> 2).bit_count(),
        (capital & bits.space >> 1).bit_count(),
        (capital & mark >> 1).bit_count(),
        (letter & plain >> 1).bit_count(),
    )


def _digits(bits: _Bits) -> tuple[int, ...]:
    digit = bits.digit
    pair = digit & digit >> 1
    four = pair & pair >> 2
    group = digit & ~(digit >> 1)
    groups = group.bit_count()
    for _ in range(4):
        group = group >> 3 & four
        groups += group.bit_count()
    if group:
        # Runs of 16 digits and more go on by thirds.
        groups -= -(four & four >> 4 & four >> 8 & four >> 12).bit_count() // 3
    letter = bits.small | bits.capital
    return groups, (letter & digit >> 1 & letter >> 2).bit_count(), (bits.space & digit << 1).bit_count()


def _marks(bits: _Bits, data: bytes) -> tuple[int, ...]:
    """A word takes in the one mark before it, unless a space or another mark stands before that."""
    mark, ruler, symbol = bits.mark, bits.ruler, bits.symbol
    first = mark & ~((mark | bits.rest) >> 1)
    taken = first & bits.letter << 1 & ~(bits.space >> 1)
    tail = mark & mark >> 1 & ~(ruler & ruler >> 1 | symbol)
    three = mark & mark >> 1 & mark >> 2
    row = symbol & symbol >> 3
    tails = (row & row >> 3).bit_count()
    drawn = sum(map(data.count, _DRAWN)) if tails else 0
    return (
        (first & ~taken).bit_count(),
        tail.bit_count(),
        (tail & three >> 1 & three >> 4).bit_count(),
        ruler.bit_count(),
        (bits.slash & bits.letter >> 1).bit_count(),
        bits.control.bit_count(),
        max(0, tails - 4 * drawn),
        drawn,
        bits.stray.bit_count(),
    )


def _blanks(bits: _Bits) -> tuple[int, ...]:
    """Blanks at the end of a line go with its end, a line end with the mark before it, one space with what follows."""
    end = bits.end
    blank = bits.space | bits.tab
    pair = blank & blank >> 1
    four = pair & pair >> 2
    eight = four & four >> 4
    return (
        (pair & ~(blank << 1) & ~(end << 1)).bit_count(),
        (eight & eight >> 8).bit_count(),
        (bits.tab & ~(bits.tab >> 1)).bit_count(),
        (end & ~((end | bits.mark) >> 1)).bit_count(),
        (end & end >> 1).bit_count(),
    )


def _scripts(data: bytes) -> list[int]:
    if data.isascii():
        return [0] * (len(_SCRIPTS) + 1)
    counts = []
    leads = data.translate(None, _NOT_LEADS)
    for script in _SCRIPTS:
        rest = leads.translate(None, script) if leads else leads
        counts.append(len(leads) - len(rest))
        leads = rest
    # The search for two bytes costs as much as all the rest of this function; that for one is free.
    return [*counts, data.count(_IDEOGRAPHIC_MARK) if b"\xe3" in data else 0]
