"""What makes vectors of texts, so that code is found that means what is asked for and says it in other words.

1. Vectors of texts that mean the same point the same way. Their length says nothing.
2. Vectors of two models are never compared, so a model has a name, and an index holds those of one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from penstock.errors import UpstreamError

Vector = Sequence[float]


class Embedder(Protocol):
    """Safe for threads. What a service of its own cannot do now it raises as UpstreamError."""

    @property
    def model(self) -> str:
        """Another name for whatever makes other vectors."""
        ...

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One for each text, in their order."""
        ...

    def query(self, text: str) -> Vector:
        """Somebody waits for it: better none than a late one."""
        ...


# -- what engines say of vectors that do not fit what they have --------------------------------------------------------


def check_length(model: str, given: int, kept: int) -> None:
    if given != kept:
        raise UpstreamError(model, f"its vector has {given:,} numbers, and those of the index have {kept:,}")


def made_meanwhile(model: str) -> str:
    return f"another run makes vectors for this index now, which are not those of {model}: the last one goes on"
