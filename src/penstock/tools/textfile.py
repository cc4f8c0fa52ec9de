"""A file as text that the core can page and search: UTF-8 as it lies on disk, other encodings as UTF-8 in memory."""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from penstock.core.handle import Handle
from penstock.core.source import errors_of, is_mostly_utf8
from penstock.errors import CallerError, ToolError
from penstock.tools.picture import UNKNOWN, described
from penstock.tools.roots import opened

# What is looked at to tell text from binary, and one encoding from another.
PROBED: Final = 64 * 1024

# A file that is not UTF-8 is read as a whole.
TRANSCODED_MOST: Final = 64 * 1024 * 1024

_BLOCK: Final = 1024 * 1024

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins the same
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What a file is taken for that is text and not UTF-8: every byte of it is some character.
OTHERWISE: Final = "cp1252"

# What no text is full of: control characters but those for blanks, lines and colours.
_CONTROLS: Final = bytes(code for code in range(0x20) if code not in b"\b\t\n\v\f\r\x1b")
_CONTROLS_MOST: Final = 0.01

_WIDE: Final = ("utf-16-le", "utf-16-be")
_WIDE_LEAST: Final = 4
_WIDE_UPPER: Final = 0.4
_WIDE_BELOW: Final = 0.02
_NO_LETTERS: Final = frozenset(map(chr, _CONTROLS))


class TextFile:
    """A `Source` of the core. `encoding` is what the file was read as; `mark` the bytes of its byte order mark.

    `guessed` says that neither a mark nor the bytes settle the encoding. UTF-8 that is guessed has bytes that are none.
    """

    handle = Handle("")  # a file is no kept output

    def __init__(self, file: BinaryIO, encoding: str, mark: int, *, guessed: bool = False) -> None:
        self._file = file
        self._mark = mark
        self.encoding = encoding
        self.guessed = guessed
        self.size = file.seek(0, os.SEEK_END) - mark
        self._newlines = self._counted()

    @property
    def lines(self) -> int:
        open_ended = self.size > 0 and self.read(self.size - 1, 1) != b"\n"
        return self._newlines[-1] + open_ended

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(self._mark + offset)
        return self._file.read(size)

    def seek_line(self, line: int) -> tuple[int, int]:
        # The last block with a newline less before it than the line has: it begins before the line does.
        block = bisect_right(self._newlines, line - 2) - 1 if line > 1 else 0
        return min(block * _BLOCK, self.size), self._newlines[block]

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _counted(self) -> list[int]:
        """Newlines before each block, and at last all of them."""
        newlines = [0]
        self._file.seek(self._mark)
        while block := self._file.read(_BLOCK):
            newlines.append(newlines[-1] + block.count(b"\n"))
        return newlines


def is_text(probe: bytes) -> bool:
    """Whether bytes from the start of a file are text."""
    return _encoding_of(probe) is not None


def open_text(path: Path, encoding: str | None = None) -> TextFile | None:
    """A text file for reading, or None for a binary one. `encoding` is what the caller knows better."""
    file = opened(path)
    try:
        probe = file.read(PROBED)
        mark, marked = _mark_of(probe)
        known = _encoding_of(probe) if encoding is None else _codec(encoding)
        if known is None:
            file.close()
            return None
        guessed = encoding is None and marked is None and (known != "utf-8" or not _is_utf8(probe))
        if known == OTHERWISE and guessed and file.seek(0, os.SEEK_END) > TRANSCODED_MOST:
            known = "utf-8"  # better some letters missing than all of it
        if known == "utf-8":
            return TextFile(file, known, mark, guessed=guessed)
        with file:
            return TextFile(_transcoded(file, path, known, mark if marked == known else 0), known, 0, guessed=guessed)
    except OSError as error:  # such as that of a file that a kernel makes up, or of a bad disk
        file.close()
        raise ToolError(f"{path.name} cannot be read: {error.strerror}") from None
    except BaseException:
        file.close()
        raise


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # not one of those that make bytes of bytes,
        b"\xff\x80".decode(name, "replace")  # or that are for names of hosts
    except (LookupError, TypeError, ValueError):
        raise CallerError(
            f"encoding = {encoding[:80]!r} is not known: such as utf-8, latin-1, gbk, shift_jis"
        ) from None
    return name


def _mark_of(probe: bytes) -> tuple[int, str | None]:
    return next(((len(mark), name) for mark, name in _MARKS if probe.startswith(mark)), (0, None))


def _encoding_of(probe: bytes) -> str | None:
    """What text is encoded in, by a byte order mark or by its bytes; None where it is no text."""
    marked = _mark_of(probe)[1]
    if marked is not None:
        return marked
    if b"\0" in probe:
        return next((name for name in _WIDE if _is_wide(probe, name)), None)
    if probe.startswith(b"%PDF-"):  # whose pages may well be packed as letters
        return None
    if _is_utf8(probe):
        return "utf-8"
    controls = len(probe) - len(probe.translate(None, _CONTROLS))
    if controls > len(probe) * _CONTROLS_MOST or (controls and described(probe) != UNKNOWN):
        return None
    return "utf-8" if is_mostly_utf8(probe) else OTHERWISE


def _is_wide(probe: bytes, encoding: str) -> bool:
    """Whether it is UTF-16 without a mark: many letters have a zero for their upper byte, and hardly any below."""
    letters = len(probe) // 2
    upper = probe[encoding == "utf-16-le" :: 2].count(0)
    below = probe.count(0) - upper
    if letters < _WIDE_LEAST or upper < _WIDE_UPPER * letters or below > _WIDE_BELOW * letters:
        return False
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(probe, final=len(probe) < PROBED)
    except UnicodeDecodeError:
        return False
    return _NO_LETTERS.isdisjoint(text)


def _is_utf8(probe: bytes) -> bool:
    """Whether it is UTF-8, up to a character that the end of the probe has cut."""
    cuts = 4 if len(probe) == PROBED else 1
    return any(errors_of(probe[: len(probe) - cut]) == "surrogatepass" for cut in range(cuts))


def _transcoded(file: BinaryIO, path: Path, encoding: str, mark: int) -> BytesIO:
    size = file.seek(0, os.SEEK_END)
    if size > TRANSCODED_MOST:
        raise CallerError(
            f"{path.name} is {encoding} and has {size:,} bytes: what is not UTF-8 is read up to {TRANSCODED_MOST:,}"
        )
    file.seek(mark)
    try:
        text = file.read().decode(encoding, "replace")
    except ValueError:  # some codecs replace nothing
        raise CallerError(f"encoding = {encoding!r}: {path.name} cannot be read so") from None
    return BytesIO(text.encode("utf-8", "surrogatepass"))
