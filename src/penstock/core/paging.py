"""Where the next page of ranked results begins, told by a token that is all the state there is.

The token says how many results were shown and carries a digest of them and of the query, so whoever answers needs no
memory of the pages before: it ranks anew, and goes on behind what the digest confirms. Rules:
1. No result is shown twice and none is passed over. Where that cannot be confirmed, the token is refused.
2. The order among equal scores may differ from one page to the next. So the digest does not depend on the order, and
   where a page ends among equals, the token names those of them that were shown (up to `MOST_TIED`; where more were
   shown, another order is refused like any other change).
3. What is not a token is refused by its checksum. It guards against slips and inventions, not against an attacker, who
   could gain nothing but a page that anyone may ask for.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

from penstock.errors import ContinuationError

MOST_TIED: Final = 16

_PREFIX: Final = "more-"
_VERSION: Final = b"\1"

# Lengths in bytes.
_COUNT: Final = 4
_QUERY: Final = 4
_SEEN: Final = 8
_NAME: Final = 3
_CHECK: Final = 3
_FIXED: Final = len(_VERSION) + _COUNT + _QUERY + _SEEN


@dataclass(frozen=True)
class Ranked:
    """A result in its place, as what it looks like."""

    score: float
    text: str  # its JSON

    @cached_property
    def digest(self) -> bytes:
        told = f"{self.score!r}\n{self.text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(told).digest()[:_SEEN]


def token_after(shown: Sequence[Ranked], following: Ranked, query: str) -> str:
    """The token of the page that begins with `following`; `shown` is all that stands before it."""
    digests = [result.digest for result in shown]
    tied = b""
    if shown[-1].score == following.score:
        names = [_name(d) for result, d in zip(shown, digests, strict=True) if result.score == following.score]
        tied = b"".join(names) if len(names) <= MOST_TIED else b""
    payload = _VERSION + len(shown).to_bytes(_COUNT) + _query_digest(query) + _sum(digests) + tied
    return _PREFIX + base64.b32encode(payload + _check(payload)).decode("ascii").rstrip("=").lower()


def shown_before(token: str, query: str, ranked: Sequence[Ranked]) -> set[int]:
    """Which of the results (places in `ranked`) the pages before this one have shown."""
    payload = _payload(token)
    count = int.from_bytes(payload[1 : 1 + _COUNT])
    place = 1 + _COUNT
    if payload[place : place + _QUERY] != _query_digest(query):
        raise ContinuationError(token, "query")
    if count > len(ranked):
        raise ContinuationError(token, "changed")
    seen = payload[place + _QUERY : _FIXED]
    names = [payload[i : i + _NAME] for i in range(_FIXED, len(payload), _NAME)]
    if count < max(1, len(names)):
        raise ContinuationError(token, "nonsense")
    places = _places(count, names, ranked)
    if _sum([ranked[i].digest for i in places]) != seen:
        raise ContinuationError(token, "changed")
    return places


def _places(count: int, names: Sequence[bytes], ranked: Sequence[Ranked]) -> set[int]:
    """The first `count`; where names are given, those in place of the last ones, which are equals of what follows."""
    if not names:
        return set(range(count))
    score = ranked[count - 1].score
    first = count - sum(1 for _ in takewhile(lambda result: result.score == score, reversed(ranked[:count])))
    wanted = Counter(names)
    places = set(range(first))
    for place in range(first, len(ranked)):
        if ranked[place].score != score:
            break
        name = _name(ranked[place].digest)
        if wanted[name] > 0:
            wanted[name] -= 1
            places.add(place)
    return places


def _payload(token: str) -> bytes:
    stripped = token.strip()
    body = stripped.removeprefix(_PREFIX)
    try:
        raw = base64.b32decode(body.upper() + "=" * (-len(body) % 8))
    except (binascii.Error, ValueError):
        raise ContinuationError(token, "nonsense") from None
    payload: bytes = raw[:-_CHECK]
    told = stripped != body and len(payload) >= _FIXED and payload[:1] == _VERSION and raw[-_CHECK:] == _check(payload)
    if not told:
        raise ContinuationError(token, "nonsense")
    return payload


def _sum(digests: Sequence[bytes]) -> bytes:
    """Of a set of results, whatever their order."""
    total = sum(int.from_bytes(digest) for digest in digests)
    return (total & (1 << 8 * _SEEN) - 1).to_bytes(_SEEN)


def _name(digest: bytes) -> bytes:
    return digest[:_NAME]


def _query_digest(query: str) -> bytes:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()[:_QUERY]


def _check(payload: bytes) -> bytes:
    return hashlib.sha256(b"continuation " + payload).digest()[:_CHECK]
