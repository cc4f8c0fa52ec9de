"""Functions whose results are bounded before their caller sees them: what `Gate.tool` and `Tool` share."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

T = TypeVar("T", bound=Callable[..., Any])

# What of a tool's arguments is taken as the question that its result answers.
QUERY_MOST: Final = 2_000

# How deep arguments are looked through: further down is data, not a question.
_DEEP: Final = 8

# Given the result and the arguments of a call, what the caller gets.
Finish = Callable[[Any, tuple[Any, ...], Mapping[str, Any]], Any]


def bounding(function: T, finish: Finish) -> T:
    """`function` with `finish` behind it, in a thread where the result is awaited: keeping may wait for a disk."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            return await _in_thread(finish, await function(*args, **kwargs), args, kwargs)

        return waiting  # type: ignore[return-value]  # the same parameters; the result as `finish` has it

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        output = function(*args, **kwargs)
        if inspect.isawaitable(output):  # a plain function that hands on what an async one gave
            return _awaited(output, lambda result: finish(result, args, kwargs))
        return finish(output, args, kwargs)

    return calling  # type: ignore[return-value]  # as above


async def _awaited(output: Awaitable[Any], finish: Callable[[Any], Any]) -> Any:
    return await _in_thread(finish, await output)


async def _in_thread(finish: Callable[..., Any], *args: Any) -> Any:
    # 13 ms to import, and who awaits nothing has no use for it.
    import asyncio  # noqa: PLC0415

    return await asyncio.to_thread(finish, *args)


def asked(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """What a call asks for: the texts and numbers of its arguments.

    Other objects are left out. Their `str` may hold an address, and the same call would give another view each time.
    """
    words: list[str] = []
    room = QUERY_MOST
    for word in _words((*args, *kwargs.values()), _DEEP):
        words.append(word[:room])
        room -= len(words[-1]) + 1
        if room <= 0:
            break
    return " ".join(words)


def _words(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None or depth == 0:
        return
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, os.PathLike):
        yield str(os.fspath(value))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _words(inner, depth - 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _words(inner, depth - 1)
