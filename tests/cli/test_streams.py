from __future__ import annotations

import os
import threading
import time

import pytest

from penstock.cli.streams import AHEAD, Descriptor, Ended, Piece, Signalled, Streams


class Endless:
    def __init__(self) -> None:
        self.read_so_far = 0

    def read(self, size: int) -> bytes:
        self.read_so_far += 1
        return b"x"

    def close(self) -> None:
        pass


def all_of(streams: Streams) -> tuple[bytes, OSError | None]:
    pieces = []
    while True:
        event = streams.next(10)
        if isinstance(event, Ended):
            return b"".join(pieces), event.error
        assert isinstance(event, Piece)
        pieces.append(event.data)


def test_pieces_come_in_order_and_then_the_end() -> None:
    reading, writing = os.pipe()
    data = os.urandom(2_000_000)

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)

    threading.Thread(target=write).start()
    streams = Streams()
    streams.read("in", Descriptor(reading))
    assert all_of(streams) == (data, None)
    os.close(reading)


def test_fast_stream_is_read_only_a_few_pieces_ahead() -> None:
    source, streams = Endless(), Streams()
    streams.read("in", source)
    time.sleep(0.1)
    assert source.read_so_far <= AHEAD
    for _ in range(3):
        assert streams.next(1) == Piece("in", b"x")
    time.sleep(0.1)
    assert AHEAD < source.read_so_far <= AHEAD + 3


def test_stream_that_cannot_be_read_ends_with_its_error(tmp_path: object) -> None:
    folder = os.open(str(tmp_path), os.O_RDONLY)
    streams = Streams()
    streams.read("in", Descriptor(folder))
    data, error = all_of(streams)
    os.close(folder)
    assert data == b""
    assert isinstance(error, IsADirectoryError)


def test_what_is_told_comes_out_between_the_pieces() -> None:
    streams = Streams()
    streams.tell(Signalled(2))
    assert streams.next(1) == Signalled(2)
    assert streams.next(0.01) is None


@pytest.mark.parametrize("count", [1, 5])
def test_several_streams_are_told_apart(count: int) -> None:
    streams = Streams()
    pipes = [os.pipe() for _ in range(count)]
    for number, (reading, writing) in enumerate(pipes):
        os.write(writing, b"%d" % number)
        os.close(writing)
        streams.read(str(number), Descriptor(reading))
    seen = [event for event in (streams.next(10) for _ in range(2 * count)) if isinstance(event, Piece)]
    assert {(piece.stream, piece.data) for piece in seen} == {(str(n), b"%d" % n) for n in range(count)}
    for reading, _ in pipes:
        os.close(reading)
