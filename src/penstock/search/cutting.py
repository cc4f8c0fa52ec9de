"""Files cut in processes of their own: a grammar is native code, which may crash or never end, and indexing must not.

1. A child takes one file at a time and answers with its chunks. One that dies over a file, or takes too long, is ended;
   its file is cut by lines, and the next one gets a new child.
2. A child starts when the first file comes that wants a grammar, and ends with its standard input.
3. It runs the Python and the Penstock of its parent, and looks for modules where its parent does, never in the working
   directory: that may be the code of strangers.

With no workers all of it is done in this process, without that protection.
"""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import BinaryIO, Final, Literal, NamedTuple

import msgspec

from penstock.errors import ToolError
from penstock.search.chunks import chunked
from penstock.search.contract import Chunk
from penstock.search.grammars import has_grammar, parse
from penstock.search.languages import Language

How = Literal["by tree", "by lines", "no grammar", "not parsed"]

WORKERS: Final = 2
SECONDS: Final = 5.0  # for a file; the largest take a second

_LENGTH: Final = 4
_READY: Final = b"ready"
_START_SECONDS: Final = 60.0


class Cut(NamedTuple):
    chunks: list[Chunk]
    how: How


def cut(language: Language, text: str) -> Cut:
    """In this process."""
    if not language.wants_grammar:
        return Cut(chunked(list(lines_of(text)), None), "by lines")
    if not has_grammar(language.name):
        return Cut(chunked(list(lines_of(text)), None), "no grammar")
    parsed = parse(language.name, text.encode("utf-8", "replace"))
    return Cut(chunked(list(lines_of(text)), parsed), "by tree")


def lines_of(text: str) -> Iterator[str]:
    """With their ends, as grammars count them: a carriage return alone ends none."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start : end + 1]
        start = end + 1
    if start < len(text):
        yield text[start:]


class Cutter:
    """Cuts files with some children at a time. To be closed."""

    def __init__(self, workers: int = WORKERS, seconds: float = SECONDS) -> None:
        self._threads = ThreadPoolExecutor(workers, "penstock cut") if workers else None
        self._idle: queue.SimpleQueue[_Child] = queue.SimpleQueue()
        self._children = [_Child(seconds) for _ in range(workers)]
        for child in self._children:
            self._idle.put(child)

    def submit(self, language: Language, text: str) -> Future[Cut]:
        if self._threads is not None and language.wants_grammar:
            return self._threads.submit(self._cut, language, text)
        done: Future[Cut] = Future()
        done.set_result(cut(language, text))
        return done

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.end()

    def _cut(self, language: Language, text: str) -> Cut:
        child = self._idle.get()
        try:
            answer = child.ask(language, text)
        finally:
            self._idle.put(child)
        return answer or Cut(chunked(list(lines_of(text)), None), "not parsed")


class _Child:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, language: Language, text: str) -> Cut | None:
        """None where the child died over it."""
        process = self._running()
        clock = threading.Timer(self._seconds, process.kill)
        clock.start()
        try:
            send(_input(process), msgspec.msgpack.encode((language, text)))
            return msgspec.msgpack.decode(receive(_output(process)), type=Cut)
        except (OSError, EOFError):
            self.end()
            return None
        finally:
            clock.cancel()

    def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            with suppress(OSError):
                _input(process).close()
            _output(process).close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        command = [sys.executable, "-P", "-m", "penstock.search.cutting"]
        try:
            process = subprocess.Popen(  # noqa: S603  # this Python
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise ToolError(f"{sys.executable} cannot be run to parse code: {error.strerror}") from error
        self._process = process
        clock = threading.Timer(_START_SECONDS, process.kill)
        clock.start()
        try:
            receive(_output(process))
        except EOFError:
            self.end()
            raise ToolError(f"{' '.join(command)} does not run; it is needed to parse code") from None
        finally:
            clock.cancel()
        return process


def _input(process: subprocess.Popen[bytes]) -> BinaryIO:
    assert process.stdin is not None  # noqa: S101  # it was asked for
    return process.stdin  # type: ignore[return-value]  # a pipe of bytes


def _output(process: subprocess.Popen[bytes]) -> BinaryIO:
    assert process.stdout is not None  # noqa: S101  # as above
    return process.stdout  # type: ignore[return-value]  # as above


def send(stream: BinaryIO, message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH, "big") + message)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    head = stream.read(_LENGTH)
    length = int.from_bytes(head, "big")
    message = stream.read(length) if len(head) == _LENGTH else b""
    if len(head) < _LENGTH or len(message) < length:
        raise EOFError
    return message


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """What a child does."""
    send(answers, _READY)
    while True:
        try:
            language, text = msgspec.msgpack.decode(receive(requests), type=tuple[Language, str])
        except EOFError:
            return
        send(answers, msgspec.msgpack.encode(cut(language, text)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(BrokenPipeError):
        serve(sys.stdin.buffer, sys.stdout.buffer)
