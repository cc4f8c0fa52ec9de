"""Vectors for the chunks of an index that have none, batch by batch.

Each batch is kept as soon as it is made: a run that is stopped, or whose model fails, has lost nothing of those before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from penstock.search.contract import Index, Unembedded
from penstock.search.embedder import Embedder, Vector

BATCH: Final = 256
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
    made = after = 0
    while not stop():
        chunks = vectors.missing(after, BATCH)
        if not chunks:
            if after == 0:
                return True
            after = 0  # once more: the first vectors of a model remove another's, and indexers may be at work
            continue
        given = embedder.documents([text_of(chunk) for chunk in chunks])
        vectors.add({chunk.id: unit(vector) for chunk, vector in zip(chunks, given, strict=True)})
        made += len(chunks)
        after = chunks[-1].id
        progress(made)
    return False


def text_of(chunk: Unembedded) -> str:
    """What stands for a chunk: where it is and what it is called say as much as what it says."""
    head = " ".join((*chunk.path.split("/"), *chunk.scope, *chunk.symbols))
    return f"{head}\n{chunk.content}"[:_MOST_CHARS]


def unit(vector: Vector) -> Sequence[float]:
    length = math.sqrt(math.fsum(number * number for number in vector))
    return [number / length for number in vector] if length else vector
