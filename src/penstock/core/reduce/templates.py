"""Which lines of a log are of the same making, told from what is left of them when all that varies is taken out.

Whole buffers are gone over, never one line after the other: a few milliseconds a megabyte, and linear.

Rules:
1. Lines are compared as a terminal shows them: without escape sequences, and where `\\r` goes back over what a line
   said, by what it said last. Where a runner puts the time before every line, lines begin behind it.
2. Two lines with the same *template* differ in numbers, hex ids, dates, percentages, bars and white space at most.
3. Two lines with the same *shape* have the same punctuation and as many spaces, whatever the words: test names and
   paths vary, and the lines around them stay what they are.
4. A line is common as its template is, and as its shape is: `common` is the product of both counts, 1 at least.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from operator import eq, mul
from typing import Final

from penstock.core.cut import ESCAPE
from penstock.core.patterns import re_pattern

# What varies from one line of a template to the next. The letters are those of hex numbers: taking them out of words
# too leaves words that still differ ("pss" and "il"), and costs one pass over the bytes.
_VARYING: Final = b"0123456789abcdefABCDEF \t\r\b=#.>-|*~\\"

# What is left of a shape is punctuation and spaces. What parts a name or a path counts as a part of it.
_WORDS: Final = (string.ascii_letters + string.digits + "/._-\t\r\b").encode() + bytes(range(0x80, 0x100))


# The time, and before it the names of a job and of its step, as GitHub has them. Matched at the start of a line only.
_STAMP: Final = re_pattern(
    rb"(?:[^\t]{1,80}\t[^\t]{1,80}\t)?(?:\xef\xbb\xbf)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ?"
)
_STAMPED: Final = 50  # lines that are looked at for it
_DIGITS_ALIKE: Final = bytes.maketrans(b"123456789", b"000000000")


def bare(data: bytes) -> bytes:
    """The data without escape sequences. It has the same lines."""
    return ESCAPE.sub(b"", data) if b"\x1b" in data else data


def last_said(line: bytes) -> bytes:
    """What a line shows at last, where `\\r` goes back to its start."""
    line = line.rstrip(b"\r")
    return line[line.rfind(b"\r") + 1 :]


class Templates:
    """The templates of the lines of some data; a newline at its end starts no line."""

    def __init__(self, data: bytes) -> None:
        shown = bare(data).replace(b"\r\n", b"\n")
        if b"\r\n" in shown:  # a program's own line ends, and a terminal's after them
            shown = shown.replace(b"\r\n", b"\n")
        self.texts = shown.split(b"\n")  # as a terminal shows them at last
        if not data or data.endswith(b"\n"):
            self.texts.pop()
        self.rewritten: list[int] = []
        if b"\r" in shown:
            self.rewritten = [place for place, text in enumerate(self.texts) if b"\r" in text]
            for place in self.rewritten:
                self.texts[place] = last_said(self.texts[place])
        stamped = _are_stamped(self.texts)
        if stamped:
            self.texts = _without_stamps(self.texts, b"\n".join(self.texts) if self.rewritten else shown)
        self.shown = b"\n".join(self.texts) if self.rewritten or stamped else shown
        self.keys = self.shown.translate(None, _VARYING).split(b"\n")[: len(self.texts)]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def shapes(self) -> list[bytes]:
        return self.shown.translate(None, _WORDS).split(b"\n")[: len(self.texts)]

    @cached_property
    def counts(self) -> list[int]:
        """For each line, how many have its template."""
        return list(map(self._key_counts.__getitem__, self.keys))

    @cached_property
    def common(self) -> list[int]:
        return list(map(mul, self.counts, map(self._shape_counts.__getitem__, self.shapes)))

    def common_of(self, line: int) -> int:
        """What `common` has of one line, for those that ask of few."""
        return self._key_counts[self.keys[line]] * self._shape_counts[self.shapes[line]]

    @cached_property
    def _key_counts(self) -> Counter[bytes]:
        return Counter(self.keys)

    @cached_property
    def _shape_counts(self) -> Counter[bytes]:
        return Counter(self.shapes)

    @cached_property
    def first_of(self) -> dict[bytes, int]:
        """The first line of each template."""
        return dict(zip(reversed(self.keys), range(len(self.keys) - 1, -1, -1), strict=True))

    @cached_property
    def last_of(self) -> dict[bytes, int]:
        """The last line of each template."""
        return dict(zip(self.keys, range(len(self.keys)), strict=True))

    @cached_property
    def firsts(self) -> list[int]:
        """The first line of each template, in order."""
        return sorted(self.first_of.values())

    @cached_property
    def lasts(self) -> list[int]:
        """The last line of each template, in order."""
        return sorted(self.last_of.values())

    def runs(self, least: int = 3) -> Iterator[tuple[int, int]]:
        """Where at least so many lines in a row have one template: the first, and the one after the last."""
        same = bytes(map(eq, self.keys, islice(self.keys, 1, None)))
        start = same.find(b"\1" * (least - 1))
        while start >= 0:
            stop = same.find(b"\0", start)
            stop = len(same) if stop < 0 else stop
            yield start, stop + 1
            start = same.find(b"\1" * (least - 1), stop)


def _without_stamps(texts: list[bytes], joined: bytes) -> list[bytes]:
    size, line = next((stamp.end(), line) for line, stamp in enumerate(map(_STAMP.match, texts)) if stamp)
    # As a rule all stamps look like the first one, which is told quicker than that they are stamps.
    alike = joined.translate(_DIGITS_ALIKE).split(b"\n")
    first = alike[line][:size]
    return [
        text[size:] if other.startswith(first) else _without_stamp(text)
        for text, other in zip(texts, alike, strict=False)
    ]


def _without_stamp(text: bytes) -> bytes:
    stamp = _STAMP.match(text)
    return text[stamp.end() :] if stamp else text


def _are_stamped(texts: list[bytes]) -> bool:
    first = texts[:_STAMPED]
    return sum(map(bool, map(_STAMP.match, first))) > 0.9 * len(first)
