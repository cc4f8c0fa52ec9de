"""Vectors for the chunks of an index that have none, batch by batch.

1. Each batch is kept as soon as it is made: a run that is stopped, or whose model fails, has lost nothing of those
   before.
2. Of two runs with different models the one that began later goes on, and the other ends: each would undo what the
   other does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Final

from penstock.errors import UpstreamError
from penstock.search.contract import Index, Unembedded
from penstock.search.embedder import Embedder, Vector

BATCH: Final = 32  # one request to a server: so long a run that is to stop goes on
_MOST_CHARS: Final = 8_000  # of a text: models take two thousand tokens and more, and a chunk has rarely that many


def embed_index(
    index: Index,
    embedder: Embedder,
    *,
    progress: Callable[[int], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Whether none is missing now. `progress` is told how many were made."""
    vectors = index.vectors(embedder.model)
    sizes: set[int] = set()
    made = after = 0
    while not stop():
        chunks = vectors.missing(after, BATCH)
        if not chunks:
            if after == 0:
                return True
            after = 0  # once more: the first vectors of a model remove another's, and indexers may be at work
            continue
        given = embedder.documents([text_of(chunk) for chunk in chunks])
        sizes.update(map(len, given))
        if len(sizes) > 1 or 0 in sizes or not all(map(math.isfinite, chain.from_iterable(given))):
            raise UpstreamError(embedder.model, "its vectors are not all of one length and of numbers")
        vectors.add({chunk.id: unit(vector) for chunk, vector in zip(chunks, given, strict=True)}, anew=made == 0)
        made += len(chunks)
        after = chunks[-1].id
        progress(made)
    return False


def text_of(chunk: Unembedded) -> str:
    """What stands for a chunk: where it is and what it is called say as much as what it says."""
    head = " ".join((*chunk.path.split("/"), *chunk.scope, *chunk.symbols))
    return f"{head}\n{chunk.content}"[:_MOST_CHARS]


def unit(vector: Vector) -> Vector:
    """The zero vector stays what it is, as it points nowhere."""
    largest = max(map(abs, vector), default=0.0)
    if not largest:
        return vector
    scaled = [number / largest for number in vector]  # whose squares are no too large numbers, and not all too small
    length = math.hypot(*scaled)
    return [number / length for number in scaled]
