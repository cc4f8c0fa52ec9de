"""Against a server that answers as real ones do, and as broken ones do."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from penstock.errors import CallerError, UpstreamError
from penstock.search import endpoint_embedder
from penstock.search.endpoint_embedder import TEXTS, EndpointEmbedder

from .models import Answer, EmbeddingServer


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer()
    yield made
    made.close()


Raw = Callable[[Callable[[socket.socket], None]], str]


@pytest.fixture
def raw() -> Iterator[Raw]:
    """The address of a server that does with a line whatever it is told to."""
    made: list[socket.socket] = []

    def serve(answer: Callable[[socket.socket], None]) -> str:
        made.append(socket.create_server(("127.0.0.1", 0)))

        def run() -> None:
            line, _ = made[-1].accept()
            with line, contextlib.suppress(OSError):
                line.recv(65_536)
                answer(line)

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{made[-1].getsockname()[1]}/v1"

    yield serve
    for server in made:
        server.close()


@pytest.fixture
def paused() -> list[float]:
    return []


@pytest.fixture
def embedder(server: EmbeddingServer, paused: list[float]) -> Callable[..., EndpointEmbedder]:
    return lambda *key: EndpointEmbedder(server.url + "/", "small", *key, sleep=paused.append)


def test_vectors_come_in_the_order_of_the_texts_in_requests_of_some(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder]
) -> None:
    texts = ["x" * length for length in range(TEXTS + 5)]
    assert embedder().documents(texts) == [[length, 1] for length in range(TEXTS + 5)]
    assert [len(body["input"]) for _, _, body in server.requests] == [TEXTS, 5]
    path, _, body = server.requests[0]
    assert (path, body["model"]) == ("/v1/embeddings", "small")


def test_key_is_sent_as_a_bearer_and_only_where_there_is_one(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder]
) -> None:
    embedder("sk-1").query("a")
    embedder().query("a")
    assert [headers.get("Authorization") for _, headers, _ in server.requests] == ["Bearer sk-1", None]


def test_busy_server_is_asked_again_after_the_time_that_it_names(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], paused: list[float]
) -> None:
    server.answers = [
        (429, {"Retry-After": "7"}, b""),
        (503, {"Retry-After": "86400"}, b""),
        (500, {"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}, b""),
    ]
    assert embedder().documents(["abc"]) == [[3, 1]]
    assert paused == [7, 30, 4]


def test_server_that_stays_busy_is_given_up(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], paused: list[float]
) -> None:
    server.answers = [(503, {}, b"")] * 9
    with pytest.raises(UpstreamError, match=r"/v1/embeddings gave no answer that can be used: HTTP 503$"):
        embedder().documents(["abc"])
    assert (len(server.requests), paused) == (5, [1, 2, 4, 8])


def test_slow_server_is_asked_for_less_at_once(
    server: EmbeddingServer,
    embedder: Callable[..., EndpointEmbedder],
    paused: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoint_embedder, "SECONDS", 1.0)
    server.seconds = 0.2
    slow = embedder()
    texts = ["x" * length for length in range(12)]
    assert slow.documents(texts) == [[length, 1] for length in range(12)]
    sizes = [len(body["input"]) for _, _, body in server.requests]
    assert sizes[:2] == [12, 6]
    assert sizes[-1] < 6
    assert paused == []
    server.requests.clear()
    assert slow.documents(texts[:6])[5] == [5, 1]
    assert len(server.requests[0][2]["input"]) < 6  # it remembers


def test_query_waits_for_one_answer_only(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], paused: list[float]
) -> None:
    server.answers = [(503, {}, b"loading\nthe \x1b[31mmodel")]
    with pytest.raises(UpstreamError, match=r"HTTP 503: loading the \[31mmodel$"):
        embedder().query("abc")
    assert paused == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((401, {}, b'{"error": "no such key"}'), 'HTTP 401: {"error": "no such key"}'),
        ((404, {}, b"x" * 1_000), "HTTP 404: " + "x" * 200),
        ((200, {}, b"<html>"), "its answer is not 1 embeddings"),
        ((200, {}, b"[" * 100_000), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": []}'), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": "AAA="}]}'), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": []}]}'), "its embeddings are no vectors of one length"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [NaN]}]}'), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [true]}]}'), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": ["1"]}]}'), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}"), "its answer is not 1 embeddings"),
        ((200, {}, b'{"data": [{"index": 1e999, "embedding": [1]}]}'), "its answer is not 1 embeddings"),
        (
            (200, {}, b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [2]}]}'),
            "its answer is not 1 embeddings",
        ),
        ((401, {}, b"no such key: sk-secret"), "HTTP 401: no such key: [key]"),
    ],
)
def test_answer_that_will_not_get_better_is_told_at_once(
    answer: Answer, told: str, server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], paused: list[float]
) -> None:
    server.answers = [answer]
    with pytest.raises(UpstreamError) as raised:
        embedder("sk-secret").documents(["abc"])
    assert raised.value.why == told
    assert "sk-secret" not in str(raised.value)
    assert paused == []


def test_redirect_is_not_followed_as_it_would_take_the_key_along(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder]
) -> None:
    server.answers = [(302, {"Location": f"{server.url}/elsewhere"}, b"")]
    with pytest.raises(UpstreamError, match="HTTP 302"):
        embedder("sk-1").query("a")
    assert len(server.requests) == 1


def test_server_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        paused: list[float] = []
        with pytest.raises(UpstreamError, match="refused"):
            EndpointEmbedder(url, "small", sleep=paused.append).documents(["a"])
    assert len(paused) == 4


def test_line_that_breaks_off_is_tried_again(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], paused: list[float]
) -> None:
    server.answers = [(200, {"Content-Length": "1000"}, b'{"data"')]
    assert embedder().documents(["abc"]) == [[3, 1]]
    assert paused == [1]


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc", "http://", "http://[::1", "http://a:b/v1", "http://a:99999/v1", "http://me:secret@a/v1"),
        *(
            "http://me@a/v1",
            "http://a/v1?key=secret",
            "http://a/v1#x",
            "http://a/ü",
            "http://a/b c",
            "http://a/\r\nX: y",
        ),
    ],
)
def test_address_that_cannot_be_asked_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(CallerError, match="it must be an http:// or https:// address") as raised:
        EndpointEmbedder(url, "small")
    assert url not in str(raised.value) or url == "http://"
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("key", ["sk-secret\r\nX-Other: 1", "sk-secret\n", "ключ-secret"])
def test_key_that_no_header_can_have_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(CallerError, match="the key of the embedding server") as raised:
        EndpointEmbedder("http://127.0.0.1/v1", "small", key)
    assert "secret" not in str(raised.value)


def test_host_that_no_name_server_can_be_asked_for_is_told() -> None:
    with pytest.raises(UpstreamError, match="its host has no name that can be looked up"):
        EndpointEmbedder(f"http://{'a' * 70}.example/v1", "small").query("a")


def test_what_a_broken_server_says_is_short_and_plain(raw: Raw) -> None:
    url = raw(lambda line: line.sendall(b"\x1b[31mHTTP\x00 " + b"z" * 60_000 + b"\r\n"))
    with pytest.raises(UpstreamError) as raised:
        EndpointEmbedder(url, "small").query("a")
    assert len(raised.value.why) <= 200
    assert raised.value.why.isprintable()


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 500 Oh\r\n\r\n"])
def test_query_does_not_wait_for_an_answer_that_drips(raw: Raw, head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_embedder, "SECONDS_OF_QUERY", 0.5)
    over = threading.Event()

    def drip(line: socket.socket) -> None:
        line.sendall(head)
        while not over.wait(0.1):
            line.sendall(b"x")

    began = time.monotonic()
    with pytest.raises(UpstreamError, match=r"no answer in 0\.5 seconds"):
        EndpointEmbedder(raw(drip), "small").query("a")
    assert time.monotonic() - began < 10
    over.set()


def test_proxy_of_the_environment_is_used_but_not_to_this_machine(
    server: EmbeddingServer, embedder: Callable[..., EndpointEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert embedder().query("abc") == [3, 1]
    assert EndpointEmbedder(server.url.replace("127.0.0.1", "localhost"), "small").query("abc") == [3, 1]
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    assert EndpointEmbedder("http://embeddings.invalid/v1", "small").query("abc") == [3, 1]
    assert [path for path, _, _ in server.requests] == [
        *("/v1/embeddings", "/v1/embeddings", "http://embeddings.invalid/v1/embeddings")
    ]
