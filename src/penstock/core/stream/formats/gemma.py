"""Gemma's calls: `call:NAME{k:<|"|>text<|"|>,n:1}`, an object with bare keys and quotes of its own."""

from __future__ import annotations

import re
from typing import Final

from penstock.core.stream.bodies import python_body
from penstock.core.stream.bodies.pair import Body, between
from penstock.core.stream.formats.contract import Format
from penstock.core.stream.scan import Scan, Steps
from penstock.core.stream.values import quoted

_NAME: Final = re.compile(r"[^\s<>{}\[\]()\"'`]+")


def _braces(quote: str) -> Body:
    how = python_body.tongue({quote: quote}, False)

    def read(scan: Scan) -> Steps[None]:
        yield from scan.expect("call:")
        name = yield from scan.token(_NAME)
        yield from scan.expect("{")
        yield from scan.space()
        key = yield from _key(scan, quote)
        scan.start(name)
        before = "{"
        while key:
            scan.args(f"{before}{quoted(key)}: ")
            before = ", "
            yield from python_body.value(scan, how, ",}")
            yield from scan.literal(",")
            yield from scan.space()
            key = yield from _key(scan, quote)
        scan.args("}" if before == ", " else "{}")
        scan.finish()

    return read


def _key(scan: Scan, quote: str) -> Steps[str]:
    """A key with its colon; "" at the closing brace, which it reads."""
    if (yield from scan.literal("}")):
        return ""
    if (yield from scan.literal(quote)):
        key = yield from scan.upto(quote, 128)
        yield from scan.expect(":")
    else:
        key = yield from scan.upto(":", 128)
    key = key.strip()
    if not key:
        raise scan.missing("a key")
    yield from scan.space()
    return key


FORMATS: Final[tuple[Format, ...]] = (
    Format("gemma", ("<|tool_call>",), between({"call:": _braces('<|"|>')}, ("<tool_call|>",))),
    Format(
        "function_gemma",
        ("<start_function_call>",),
        between({"call:": _braces("<escape>")}, ("<end_function_call>",)),
    ),
)
