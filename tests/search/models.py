"""Models that tests know the vectors of, and a server of one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from penstock.search.embedder import Vector

WORDS: Mapping[str, int] = {"open": 0, "valve": 0, "vent": 0, "shut": 1, "gate": 1, "song": 2}


class ByWords:
    """Points where the words that it knows do."""

    def __init__(self, model: str = "by-words", *, size: int = 3, fails_after: int = 10**9) -> None:
        self.model = model
        self.asked: list[str] = []
        self._size = size
        self._left = fails_after

    def documents(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._vector(text) for text in texts]

    def query(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("enough")
        self.asked.append(text)
        vector = [0.0] * self._size
        for word, axis in WORDS.items():
            vector[axis] += 5 * text.count(word)
        return vector


Answer = tuple[int, dict[str, str], bytes]


class EmbeddingServer:
    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answers: list[Answer] = []  # in place of good ones
        self.seconds = 0.0  # for each text
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, dict(self.headers), body))
                time.sleep(outer.seconds * len(body["input"]))
                status, headers, data = outer.answers.pop(0) if outer.answers else good(body["input"])
                with suppress(ConnectionError):  # of who has given up
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(data)

            def do_GET(self) -> None:
                outer.requests.append((self.path, dict(self.headers), {}))
                self.send_error(404)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def good(texts: list[str]) -> Answer:
    """In any order, as the protocol allows; the vectors tell how long the texts are."""
    data = [{"index": at, "embedding": [len(text), 1]} for at, text in enumerate(texts)]
    return 200, {}, json.dumps({"object": "list", "data": data[::-1]}).encode()
