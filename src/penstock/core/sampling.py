"""A token count for where a millisecond is long: the estimate, from a small sample."""

from __future__ import annotations

from typing import Final

from penstock.core.tokens import estimate_tokens

# Where an estimate looks at a text: so many places, so many bytes.
_WINDOWS: Final = 16
_WINDOW: Final = 256


class SampledEstimate:
    """The token estimate from at most 4 KB of a text, evenly spread: 0.1 ms, whatever the size."""

    name = "estimate"
    exact = False

    def count(self, text: str) -> int:
        data = text.encode("utf-8", "surrogatepass")
        size, sampled = len(data), _WINDOWS * _WINDOW
        if size <= sampled:
            return estimate_tokens(data)
        starts = [(size - _WINDOW) * i // (_WINDOWS - 1) for i in range(_WINDOWS)]
        sample = b"".join([data[start : start + _WINDOW] for start in starts])
        return -(-estimate_tokens(sample) * size // sampled)

    def count_up_to(self, text: str, limit: int) -> int | None:
        count = self.count(text)
        return count if count <= limit else None
