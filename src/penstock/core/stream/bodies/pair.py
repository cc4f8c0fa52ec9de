"""What stands between a pair of markers: a JSON call or several, an array, tags with values, or a list in Python.

Which of them is decided by what follows the first marker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from penstock.core.stream.bodies import json_body, python_body, tag_body
from penstock.core.stream.markers import Markers
from penstock.core.stream.scan import Scan, Steps

Body = Callable[[Scan], Steps[None]]


def json_bodies(*closers: str) -> Body:
    """One call or an array of them; with closers, a call that is but a name counts before one of them."""
    ends = Markers(closers)

    def read(scan: Scan) -> Steps[None]:
        if (yield from scan.literal("[")):
            yield from json_body.calls(scan, ends)
        else:
            yield from json_body.call(scan, ends)

    return read


def json_between(closers: tuple[str, ...]) -> Callable[[Scan, str], Steps[None]]:
    body = json_bodies(*closers)
    return between({"{": body, "[": body}, closers)


def tagged(style: tag_body.Style) -> Body:
    def read(scan: Scan) -> Steps[None]:
        yield from tag_body.call(scan, style)

    return read


def listed(scan: Scan) -> Steps[None]:
    """A list: of JSON objects, or of calls in Python."""
    yield from scan.expect("[")
    yield from scan.space()
    if (yield from scan.char()) == "{":
        yield from json_body.calls(scan)
    else:
        yield from python_body.calls(scan)


def between(
    bodies: Mapping[str, Body | None], closers: tuple[str, ...], joints: tuple[str, ...] = (",", ";")
) -> Callable[[Scan, str], Steps[None]]:
    """A reader of calls to a closer, which may be missing, with or without joints between them.

    `bodies` are by what they begin with; None for what only stands before the beginning, and is skipped.
    """
    starts, ends, between_two = Markers(bodies), Markers(closers), Markers(joints)

    def read(scan: Scan, opener: str) -> Steps[None]:
        scan.pos += len(opener)
        begun = False
        while True:
            yield from scan.space()
            while begun:
                if (yield from scan.either(ends)):
                    scan.hide()
                    return
                if not (yield from scan.either(between_two)):
                    break
                yield from scan.space()
            while (key := (yield from scan.peek(starts))) and bodies[key] is None:
                scan.pos += len(key)
                yield from scan.space()
            body = bodies.get(key)
            if body is None:
                if begun:
                    return
                raise scan.missing("a call")
            yield from body(scan)
            begun = True

    return read
