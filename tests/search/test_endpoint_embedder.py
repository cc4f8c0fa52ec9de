"""Against a server that answers as real ones do, and as broken ones do."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest

from penstock.errors import ArgumentError, UpstreamError
from penstock.search.endpoint_embedder import TEXTS, EndpointEmbedder

from .models import Answer, EmbeddingServer


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    made = EmbeddingServer()
    yield made
    made.close()


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
        ((200, {}, b'{"data": [{"index": 0, "embedding": [NaN]}]}'), "its embeddings are no vectors of one length"),
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


def test_address_that_is_no_web_address_is_refused() -> None:
    with pytest.raises(ArgumentError, match="an http:// or https:// address"):
        EndpointEmbedder("file:///etc", "small")
