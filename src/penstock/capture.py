"""Output on its way in, in constant memory: collected for the view and written to the store at the same time.

Nothing is written while the output may still turn out to fit. `Intake` is the mechanism, which `Gate.admit` uses as
well; `Capture` is what `Gate.open` hands out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Final

from penstock.core.content import Content, Errors
from penstock.core.flow import Kept
from penstock.core.view import View
from penstock.core.window import Collector
from penstock.errors import CallerError, StoreError
from penstock.stores.contract import Media, Store, Writer

# Output that is shorter than this waits in memory until it is known whether it fits.
SPILL: Final = 1 << 20

READ: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Taken:
    """All of one output, looked at and kept, or not kept with the error that says why."""

    content: Content
    kept: Kept | None
    error: StoreError | None


class Intake:
    def __init__(self, store: Store | None, errors: Errors) -> None:
        self._store = store
        self._collector = Collector(errors)
        self._waiting: list[bytes] = []
        self._writer: Writer | None = None
        self._error: StoreError | None = None

    @property
    def size(self) -> int:
        return self._collector.size

    def feed(self, data: bytes) -> None:
        self._collector.feed(data)
        if self._writer is None:
            self._waiting.append(data)
            if self._collector.size < SPILL:
                return
        self._write(data)

    def _write(self, data: bytes) -> None:
        if self._store is None or self._error is not None:
            self._waiting.clear()
            return
        try:
            if self._writer is None:
                self._writer = self._store.open()
                for piece in self._waiting:
                    self._writer.write(piece)
                self._waiting.clear()
            else:
                self._writer.write(data)
        except StoreError as error:
            self._error = error
            self.abort()

    @property
    def held(self) -> bool:
        """Whether all of it is still in memory."""
        return self._collector.whole

    def content(self) -> Content:
        return self._collector.finish()

    def keep(self, tool: str, media: Media) -> Taken:
        """Keep all that was fed. A failure is returned, not raised: the model still gets a view."""
        content = self.content()
        if self._writer is None:
            self._write(b"")
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
        if self._writer is not None:
            self._writer.abort()
            self._writer = None
        self._waiting.clear()


class Capture:
    """One output that arrives in pieces. Leaving the `with` block, or `close`, gives the view.

    with gate.open(tool="Bash") as capture:
        capture.feed(process.stdout)
    capture.view.text
    """

    def __init__(self, start: Callable[[Errors], Intake], finish: Callable[[Intake], View]) -> None:
        self._start = start
        self._finish = finish
        self._intake: Intake | None = None
        self._view: View | None = None
        self._closed = False

    @property
    def size(self) -> int:
        """Bytes so far."""
        return 0 if self._intake is None else self._intake.size

    def write(self, piece: str | bytes) -> int:
        """Take one piece. The first piece decides whether this is text or bytes."""
        if self._closed:
            raise CallerError("this capture is closed")
        if not isinstance(piece, str | bytes | bytearray | memoryview):
            raise CallerError(f"a piece of output is str or bytes, not {type(piece).__name__}")
        if self._intake is None:
            self._intake = self._start("surrogatepass" if isinstance(piece, str) else "replace")
        self._intake.feed(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece))
        return len(piece)

    def feed(self, source: IO[bytes] | IO[str] | Iterable[str | bytes]) -> None:
        """Take all that a file, a pipe or an iterable gives."""
        read = getattr(source, "read1", None) or getattr(source, "read", None)
        if read is None:
            for piece in source:
                self.write(piece)
            return
        while piece := read(READ):
            self.write(piece)

    def close(self) -> View:
        if self._view is None:
            if self._closed:
                raise CallerError("this capture was aborted")
            self._closed = True
            self._view = self._finish(self._intake or self._start("surrogatepass"))
        return self._view

    def abort(self) -> None:
        """Give up: nothing is kept."""
        self._closed = True
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
        if kind is None:
            self.close()
        else:
            self.abort()
