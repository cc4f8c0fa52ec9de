"""Vectors from a server that speaks OpenAI's embeddings protocol: a hosted one, or Ollama, vLLM, LM Studio, llama.cpp.

1. What is asked goes to that server and nowhere else: redirects are not followed, as they would take the key along. A
   proxy that the environment names is on the way, but not to this machine itself.
2. A server that is busy, or away for a moment, is asked again while an index is made, and a slow one for less at once.
   A query waits for one answer.
3. The key is in no sentence, whatever is wrong with it, and where the server repeats it.
"""

from __future__ import annotations

import http.client
import json
import queue
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from penstock.errors import CallerError, UpstreamError
from penstock.hosts import is_this_machine
from penstock.search.embedder import Vector

TEXTS: Final = 32  # in one request: some servers refuse more
SECONDS: Final = 60.0  # from the question to the end of the answer
SECONDS_OF_QUERY: Final = 5.0

_HEEDING: Final = 0.2
_TRIES: Final = 5
_LONGEST_PAUSE: Final = 30.0
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)
_MOST_BYTES: Final = 100_000_000
_TOLD: Final = 200  # characters of what a server says of its error
_IN_ADDRESS: Final = re.compile(r'[!"$->A-~]+')  # ASCII without # ? @ and blanks


class _Refused(Exception):
    """The server's answer is no answer; whether it may be one later, and when."""

    def __init__(self, why: str, *, passing: bool, after: float | None = None) -> None:
        super().__init__(why)
        self.passing = passing
        self.after = after


class _Slow(_Refused):
    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer in {seconds:g} seconds", passing=True)


class _Embedding(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Embedding]


class EndpointEmbedder:
    def __init__(
        self, url: str, model: str, key: str | None = None, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """`url` is what comes before `/embeddings`, as `http://127.0.0.1:11434/v1`."""
        host = _checked(url).hostname or ""
        self.model = model
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {"Content-Type": "application/json", "User-Agent": "penstock"}
        self._key = key
        if key:
            if not (key.isascii() and key.isprintable()):
                raise CallerError("the key of the embedding server has characters that no header may have")
            self._headers["Authorization"] = f"Bearer {key}"
        direct = [urllib.request.ProxyHandler({})] if is_this_machine(host) else []
        self._open = urllib.request.build_opener(_NoRedirect, *direct).open
        self._sleep = sleep
        self._at_once = TEXTS

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: list[Vector] = []
        while len(vectors) < len(texts):
            vectors += self._asked_again(texts[len(vectors) : len(vectors) + self._at_once])
        return vectors

    def query(self, text: str) -> Vector:
        try:
            return self._asked([text], SECONDS_OF_QUERY)[0]
        except _Refused as refused:
            raise UpstreamError(self._url, str(refused)) from refused

    def _asked_again(self, texts: Sequence[str]) -> list[Vector]:
        """Of the first of these texts, of all where the server is not slow."""
        for tried in range(1, _TRIES + 1):
            try:
                return self._asked(texts, SECONDS)
            except _Refused as refused:
                if not refused.passing or tried == _TRIES:
                    raise UpstreamError(self._url, str(refused)) from refused
                if isinstance(refused, _Slow):
                    self._at_once = max(1, len(texts) // 2)
                    texts = texts[: self._at_once]
                    continue
                pause = 2.0 ** (tried - 1) if refused.after is None else refused.after
                self._sleep(min(pause, _LONGEST_PAUSE))
        raise AssertionError  # the last try returns or raises

    def _asked(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        body = json.dumps({"model": self.model, "input": list(texts)}).encode()
        request = urllib.request.Request(self._url, body, self._headers)  # noqa: S310  # http or https
        return _vectors(_in_time(lambda: self._answer(request, seconds), seconds), len(texts))

    def _answer(self, request: urllib.request.Request, seconds: float) -> bytes:
        try:
            with self._open(request, timeout=seconds) as answer:
                data: bytes = answer.read(_MOST_BYTES + 1)
                broken_off = bool(answer.length) and len(data) <= _MOST_BYTES
        except urllib.error.HTTPError as error:
            with error:
                told = self._plain(_said(error))
                why = f"HTTP {error.code}{': ' if told else ''}{told}"
                raise _Refused(why, passing=error.code in _PASSING, after=_after(error)) from error
        except UnicodeError as error:
            raise _Refused("its host has no name that can be looked up", passing=False) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise _Slow(seconds) from error
            raise _Refused(self._plain(str(reason)) or type(error).__name__, passing=True) from error
        if broken_off:
            raise _Refused("its answer broke off", passing=True)
        if len(data) > _MOST_BYTES:
            raise _Refused(f"its answer is over {_MOST_BYTES:,} bytes", passing=False)
        return data

    def _plain(self, text: str) -> str:
        """What somebody else wrote, as a part of a sentence."""
        if self._key:
            text = text.replace(self._key, "[key]")
        return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_TOLD]


def _checked(url: str) -> SplitResult:
    """One that is refused is not repeated: it may hold a password."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is none
        good = False
    if not good or not _IN_ADDRESS.fullmatch(url):
        raise CallerError(
            "the address of the embedding server is not allowed: it must be an http:// or https:// address in ASCII, "
            "without a user, '?' and '#'"
        )
    return parts


def _in_time(ask: Callable[[], bytes], seconds: float) -> bytes:
    """A socket's own timeout begins anew with each byte, and that of a name server is not ours.

    Who is not waited for any longer is left to end by himself.
    """
    answers: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put(ask())
        except Exception as error:  # noqa: BLE001  # it is raised where it is waited for
            answers.put(error)

    threading.Thread(target=run, name="penstock-embeddings", daemon=True).start()
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        # In short waits: a signal that another thread is given, and any on Windows, is heeded only between two.
        with suppress(queue.Empty):
            answer = answers.get(timeout=min(left, _HEEDING))
            if isinstance(answer, Exception):
                raise answer
            return answer
    raise _Slow(seconds)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None makes it an error like any other code."""


def _vectors(data: bytes, count: int) -> list[Vector]:
    try:
        given = sorted(msgspec.json.decode(data, type=_Answer).data, key=lambda one: one.index)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _Refused(f"its answer is not {count} embeddings", passing=False) from error
    if [one.index for one in given] != [*range(count)]:
        raise _Refused(f"its answer is not {count} embeddings", passing=False)
    vectors: list[Vector] = [one.embedding for one in given]
    sizes = {len(vector) for vector in vectors}
    if len(sizes) != 1 or 0 in sizes:
        raise _Refused("its embeddings are no vectors of one length", passing=False)
    return vectors


def _said(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(4 * _TOLD).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return ""


def _after(error: urllib.error.HTTPError) -> float | None:
    try:
        return max(0.0, float(error.headers.get("Retry-After", "")))
    except ValueError:
        return None
