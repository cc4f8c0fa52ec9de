from __future__ import annotations

import struct

import pytest

from penstock.tools.picture import described

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 12, 7)
BMP = b"BM" + b"\0" * 16 + struct.pack("<ii", 30, -20)
JPEG = b"\xff\xd8\xff\xe0\0\4ab\xff\xc4\0\2\xff\xc0\0\x11\x08" + struct.pack(">HH", 200, 300) + b"\3"
TIFF = b"II*\0\x08\0\0\0" + struct.pack("<HHHIIHHII", 2, 256, 3, 1, 77, 257, 4, 1, 33)
ICO = b"\0\0\1\0\2\0" + b"\x20\x20" + b"\0" * 14 + b"\0\x30" + b"\0" * 14
AVIF = b"\0\0\0\x1cftypavif" + b"".join(b"ispe\0\0\0\0" + struct.pack(">II", *size) for size in ((80, 60), (800, 600)))
WEBP = b"RIFF\0\0\0\0WEBP"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PNG, "PNG image, 640 x 480"),
        (GIF, "GIF image, 12 x 7"),
        (BMP, "BMP image, 30 x 20"),
        (JPEG, "JPEG image, 300 x 200"),
        (JPEG[:9], "JPEG image"),
        (WEBP + b"VP8X" + b"\0" * 8 + (99).to_bytes(3, "little") + (49).to_bytes(3, "little"), "WebP image, 100 x 50"),
        (WEBP + b"VP8 " + b"\0" * 10 + struct.pack("<HH", 64, 32), "WebP image, 64 x 32"),
        (WEBP + b"VP8L" + b"\0" * 5 + struct.pack("<I", 15 | 9 << 14), "WebP image, 16 x 10"),
        (TIFF, "TIFF image, 77 x 33"),
        (b"MM\0*\0\0\0\x08\0\1" + struct.pack(">HHII", 256, 4, 1, 9), "TIFF image"),
        (ICO, "ICO image, 256 x 48"),
        (b"\0\0\1\0\0\0", "binary data"),
        (AVIF, "AVIF image, 800 x 600"),
        (b"\0\0\0\x1cftypheic" + b"\0" * 20, "HEIF image"),
        (b"\0\0\0\x1cftypmp42", "MPEG-4 media"),
        (b"8BPS\0\1" + b"\0" * 6 + struct.pack(">HII", 3, 20, 30), "PSD image, 30 x 20"),
        (b"\xff\x0a\xfa", "JPEG XL image"),
        (b"%PDF-1.7", "PDF document"),
        (b"\x7fELF\2", "ELF program or library"),
        (b"\0" * 257 + b"ustar", "tar archive"),
        (b"\1\2\3", "binary data"),
        (b"", "binary data"),
    ],
)
def test_file_is_told_from_its_first_bytes(data: bytes, said: str) -> None:
    assert described(data) == said


@pytest.mark.parametrize("data", [PNG, GIF, BMP, JPEG, TIFF, ICO, AVIF, WEBP + b"VP8X" + b"\0" * 14])
def test_file_that_is_cut_off_anywhere_is_told_without_a_failure(data: bytes) -> None:
    assert all(described(data[:size]) for size in range(len(data)))
