"""Tool messages that were bounded before: a request repeats the whole history of a conversation."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.core.blocks import weight
from penstock.core.jsontext import to_json
from penstock.core.view import View
from penstock.errors import ResultError

# A conversation of more tool messages than this is bounded anew each time: its oldest would push out one another.
MESSAGES: Final = 4_096
CHARS: Final = 16 * 1024 * 1024

# How often the date of what is kept is renewed for a conversation that goes on.
RENEWED_AFTER: Final = 3_600.0

Key = bytes


@dataclass(frozen=True, slots=True)
class Memory:
    view: View
    at: float  # when the whole was last kept
    chars: int

    def stale(self, now: float) -> bool:
        return self.view.handle is not None and abs(now - self.at) > RENEWED_AFTER


def key_of(output: Any, *told: str) -> Key | None:
    """Names a tool message by all of it and by what else decides its view; None where it has no JSON form."""
    digest = hashlib.sha256()
    try:
        whole = output if isinstance(output, str) else to_json(output)
    except ResultError:
        return None
    for text in (type(output).__name__, *told, whole):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()


class Remembered:
    """The messages used last, within bounds. Several threads may use it."""

    def __init__(self, messages: int = MESSAGES, chars: int = CHARS) -> None:
        self._most = messages
        self._most_chars = chars
        self._chars = 0
        self._lock = threading.Lock()
        self._memories: OrderedDict[Key, Memory] = OrderedDict()

    def get(self, key: Key) -> Memory | None:
        with self._lock:
            memory = self._memories.get(key)
            if memory is not None:
                self._memories.move_to_end(key)
            return memory

    def put(self, key: Key, view: View, at: float) -> None:
        light = _light(view)
        memory = Memory(light, at, len(light.text) + sum(map(weight, light.blocks)))
        with self._lock:
            self._forget(key)
            if memory.chars > self._most_chars // 8:
                return  # it would push out too many others
            self._memories[key] = memory
            self._chars += memory.chars
            while len(self._memories) > self._most or self._chars > self._most_chars:
                self._forget(next(iter(self._memories)))

    def _forget(self, key: Key) -> None:
        memory = self._memories.pop(key, None)
        if memory is not None:
            self._chars -= memory.chars


def _light(view: View) -> View:
    """Without what a message does not use. Of one that fits, the caller has the text."""
    if not view.truncated:
        return View("", view.size, view.original, view.reason, view.form)
    return replace(view, framed=None, data=None, spans=(), gaps=())
