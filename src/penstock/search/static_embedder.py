"""The model that comes as a package: a vector for each token, the mean of them for a text. No download, no network.

The package is `wordllama`, of which only the two files are read. Its own code pads all texts of a batch to the longest,
which takes four times as long.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from penstock.errors import MissingExtra, StoreError
from penstock.search.embedder import Vector

try:
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
except ImportError as missing:
    raise MissingExtra("the bundled model", "dense") from missing

_PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENS: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST_TOKENS: Final = 512  # of a text: what comes later hardly turns the mean


class StaticEmbedder:
    """Loaded at the first text."""

    model = "wordllama/l2_supercat-256"

    def __init__(self) -> None:
        self._folder = _folder()

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        tokens, vectors = self._loaded
        means = np.zeros((len(texts), vectors.shape[1]), np.float32)
        for at, encoded in enumerate(tokens.encode_batch_fast(list(texts), add_special_tokens=False)):
            if encoded.ids:
                means[at] = vectors[encoded.ids[:_MOST_TOKENS]].mean(axis=0, dtype=np.float32)
        found: list[list[float]] = means.tolist()
        return found

    def query(self, text: str) -> Vector:
        return self.documents([text])[0]

    @cached_property
    def _loaded(self) -> tuple[Tokenizer, np.ndarray[Any, Any]]:
        try:
            tokens = Tokenizer.from_file(str(self._folder / _TOKENS))
            (vectors,) = load_file(self._folder / _WEIGHTS).values()
        except Exception as error:  # the tokenizer raises nothing more precise
            raise StoreError(f"the bundled model cannot be read: {error}") from error
        tokens.no_padding()
        tokens.no_truncation()
        return tokens, vectors


def _folder() -> Path:
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("the bundled model", "dense")
    return Path(found.origin).parent
