"""Tags made in a process of its own: a grammar is native code, which may crash or never end, and the map has to come.

The child starts with the first text and takes one at a time. One that dies over a text, or takes too long, is ended;
the text has no tags, with the reason why, and the next one gets a new child.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import IO, BinaryIO, Final, Self, cast

import msgspec

from penstock.errors import ToolError
from penstock.search.cutting import receive, send
from penstock.search.languages import Language
from penstock.search.walk import Source
from penstock.tools.tags import FileTags, tags_of

FILE_SECONDS: Final = 5.0

_READY: Final = b"ready"

# Modules are looked for where the parent does, never in the working directory: that may be the code of strangers.
COMMAND: Final = (sys.executable, "-P", "-m", "penstock.tools.tagger")


class Tagger:
    """To be closed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def tags(self, source: Source, until: float) -> FileTags:
        """TimeoutError when they are not known at the time `until` of the monotonic clock."""
        process = self._running(until)
        slow = time.monotonic() + FILE_SECONDS
        try:
            with _killed(process, min(slow, until)):
                send(_pipe(process.stdin), msgspec.msgpack.encode((source.language, source.text)))
                return msgspec.msgpack.decode(receive(_pipe(process.stdout)), type=FileTags)
        except (OSError, EOFError):
            now = time.monotonic()
            self.close()
            if now >= until:
                raise TimeoutError from None
            return FileTags(lack="took too long to parse" if now >= slow else "broke its parser")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    _pipe(pipe).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self, until: float) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        try:
            process = subprocess.Popen(  # noqa: S603  # this Python
                COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise ToolError(f"{COMMAND[0]} cannot be run to parse code: {error.strerror}") from error
        self._process = process
        try:
            with _killed(process, until):
                receive(_pipe(process.stdout))
        except EOFError:
            self.close()
            if time.monotonic() >= until:
                raise TimeoutError from None
            raise ToolError(f"{' '.join(COMMAND)} does not run; it is needed to parse code") from None
        return process


class _killed:  # noqa: N801  # reads as what it does
    """A process within a block that it may not outlast."""

    def __init__(self, process: subprocess.Popen[bytes], until: float) -> None:
        self._clock = threading.Timer(max(0.0, until - time.monotonic()), process.kill)
        self._clock.daemon = True

    def __enter__(self) -> None:
        self._clock.start()

    def __exit__(self, *_: object) -> None:
        self._clock.cancel()


def _pipe(stream: IO[bytes] | None) -> BinaryIO:
    return cast("BinaryIO", stream)  # it was asked for


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """What a child does, until its parent has no more."""
    send(answers, _READY)
    while True:
        try:
            language, text = msgspec.msgpack.decode(receive(requests), type=tuple[Language, str])
        except EOFError:
            return
        send(answers, msgspec.msgpack.encode(tags_of(Source(language, text))))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with suppress(BrokenPipeError):
        serve(sys.stdin.buffer, sys.stdout.buffer)
