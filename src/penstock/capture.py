"""Output on its way in, in constant memory: collected for the view and written to the store at the same time.

Nothing is written while the output may still turn out to fit. `Intake` is the mechanism, which `Gate.admit` uses as
well; `Capture` is what `Gate.open` hands out.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Final

from penstock.core.content import Content, Errors
from penstock.core.flow import Kept
from penstock.core.limits import Limits
from penstock.core.view import View
from penstock.core.window import END, Collector
from penstock.errors import CallerError, StoreError
from penstock.stores.contract import Media, Store, Writer

if sys.platform == "linux":
    import fcntl

# Output that is shorter than this waits in memory until it is known whether it fits.
SPILL: Final = 1 << 20

READ: Final = 1 << 20

# What a capture shows at most, whatever its limits are: it holds no more than this.
CAPTURE_LIMITS: Final = Limits(bytes=2 * END)


@dataclass(frozen=True, slots=True)
class Taken:
    """All of one output, looked at, and kept or not: one of `kept` and `error` is there."""

    content: Content
    kept: Kept | None
    error: StoreError | None


class Intake:
    def __init__(self, store: Store | None, errors: Errors) -> None:
        self._store = store
        self._collector = Collector(errors)
        self._waiting: list[bytes] = []
        self._content: Content | None = None
        self._writer: Writer | None = None
        self._error: StoreError | None = None if store else StoreError("there is no store")

    @property
    def size(self) -> int:
        return self._collector.size

    @property
    def held(self) -> bool:
        """Whether all of it is still in memory."""
        return self._collector.whole

    def feed(self, data: bytes) -> None:
        self._collector.feed(data)
        if self._error is not None:
            return
        if self._writer is not None:
            self._write([data])
            return
        self._waiting.append(data)
        if self._collector.size >= SPILL:
            self._spill()

    def content(self) -> Content:
        """All that was fed, as far as it is held. Nothing is fed after this."""
        if self._content is None:
            self._content = self._collector.finish()
        return self._content

    def keep(self, tool: str, media: Media) -> Taken:
        """Keep all that was fed. A failure is returned, not raised: the model still gets a view."""
        content = self.content()
        if self._writer is None and self._error is None:
            self._spill()
        if self._writer is None:
            return Taken(content, None, self._error)
        try:
            record = self._writer.commit(tool=tool, media=media)
        except StoreError as error:
            return Taken(content, None, error)
        finally:
            self.abort()
        return Taken(content, Kept(record.handle, record.path), None)

    def abort(self) -> None:
        """Nothing is kept, unless it has been. May be called again."""
        writer, self._writer = self._writer, None
        self._waiting.clear()
        if writer is not None:
            with suppress(StoreError):  # what remains is unfinished to the store, and no reader sees it
                writer.abort()

    def _spill(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._write(waiting)

    def _write(self, pieces: Iterable[bytes]) -> None:
        try:
            if self._writer is None and self._store is not None:
                self._writer = self._store.open()
            if self._writer is not None:
                for piece in pieces:
                    self._writer.write(piece)
        except StoreError as error:
            self._error = error
            self.abort()


class Capture:
    """One output that arrives in pieces. Leaving the `with` block, or `close`, gives the view.

    with gate.open(tool="Bash") as capture:
        capture.feed(process.stdout)
    capture.view.text

    Pieces may come from several threads, such as one for each of a process's two pipes.
    """

    def __init__(self, start: Callable[[Errors], Intake], finish: Callable[[Intake], View]) -> None:
        self._start = start
        self._finish = finish
        self._intake: Intake | None = None
        self._of_text = True
        self._size = 0
        self._view: View | None = None
        self._ended = ""
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def write(self, piece: str | bytes) -> int:
        """Take one piece. The first one decides whether this is text or bytes."""
        if not isinstance(piece, str | bytes | bytearray | memoryview):
            raise CallerError(f"a piece of output is str or bytes, not {type(piece).__name__}")
        is_text = isinstance(piece, str)
        data = piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece)
        with self._lock:
            if self._ended:
                raise CallerError(self._ended)
            if self._intake is None:
                self._of_text = is_text
                self._intake = self._start("surrogatepass" if is_text else "replace")
            if is_text != self._of_text:
                raise CallerError("the pieces of one output are all str or all bytes")
            self._intake.feed(data)
            self._size += len(data)
        return len(piece)

    def feed(self, source: IO[bytes] | IO[str] | Iterable[str | bytes]) -> None:
        """Take all that a file, a pipe or an iterable gives."""
        if isinstance(source, str | bytes):  # an iterable too, of characters and of numbers
            self.write(source)
            return
        widen(source)
        read = getattr(source, "read1", None) or getattr(source, "read", None)
        if read is None:
            for piece in source:
                self.write(piece)
            return
        while piece := read(READ):
            self.write(piece)
        if piece is None:
            raise CallerError("a pipe that does not wait cannot be captured: its end would not be known")

    def close(self) -> View:
        with self._lock:
            if self._view is None:
                if self._ended:
                    raise CallerError(self._ended)
                self._ended = "this capture is closed"
                intake, self._intake = self._intake, None  # megabytes, which the view does not need
                self._view = self._finish(intake or self._start("surrogatepass"))
            return self._view

    def abort(self) -> None:
        """Give up: nothing is kept."""
        with self._lock:
            self._ended = self._ended or "this capture was aborted"
            if self._intake is not None:
                self._intake.abort()

    @property
    def view(self) -> View:
        if self._view is None:
            raise CallerError("the view is there once the capture is closed")
        return self._view

    def __enter__(self) -> Capture:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.abort()
        elif not self._ended:
            self.close()


if sys.platform == "linux":

    def widen(source: object) -> None:
        """Let a pipe hold what is read at once. With the usual 64 KB its two ends wait for one another all the time,
        which is a third of what taking a gigabyte costs. Anything else, and a pipe that must not grow, stays as it is.
        """
        fileno = getattr(source, "fileno", None)
        with suppress(OSError, ValueError, TypeError):
            if fileno is not None and fcntl.fcntl(fileno(), fcntl.F_GETPIPE_SZ) < READ:
                fcntl.fcntl(fileno(), fcntl.F_SETPIPE_SZ, READ)

else:

    def widen(source: object) -> None:
        """Only Linux has a call for it."""
