"""Token counters by the name that settings use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from penstock.core.tokens import Estimate, TokenCounter
from penstock.counters.bpe import BpeCounter

_COUNTERS: Final[Mapping[str, Callable[[], TokenCounter]]] = {
    "estimate": Estimate,
    "o200k_base": partial(BpeCounter, "o200k_base"),
    "cl100k_base": partial(BpeCounter, "cl100k_base"),
}


def counter_named(name: str) -> TokenCounter:
    try:
        make = _COUNTERS[name]
    except KeyError:
        raise ValueError(f"{name!r} is not a token counter: allowed is {', '.join(_COUNTERS)}") from None
    return make()
