"""What stands between a pair of markers: a JSON call or several, an array, tags with values, or a list in Python.

Which of them is decided by what follows the first marker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from penstock.core.stream.bodies import json_body, python_body, tag_body
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Refuted, Scan, Steps

Body = Callable[[Scan], Steps[None]]


def json_bodies(scan: Scan) -> Steps[None]:
    """One call or an array of them; more may follow, with or without a comma or a semicolon between."""
    if (yield from scan.literal("[")):
        yield from json_body.calls(scan)
    else:
        yield from json_body.call(scan)


def json_array(scan: Scan) -> Steps[None]:
    yield from scan.expect("[")
    yield from json_body.calls(scan)


def tagged(style: tag_body.Style) -> Body:
    def read(scan: Scan) -> Steps[None]:
        yield from tag_body.call(scan, style)

    return read


def listed(scan: Scan) -> Steps[None]:
    """A list: of JSON objects, or of calls in Python."""
    yield from scan.expect("[")
    yield from scan.space()
    ahead = yield from scan.char()
    if ahead == "{":
        yield from json_body.calls(scan)
    else:
        yield from python_body.calls(scan)


_BETWEEN: Final = Markers((",", ";"))


def between(bodies: dict[str, Body], closers: tuple[str, ...]) -> Callable[[Scan, str], Steps[None]]:
    """A reader of calls to a closer, which may be missing. `bodies` are by what they begin with; "" takes the rest."""
    starts, ends = Markers(key for key in bodies if key), Markers(closers)

    def read(scan: Scan, opener: str) -> Steps[None]:
        scan.pos += len(opener)
        begun = False
        while True:
            yield from scan.space()
            if begun:
                if (yield from scan.either(ends)):
                    scan.hide()
                    return
                yield from scan.either(_BETWEEN)
                yield from scan.space()
            key = yield from scan.peek(starts)
            body = bodies.get(key)
            if body is None:
                if begun:
                    return
                raise Refuted("no call begins here")
            yield from body(scan)
            begun = True

    return read
