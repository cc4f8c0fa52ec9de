"""What a file is that is no text, told from its first bytes: its type and, for a picture, its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

_Size = tuple[int, int] | None

UNKNOWN: Final = "binary data"


def described(data: bytes) -> str:
    """Such as "PNG image, 640 x 480" or "ZIP archive"; "binary data" where the bytes say nothing."""
    for kind, size_of in _PICTURES:
        if (size := size_of(data)) is not None:
            return f"{kind} image, {size[0]} x {size[1]}" if size != (0, 0) else f"{kind} image"
    return next((name for place, magic, name in _MAGIC if data[place : place + len(magic)] == magic), UNKNOWN)


def _png(data: bytes) -> _Size:
    return (_big(data, 16, 4), _big(data, 20, 4)) if data.startswith(b"\x89PNG\r\n\x1a\n") else None


def _gif(data: bytes) -> _Size:
    return (_little(data, 6, 2), _little(data, 8, 2)) if data[:6] in (b"GIF87a", b"GIF89a") else None


def _bmp(data: bytes) -> _Size:
    return (_little(data, 18, 4), abs(_little(data, 22, 4, signed=True))) if data[:2] == b"BM" else None


def _jpeg(data: bytes) -> _Size:
    if not data.startswith(b"\xff\xd8\xff"):
        return None
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        # The frame headers; three numbers among them mean tables.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(data, place + 7, 2), _big(data, place + 5, 2)
        place += 2 + _big(data, place + 2, 2)
    return 0, 0


def _webp(data: bytes) -> _Size:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    if data[12:16] == b"VP8X":
        return 1 + _little(data, 24, 3), 1 + _little(data, 27, 3)
    if data[12:16] == b"VP8 ":
        return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
    bits = _little(data, 21, 4)
    return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)


def _tiff(data: bytes) -> _Size:
    order: Literal["little", "big"] = "little" if data[:2] == b"II" else "big"
    if data[:4] not in (b"II*\0", b"MM\0*"):
        return None

    def number(place: int, size: int) -> int:
        return int.from_bytes(data[place : place + size], order)

    table = number(4, 4)
    sides = [0, 0]
    for entry in range(table + 2, table + 2 + 12 * number(table, 2), 12):
        if (tag := number(entry, 2)) in (256, 257):  # width and height, of two bytes or four
            sides[tag - 256] = number(entry + 8, 2 if number(entry + 2, 2) == 3 else 4)
        if entry > len(data):  # the table lies behind what was read
            break
    return (sides[0], sides[1]) if all(sides) else (0, 0)


def _ico(data: bytes) -> _Size:
    """The size of the largest of its pictures."""
    many = _little(data, 4, 2)
    if data[:4] != b"\0\0\1\0" or not 1 <= many <= 100:
        return None
    sides = [
        (data[place] or 256, data[place + 1] or 256) for place in range(6, 6 + 16 * many, 16) if place + 1 < len(data)
    ]
    return max(sides, default=(0, 0))


def _avif(data: bytes) -> _Size:
    return _spatial(data) if data[4:12] in (b"ftypavif", b"ftypavis") else None


def _heif(data: bytes) -> _Size:
    return _spatial(data) if data[4:12] in _HEIF else None


def _spatial(data: bytes) -> tuple[int, int]:
    """The largest extent that is declared, as there are thumbnails and tiles beside the picture."""
    sides = [(0, 0)]
    place = data.find(b"ispe")
    while 0 <= place <= len(data) - 16:
        sides.append((_big(data, place + 8, 4), _big(data, place + 12, 4)))
        place = data.find(b"ispe", place + 4)
    return max(sides)


def _psd(data: bytes) -> _Size:
    return (_big(data, 18, 4), _big(data, 14, 4)) if data[:4] == b"8BPS" else None


def _big(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "big")


def _little(data: bytes, place: int, size: int, *, signed: bool = False) -> int:
    return int.from_bytes(data[place : place + size], "little", signed=signed)


_HEIF: Final = frozenset(b"ftyp" + brand for brand in (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1"))

_PICTURES: Final[tuple[tuple[str, Callable[[bytes], _Size]], ...]] = (
    ("PNG", _png),
    ("JPEG", _jpeg),
    ("GIF", _gif),
    ("WebP", _webp),
    ("BMP", _bmp),
    ("TIFF", _tiff),
    ("ICO", _ico),
    ("AVIF", _avif),
    ("HEIF", _heif),
    ("PSD", _psd),
)

_MAGIC: Final = (
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive (or a document or package in one)"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "ELF program or library"),
    (0, b"MZ", "Windows program or library"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program or library"),
    (0, b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (4, b"JXL \r\n\x87\n", "JPEG XL image"),
    (0, b"\xff\x0a", "JPEG XL image"),
    (4, b"ftyp", "MPEG-4 media"),
    (0, b"OggS", "Ogg media"),
    (0, b"ID3", "MP3 audio"),
    (0, b"fLaC", "FLAC audio"),
    (8, b"WAVE", "WAV audio"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\0\1\0\0\0", "TrueType font"),
    (0, b"PAR1", "Parquet table"),
)
