"""`read_file`: a page of a text file, by lines or by bytes; of anything else, what it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal

from penstock.core.limits import Limits
from penstock.core.measure import measure
from penstock.core.offers import Offer
from penstock.core.slices import Slice
from penstock.gate import BareGate
from penstock.readback import read_page
from penstock.tools.base import BareTool
from penstock.tools.picture import described
from penstock.tools.roots import Roots, opened, readable
from penstock.tools.textfile import PROBED, TextFile, open_text
from penstock.tools.toolset import Workshop

OFFER: Final = Offer(
    "read_file",
    "Read a text file: lines from `start` on, as many as fit. The last line of the answer says what comes next. A very"
    " long line is read in pieces with unit=bytes and offset. Of a binary file the answer tells the type and size.",
    {
        "path": {"type": "string", "description": "The file, relative to the root or absolute."},
        "start": {"type": "integer", "minimum": 1, "description": "The first line to read; 1 by default."},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many lines at most, or bytes with unit=bytes; 200 lines by default.",
        },
        "unit": {
            "type": "string",
            "enum": ["lines", "bytes"],
            "description": "What limit counts, and where reading begins: at a line or at a byte. Lines by default.",
        },
        "offset": {"type": "integer", "minimum": 0, "description": "With unit=bytes: the first byte to read."},
        "direction": {
            "type": "string",
            "enum": ["head", "tail"],
            "description": "tail reads the last lines; head is the default.",
        },
        "numbered": {"type": "boolean", "description": "Whether each line begins with its number; false by default."},
        "encoding": {"type": "string", "description": "How the file is encoded, where that is known; else it is told."},
    },
    ("path",),
)


class ReadFile(BareTool):
    name = OFFER.name
    offer = OFFER

    def __init__(self, gate: BareGate, roots: Roots) -> None:
        super().__init__(gate)
        self.roots = roots

    def execute(
        self,
        path: str,
        *,
        start: int = 1,
        limit: int | None = None,
        unit: Literal["lines", "bytes"] = "lines",
        offset: int | None = None,
        direction: Literal["head", "tail"] = "head",
        numbered: bool = False,
        encoding: str | None = None,
    ) -> str:
        real = self.roots.file(path)
        told = readable(self.roots.told(real))
        limits = self.gate.policy(self.name, limits=self.limits).limits
        text = open_text(real, encoding)
        if text is None:
            with opened(real) as file:
                kind = described(file.read(PROBED))
            return f"[{told}: {kind}, {real.stat().st_size:,} bytes; it is no text]"
        place: dict[str, Any] = {
            "unit": unit, "start": start, "offset": offset, "limit": limit, "direction": direction
        }  # fmt: skip
        with text:
            if not text.size:
                return f"[{told} is empty]"
            remark = _remark(text, asked=encoding is not None)
            if remark:
                limits = limits.less(chars=len(remark) + 1, lines=1, bytes=len(remark) + 1)
            page = self._page(text, limits, place)
            if numbered:
                page = self._numbered(text, page, limits, place)
        return f"{page.text}\n{remark}" if remark and page.text else page.text

    def _page(self, text: TextFile, limits: Limits, place: dict[str, Any]) -> Slice:
        return read_page(text, limits, self.gate.rules.policy.counter.count, **place)

    def _numbered(self, text: TextFile, page: Slice, limits: Limits, place: dict[str, Any]) -> Slice:
        """The page with line numbers, which take room: so there may be fewer lines."""
        while page.data:
            shown = _with_numbers(page)
            if self.gate.size(shown, limits).over(limits) is None:
                return replace(page, text=shown)
            extra = measure(shown)._replace(lines=0)
            taken = measure(page.text)
            tighter = limits.less(chars=extra.chars - taken.chars, bytes=extra.bytes - taken.bytes)
            if limits.tokens is not None:
                tighter = replace(tighter, tokens=max(1, limits.tokens * taken.chars // extra.chars))
            fewer = self._page(text, tighter, place)
            if len(fewer.data) >= len(page.data):  # limits smaller than a line and its number
                return page
            page = fewer
        return page


def _with_numbers(page: Slice) -> str:
    noted = page.text.endswith(page.note)
    body = page.text.removesuffix(page.note) if noted else page.text
    width = len(str(page.last_line))
    lines = body.split("\n")
    tail = [lines.pop()] if lines[-1] == "" else []
    numbered = [f"{number:>{width}}  {line}" for number, line in enumerate(lines, page.first_line)]
    return "\n".join(numbered + tail) + (page.note if noted else "")


def _remark(text: TextFile, *, asked: bool) -> str:
    if asked or (text.encoding == "utf-8" and not text.guessed):
        return ""
    if text.encoding == "utf-8":
        return "[not all of it is UTF-8: U+FFFD stands for the rest; encoding= names another]"
    return f"[not UTF-8; read as {text.encoding}" + ("; encoding= names another]" if text.guessed else "]")


def made(of: Workshop) -> ReadFile:
    return ReadFile(of.gate, of.roots)
