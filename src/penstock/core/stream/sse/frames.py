"""Server-sent events cut out of bytes as they come: https://html.spec.whatwg.org/multipage/server-sent-events.html

Every frame keeps its bytes, so that what is not rewritten goes out as it came.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_BOM: Final = b"\xef\xbb\xbf"
_DATA: Final = b"data: "


class Frame(NamedTuple):
    raw: bytes  # with the empty line that ends it
    data: bytes | None  # the lines of data joined; None where there are none

    @property
    def newline(self) -> bytes:
        return b"\r\n" if self.raw.endswith(b"\r\n") else self.raw[-1:]

    def with_data(self, data: bytes) -> bytes:
        """The same frame with one line of other data: its event, its id and its comments stay."""
        lines, told = [], False
        for line in self.raw.removeprefix(_BOM).splitlines():
            if _field(line)[0] != b"data":
                lines.append(line)
            elif not told:
                told = True
                lines.append(b"data: " + data)
        return self.newline.join([*lines, b""])

    def fresh(self, data: bytes, event: bytes = b"") -> bytes:
        """A frame of our own, in the manner of this one."""
        lines = [b"event: " + event] if event else []
        return self.newline.join([*lines, b"data: " + data, b"", b""])


class Frames:
    def __init__(self) -> None:
        self._line: list[bytes] = []  # pieces of a line that has not ended
        self._lines: list[bytes] = []  # of a frame that has not ended
        self._started = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that end in `chunk`."""
        if b"\n" not in chunk and b"\r" not in chunk and not self._after_return:
            self._line.append(chunk)
            return []
        found = []
        *lines, rest = _lines(b"".join([*self._line, chunk]))
        for line in lines:
            self._lines.append(line)
            if line in (b"\n", b"\r\n", b"\r"):
                found.append(self._framed())
        self._line = [rest]
        return found

    def rest(self) -> bytes:
        """What has come of a frame that never ended."""
        left = b"".join([*self._lines, *self._line])
        self._line, self._lines = [], []
        return left

    @property
    def _after_return(self) -> bool:
        return bool(self._line) and self._line[-1].endswith(b"\r")

    def _framed(self) -> Frame:
        lines, self._lines = self._lines, []
        raw = b"".join(lines)
        if len(lines) == 2 and lines[0].startswith(_DATA):  # as nearly all are
            self._started = True
            return Frame(raw, lines[0][len(_DATA) :].rstrip(b"\r\n"))
        if not self._started and lines[0].startswith(_BOM):
            lines[0] = lines[0].removeprefix(_BOM)
        self._started = True
        data = [value for name, value in map(_field, lines) if name == b"data"]
        return Frame(raw, b"\n".join(data) if data else None)


def _lines(data: bytes) -> list[bytes]:
    """Lines with their ends, and what has no end yet: "\\r" is none before it is known that no "\\n" follows."""
    lines = data.splitlines(keepends=True)
    return lines if lines and not lines[-1].endswith(b"\n") else [*lines, b""]


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.rstrip(b"\r\n").partition(b":")
    return name, value.removeprefix(b" ")
