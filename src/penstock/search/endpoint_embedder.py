"""Vectors from a server that speaks OpenAI's embeddings protocol: a hosted one, or Ollama, vLLM, LM Studio, llama.cpp.

1. What is asked goes to that server and nowhere else: redirects are not followed, as they would take the key along.
2. A server that is busy, or away for a moment, is asked again while an index is made. A query waits for one answer.
"""

from __future__ import annotations

import http.client
import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, Final

from penstock.errors import ArgumentError, UpstreamError
from penstock.search.embedder import Vector

TEXTS: Final = 32  # in one request: some servers refuse more
SECONDS: Final = 60.0
SECONDS_OF_QUERY: Final = 5.0

_TRIES: Final = 5
_LONGEST_PAUSE: Final = 30.0
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)
_MOST_BYTES: Final = 100_000_000
_TOLD: Final = 200  # characters of what a server says of its error


class _Refused(Exception):
    """The server's answer is no answer; whether it may be one later, and when."""

    def __init__(self, why: str, *, passing: bool, after: float | None = None) -> None:
        super().__init__(why)
        self.passing = passing
        self.after = after


class EndpointEmbedder:
    def __init__(
        self, url: str, model: str, key: str | None = None, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """`url` is what comes before `/embeddings`, as `http://127.0.0.1:11434/v1`."""
        if not url.startswith(("http://", "https://")):
            raise ArgumentError("url", url, "an http:// or https:// address")
        self.model = model
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json", "User-Agent": "penstock"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._open = urllib.request.build_opener(_NoRedirect).open
        self._sleep = sleep

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: list[Vector] = []
        for at in range(0, len(texts), TEXTS):
            vectors += self._asked_again(texts[at : at + TEXTS])
        return vectors

    def query(self, text: str) -> Vector:
        try:
            return self._asked([text], SECONDS_OF_QUERY)[0]
        except _Refused as refused:
            raise UpstreamError(self._url, str(refused)) from refused

    def _asked_again(self, texts: Sequence[str]) -> list[Vector]:
        for tried in range(1, _TRIES + 1):
            try:
                return self._asked(texts, SECONDS)
            except _Refused as refused:
                if not refused.passing or tried == _TRIES:
                    raise UpstreamError(self._url, str(refused)) from refused
                pause = 2.0 ** (tried - 1) if refused.after is None else refused.after
                self._sleep(min(pause, _LONGEST_PAUSE))
        raise AssertionError  # the last try returns or raises

    def _asked(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        body = json.dumps({"model": self.model, "input": list(texts)}).encode()
        request = urllib.request.Request(self._url, body, self._headers)  # noqa: S310  # http or https
        try:
            with self._open(request, timeout=seconds) as answer:
                data = answer.read(_MOST_BYTES + 1)
                broken_off = bool(answer.length) and len(data) <= _MOST_BYTES
        except urllib.error.HTTPError as error:
            with error:
                raise _Refused(_told(error), passing=error.code in _PASSING, after=_after(error)) from error
        except (OSError, http.client.HTTPException) as error:
            raise _Refused(str(getattr(error, "reason", error)) or type(error).__name__, passing=True) from error
        if broken_off:
            raise _Refused("its answer broke off", passing=True)
        if len(data) > _MOST_BYTES:
            raise _Refused(f"its answer is over {_MOST_BYTES:,} bytes", passing=False)
        return _vectors(data, len(texts))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None makes it an error like any other code."""


def _vectors(data: bytes, count: int) -> list[Vector]:
    try:
        given = {int(one["index"]): [float(number) for number in one["embedding"]] for one in json.loads(data)["data"]}
        vectors = [given[at] for at in range(count)]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _Refused(f"its answer is not {count} embeddings", passing=False) from error
    sizes = {len(vector) for vector in vectors}
    if len(sizes) != 1 or 0 in sizes or not all(map(math.isfinite, (n for vector in vectors for n in vector))):
        raise _Refused("its embeddings are no vectors of one length", passing=False)
    return [*vectors]


def _told(error: urllib.error.HTTPError) -> str:
    try:
        text = error.read(4 * _TOLD).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        text = ""
    said = " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_TOLD]
    return f"HTTP {error.code}{': ' if said else ''}{said}"


def _after(error: urllib.error.HTTPError) -> float | None:
    try:
        return max(0.0, float(error.headers.get("Retry-After", "")))
    except ValueError:
        return None
