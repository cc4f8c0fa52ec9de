"""Frames cut out of bytes: every line ending, every split, and not a byte lost."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.stream.sse.frames import Frame, Frames


def framed(*chunks: bytes) -> tuple[list[Frame], bytes]:
    frames = Frames()
    found = [frame for chunk in chunks for frame in frames.feed(chunk)]
    return found, frames.rest()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_frame_ends_with_an_empty_line_of_any_kind(newline: bytes) -> None:
    first, second = b"event: a", b"data:x"
    data = newline.join([first, b"data: 1", b"", second, b"", b": after"])
    found, rest = framed(data)
    assert [frame.data for frame in found] == [b"1", b"x"]
    assert b"".join(frame.raw for frame in found) + rest == data
    assert {frame.newline for frame in found} == {newline}


def test_lines_of_data_are_joined_and_one_space_is_no_part_of_them() -> None:
    found, _ = framed(b"data: a\ndata:  b\ndata\ndata:c\nid: 7\n\n")
    assert found[0].data == b"a\n b\n\nc"


def test_comment_and_keepalive_are_frames_without_data() -> None:
    found, _ = framed(b": keepalive\n\nretry: 3\n\n\n")
    assert [frame.data for frame in found] == [None, None, None]


def test_byte_order_mark_before_the_first_field_is_none_of_its_name() -> None:
    found, _ = framed(b"\xef\xbb\xbfdata: 1\n\n\xef\xbb\xbfdata: 2\n\n")
    assert [frame.data for frame in found] == [b"1", None]


def test_frame_that_never_ended_is_the_rest() -> None:
    assert framed(b"data: 1\n\ndata: 2\nda", b"ta") == ([Frame(b"data: 1\n\n", b"1")], b"data: 2\ndata")


def test_other_data_leaves_the_other_lines_as_they_are() -> None:
    found, _ = framed(b"event: x\r\ndata: 1\r\n: note\r\ndata: 2\r\nid: 7\r\n\r\n")
    assert found[0].with_data(b"{}") == b"event: x\r\ndata: {}\r\n: note\r\nid: 7\r\n\r\n"
    assert found[0].fresh(b"{}") == b"data: {}\r\n\r\n"
    assert found[0].fresh(b"{}", b"y") == b"event: y\r\ndata: {}\r\n\r\n"


@given(
    st.lists(st.sampled_from([b"data: x", b"\n", b"\r", b"\r\n", b":", b"\xef\xbb\xbf", b"event: e", b"\xff"])),
    st.data(),
)
def test_every_split_gives_the_same_frames_and_all_bytes(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    chunks = [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    found, rest = framed(*chunks)
    assert b"".join(frame.raw for frame in found) + rest == whole
    once, once_rest = framed(whole)
    assert (found, rest) == (once, once_rest)
    assert framed(*(whole[at : at + 1] for at in range(len(whole)))) == (once, once_rest)


def test_one_long_line_in_small_pieces_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        frames, started = Frames(), time.perf_counter()
        for _ in range(count):
            frames.feed(b"abcd")
        assert len(frames.feed(b"\n\n")[0].raw) == 4 * count + 2
        return time.perf_counter() - started

    seconds(1_000)
    assert seconds(400_000) < 30 * max(seconds(40_000), 0.005)


def test_other_data_takes_the_place_of_data_behind_a_byte_order_mark() -> None:
    found, _ = framed(b"\xef\xbb\xbfdata: 1\n\n")
    assert found[0].with_data(b"2") == b"data: 2\n\n"
