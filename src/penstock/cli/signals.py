"""Being told to stop: handlers that are there for the time of a piece of work."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

# SIGHUP is missing on Windows, SIGBREAK (Ctrl-Break) everywhere else.
_NAMES: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


@contextmanager
def caught(handler: Callable[[int], None]) -> Iterator[None]:
    """Signals go to `handler`. Those that were to be ignored, as under nohup, go on being ignored."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, lambda number, _: handler(number))
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


@contextmanager
def asked_to_stop() -> Iterator[list[int]]:
    """The signals that came. The first asks for an end at the next good place, a second does not wait for it."""
    came: list[int] = []

    def tell(number: int) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    with caught(tell):
        yield came


def name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
