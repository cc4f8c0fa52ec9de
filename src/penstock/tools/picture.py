"""What a file is that is no text, told from its first bytes: its type and, for a picture, its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_Size = tuple[int, int] | None


def described(data: bytes) -> str:
    """Such as "PNG image, 640 x 480" or "ZIP archive"; "binary data" where the bytes say nothing."""
    for kind, size_of in _PICTURES:
        if (size := size_of(data)) is not None:
            return f"{kind} image, {size[0]} x {size[1]}" if size != (0, 0) else f"{kind} image"
    return next((name for place, magic, name in _MAGIC if data[place : place + len(magic)] == magic), "binary data")


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


def _big(data: bytes, place: int, size: int) -> int:
    return int.from_bytes(data[place : place + size], "big")


def _little(data: bytes, place: int, size: int, *, signed: bool = False) -> int:
    return int.from_bytes(data[place : place + size], "little", signed=signed)


_PICTURES: Final[tuple[tuple[str, Callable[[bytes], _Size]], ...]] = (
    ("PNG", _png),
    ("JPEG", _jpeg),
    ("GIF", _gif),
    ("WebP", _webp),
    ("BMP", _bmp),
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
    (0, b"II*\0", "TIFF image"),
    (0, b"MM\0*", "TIFF image"),
    (4, b"ftyp", "MPEG-4 or HEIF media"),
    (0, b"OggS", "Ogg media"),
    (0, b"ID3", "MP3 audio"),
    (0, b"fLaC", "FLAC audio"),
    (8, b"WAVE", "WAV audio"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\0\1\0\0\0", "TrueType font"),
    (0, b"PAR1", "Parquet table"),
)
