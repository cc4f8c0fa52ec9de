"""What is no text: a little of its start and end, the strings in it, the text around it."""

from __future__ import annotations

from base64 import b64encode, encodebytes

import pytest

from core.reduce.materials import MATERIALS
from core.reduce.page_materials import dump, noise
from penstock.core.content import content_of_bytes
from penstock.core.flow import Case, bound
from penstock.core.limits import Limits
from penstock.core.policy import Policy
from penstock.core.reduce import sample_of
from penstock.core.reduce.binary import BINARY
from penstock.core.view import View

NOISE = noise(60_000)
PNG = b"\x89PNG\r\n\x1a\n" + NOISE
PROGRAM = (
    b"\x7fELF\x02\x01\x01"
    + bytes(9)
    + NOISE[:9_000]
    + b"\0valve_open\0x8=;-)(*&^%\0usage: gate open NUMBER\0"
    + NOISE[9_000:]
)


def view(data: bytes, chars: int = 1_500, query: str = "") -> View:
    found = bound(Case(content_of_bytes(data), Policy(Limits(chars=chars)), "chars", query=query))
    assert found.kind == "binary"
    return found


def test_bytes_are_shown_by_their_start_and_end_and_hardly_anything_between() -> None:
    shown = view(bytes(range(256)) * 200)
    assert shown.spans[0].start == 0 and shown.spans[-1].stop == 51_200
    assert b"\0\1\2\3" in bytes(shown)


def test_strings_that_read_like_words_are_shown_before_others() -> None:
    shown = view(PROGRAM, 900).text
    assert shown.startswith("\x7fELF")
    assert "usage: gate open NUMBER" in shown


def test_string_that_is_asked_for_is_shown() -> None:
    data = PROGRAM + b"".join(b"\1some string with words %d\1" % n for n in range(2_000))
    assert "valve_open" not in view(data, 900).text
    assert "valve_open" in view(data, 900, "Where is valve_open?").text


def test_bytes_that_are_not_text_do_not_fill_the_room() -> None:
    shown = view(bytes(range(128, 256)) * 400, 8_000)
    assert len(shown.text) < 1_000


def test_text_around_encoded_data_is_shown_and_the_data_as_room_is_left() -> None:
    mail = b"Subject: the plan\n\nSee below.\n\n" + encodebytes(NOISE) + b"\n-- \nthe keeper\n"
    shown = view(mail)
    assert shown.text.startswith("Subject: the plan\n\nSee below.\n")
    assert "-- \nthe keeper\n" in shown.text
    assert len(shown.text) > 1_200
    assert len(shown.gaps) == 1


def test_encoded_data_in_one_line_is_shown_from_its_start() -> None:
    shown = view(b"data:image/png;base64," + b64encode(NOISE))
    assert shown.text.startswith("data:image/png;base64,")
    assert len(shown.text) > 1_300


def test_lines_of_a_dump_with_words_are_shown() -> None:
    shown = view(dump(NOISE[:4_000] + b"valve 7 was opened by the keeper" + NOISE[:4_000]).encode()).text
    assert shown.startswith("00000000: ")
    assert "valve 7 was open" in shown


@pytest.mark.parametrize(
    ("data", "least"),
    [
        (PNG, 0.9),
        (PROGRAM, 0.9),
        (bytes(range(256)), 0.9),
        ("é".encode("latin-1") * 30 + b"abc", 0.9),
        (MATERIALS["binary:base64"].encode(), 0.9),
        (MATERIALS["binary:dump"].encode(), 0.9),
        (MATERIALS["binary:mail"].encode(), 0.5),
        (b"<img src='data:image/png;base64," + b64encode(NOISE) + b"'>", 0.5),
    ],
)
def test_what_is_no_text_is_told(data: bytes, least: float) -> None:
    assert BINARY.fit(sample_of(content_of_bytes(data), "text")) >= least


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a" * 4_000,
        "The gate is open.\n" * 99,
        "阀门开了。" * 99,
        "\x1b[1mbold\x1b[0m\n" * 99,
        "x;base64,AAAA and text\n" * 99,
    ]
    + [text for name, text in MATERIALS.items() if not name.startswith("binary")],
)
def test_text_is_not_taken_for_binary(text: str) -> None:
    assert BINARY.fit(sample_of(content_of_bytes(text.encode()), "text")) == 0
