"""A file on disk reads like any other source of the core, whatever its encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.source import line_start
from penstock.errors import CallerError, ToolError
from penstock.tools import textfile
from penstock.tools.textfile import TextFile, open_text


def source(path: Path, content: bytes, encoding: str | None = None) -> TextFile:
    path.write_bytes(content)
    text = open_text(path, encoding)
    assert text is not None
    return text


@given(st.binary(max_size=60) | st.lists(st.sampled_from([b"\n", b"ab\n", b"x"]), max_size=40).map(b"".join))
@settings(max_examples=200)
def test_lines_are_where_they_are_in_the_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    content = content.replace(b"\0", b"")
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    before, textfile._BLOCK = textfile._BLOCK, 4
    try:
        with source(path, content, "utf-8") as text:
            assert text.read(0, 1_000) == content
            lines = content.split(b"\n")
            lines = lines[:-1] if lines[-1] == b"" else lines
            assert (text.size, text.lines) == (len(content), len(lines))
            starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
            assert [line_start(text, number + 1)[0] for number in range(len(lines))] == starts
            assert line_start(text, len(lines) + 5)[0] == len(content)
    finally:
        textfile._BLOCK = before


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be", "utf-16-le"])
def test_byte_order_mark_tells_the_encoding_and_is_not_shown(tmp_path: Path, encoding: str) -> None:
    marks = {"utf-16-be": b"\xfe\xff", "utf-16-le": b"\xff\xfe"}
    with source(tmp_path / "x", marks.get(encoding, b"") + "héllo 😀\nwörld".encode(encoding)) as text:
        assert text.read(0, 100).decode() == "héllo 😀\nwörld"
        assert text.lines == 2


def test_text_that_is_not_utf_8_is_read_in_windows_1252_unless_somebody_knows_better(tmp_path: Path) -> None:
    with source(tmp_path / "x", "naïve".encode("cp1252")) as text:
        assert (text.read(0, 100).decode(), text.encoding) == ("naïve", "cp1252")
    with source(tmp_path / "x", "中文\n".encode("gbk"), "GBK") as text:
        assert (text.read(0, 100).decode(), text.encoding) == ("中文\n", "gbk")


def test_character_cut_by_the_end_of_the_probe_is_still_utf_8(tmp_path: Path) -> None:
    with source(tmp_path / "x", b"a" * (textfile.PROBED - 1) + "é".encode()) as text:
        assert text.encoding == "utf-8"


def test_binary_file_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"ab\0cd")
    assert open_text(tmp_path / "x") is None
    with source(tmp_path / "x", b"ab\0cd", "latin-1") as text:  # but who says so gets it
        assert text.read(0, 10) == b"ab\0cd"


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13", "idna", "punycode", "undefined", "x\0"])
def test_encoding_that_is_none_is_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "x").write_bytes(b"a")
    with pytest.raises(CallerError, match=r"encoding = .* is not known: such as utf-8"):
        open_text(tmp_path / "x", encoding)


def test_large_file_that_is_not_utf_8_is_read_with_letters_missing_or_refused_in_the_encoding_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textfile, "TRANSCODED_MOST", 10)
    with source(tmp_path / "x", b"na\xefve texts") as text:
        assert (text.encoding, text.guessed, text.read(0, 20)) == ("utf-8", True, b"na\xefve texts")
    with pytest.raises(CallerError, match="cp1252 and has 11 bytes"):
        open_text(tmp_path / "x", "cp1252")


def test_text_with_a_wrong_byte_stays_utf_8(tmp_path: Path) -> None:
    with source(tmp_path / "x", "中文 text\n".encode() + b"\xff\n") as text:
        assert (text.encoding, text.guessed) == ("utf-8", True)
    with source(tmp_path / "x", "中文 text\n".encode()) as text:
        assert not text.guessed


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_zeros(tmp_path: Path, encoding: str) -> None:
    said = "first line\r\n第二行 and more\r\n"
    with source(tmp_path / "x", said.encode(encoding)) as text:
        assert (text.read(0, 100).decode(), text.encoding, text.guessed) == (said, encoding, True)
    # A surrogate pair over the end of what is looked at.
    with source(tmp_path / "x", ("a" * (textfile.PROBED // 2 - 1) + "😀\n").encode(encoding)) as text:
        assert text.encoding == encoding


@pytest.mark.parametrize(
    "content",
    [
        b"\1\0\2\0\3\0\4\0" * 9,  # numbers of two bytes
        "letters".encode("utf-16-le") + b"\0\xd8a\0",  # half a surrogate pair
        "letters".encode("utf-16-le") + b"\0",
        b"a\0b\0",
        b"%PDF-1.4\n1 0 obj\n",
        b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n",
        b"\x89PNG\r\n\x1a\n",
        bytes(range(1, 256)),
    ],
)
def test_what_is_no_text_is_known_with_and_without_a_zero(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert open_text(tmp_path / "x") is None


def test_text_of_an_old_program_is_text(tmp_path: Path) -> None:
    for content in (b"BMW f\xe4hrt\n", b"MZ \xfcber alles\n" * 20 + b"\x1b[1m\n"):
        with source(tmp_path / "x", content) as text:
            assert text.encoding == "cp1252"
    with source(tmp_path / "x", b"stra\xdfe\r\n" * 20 + b"\x1a") as text:  # as DOS ended a text
        assert text.encoding == "cp1252"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no files here that a kernel makes up")
def test_file_that_cannot_be_measured_is_a_clear_error() -> None:
    with pytest.raises(ToolError, match=r"^status cannot be read: "):
        open_text(Path("/proc/self/status"))
