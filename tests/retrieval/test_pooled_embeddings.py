"""Embeddings of one model at several addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event

import httpx
import numpy as np
import pytest

from tests.servers.loopback import loopback
from workbench.core.records import Passage
from workbench.models.llm.endpoint import TURNS
from workbench.retrieval.encoders import services
from workbench.retrieval.encoders.services import openai_like_encoder

GONE = "http://127.0.0.1:9/v1"
"""Where nothing listens."""
PASSAGES = [Passage(name, name, "", "en", text) for name, text in (("a", "tea"), ("b", "coffee"))]
BREAKS_OFF, CUTS, HANGS = 0, 1, 2
"""In place of a status: hangs up without a word, within the reply, or is silent until the end of the test."""
NO_CREDIT = "You exceeded your current quota"


@dataclass
class EmbeddingServer:
    """Its address, what it does in place of an answer, and the paths that were called."""

    url: str = ""
    fault: int = 200
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    released: Event = field(default_factory=Event)

    @property
    def port(self) -> str:
        return self.url.removesuffix("/v1").rpartition(":")[2]


@contextmanager
def embedding_server(fault: int = 200, message: str = "", **headers: str) -> Iterator[EmbeddingServer]:
    ours = EmbeddingServer("", fault, message, {name.replace("_", "-"): value for name, value in headers.items()})

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return None

        def do_POST(self) -> None:
            ours.paths.append(self.path)
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            if ours.fault == HANGS:
                ours.released.wait(10)
            if ours.fault in (BREAKS_OFF, HANGS):
                return
            data = [
                {"object": "embedding", "index": n, "embedding": [float(len(text)), 1.0]}
                for n, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            reply = {"object": "list", "data": data, "model": "m", "usage": usage}
            if ours.fault >= 400:
                reply = {"error": {"message": ours.message}}
            content = json.dumps(reply).encode()
            self.send_response(200 if ours.fault == CUTS else ours.fault)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in ours.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[:9] if ours.fault == CUTS else content)

    with loopback(Handler) as url:
        ours.url = f"{url}/v1"
        try:
            yield ours
        finally:
            ours.released.set()


def post(client: httpx.Client, url: str, seconds: float = 10) -> int:
    """The status of one call, without the library's own attempts."""
    return client.post(f"{url}/embeddings", json={"input": ["tea"]}, timeout=seconds).status_code


def test_an_embedding_behind_several_addresses_is_called_at_those_that_answer() -> None:
    with embedding_server() as first, embedding_server() as second:
        alone = openai_like_encoder("text-embedding-m", [first.url], "").encode_passages(PASSAGES)
        encoder = openai_like_encoder("text-embedding-m", [GONE, first.url, second.url], "")
        assert all(np.array_equal(encoder.encode_passages(PASSAGES), alone) for _ in range(6))
        assert len(first.paths) > 2 and len(second.paths) > 2 and set(first.paths + second.paths) == {"/v1/embeddings"}
        assert encoder.identity == openai_like_encoder("text-embedding-m", [GONE], "").identity


@pytest.mark.parametrize(
    "address", ["http://LocalHost:{}/v1", "HTTP://127.0.0.1:{}/v1/", "http://127.0.0.1:{}/a/../v1"]
)
def test_addresses_that_are_written_in_another_way_are_called_at_their_paths(address: str) -> None:
    with embedding_server() as first, embedding_server() as second:
        encoder = openai_like_encoder("text-embedding-m", [address.format(first.port), f"{second.url}/other"], "")
        for _ in range(4):
            encoder.encode_passages(PASSAGES)
        assert set(first.paths) == {"/v1/embeddings"} and set(second.paths) == {"/v1/other/embeddings"}


def test_one_address_with_a_limit_that_is_written_in_another_way_is_called_at_its_path() -> None:
    with embedding_server() as server:
        openai_like_encoder("text-embedding-m", [f"http://LocalHost:{server.port}/v1"], "", 2).encode_passages(PASSAGES)
        assert set(server.paths) == {"/v1/embeddings"}


@pytest.mark.parametrize(
    "address", ["https://models.example:443/v1", "http://models.example:80/v1", "http://bücher.example/v1"]
)
def test_the_default_port_and_international_names_leave_the_path_as_it_is(address: str) -> None:
    with embedding_server() as server:
        # The first host, which is not on this machine, rests: its calls go to the second.
        TURNS.rest(address, [address, server.url])
        openai_like_encoder("text-embedding-m", [address, server.url], "").encode_passages(PASSAGES)
        assert set(server.paths) == {"/v1/embeddings"}


@pytest.mark.parametrize("fault", [404, 429, 500, 502, 503, BREAKS_OFF, CUTS])
def test_a_host_that_fails_rests_and_its_calls_go_to_another(fault: int) -> None:
    with embedding_server(fault) as first, embedding_server() as second:
        client = services._client([first.url, second.url], 0)
        assert [post(client, first.url) for _ in range(4)] == [200] * 4
        assert (len(first.paths), len(second.paths)) == (1, 4)


def test_a_host_that_is_silent_rests_and_its_calls_go_to_another() -> None:
    with embedding_server(HANGS) as first, embedding_server() as second:
        client = services._client([first.url, second.url], 0)
        assert [post(client, first.url, 1) for _ in range(3)] == [200] * 3
        assert (len(first.paths), len(second.paths)) == (1, 3)


def test_a_host_rests_no_longer_than_it_asks() -> None:
    with embedding_server(503, Retry_After="0") as first, embedding_server() as second:
        client = services._client([first.url, second.url], 0)
        assert [post(client, first.url) for _ in range(4)] == [200] * 4
        assert len(first.paths) > 1


def test_a_host_rests_as_long_as_it_asks() -> None:
    with embedding_server(503, Retry_After="3600") as first, embedding_server() as second:
        urls = [first.url, second.url]
        client = services._client(urls, 0)
        TURNS.rest(second.url, urls, 60)
        assert post(client, first.url) == 503
        # Both rest: the one that is back first is called.
        assert post(client, first.url) == 200


@pytest.mark.parametrize(("fault", "message"), [(401, "Incorrect API key"), (400, "Bad input"), (429, NO_CREDIT)])
def test_what_every_host_would_refuse_goes_to_no_other(fault: int, message: str) -> None:
    with embedding_server(fault, message) as first, embedding_server() as second:
        assert post(services._client([first.url, second.url], 0), first.url) == fault
        assert (len(first.paths), len(second.paths)) == (1, 0)


def test_where_every_host_fails_each_is_called_once() -> None:
    with embedding_server(503) as first, embedding_server(503) as second:
        assert post(services._client([first.url, second.url], 0), first.url) == 503
        assert (len(first.paths), len(second.paths)) == (1, 1)


def test_one_address_that_fails_is_called_once_and_does_not_rest() -> None:
    with embedding_server(503) as server, embedding_server() as other:
        assert post(services._client([server.url], 1), server.url) == 503
        assert len(server.paths) == 1
        with TURNS.turn([server.url, other.url]), TURNS.turn([server.url, other.url]) as url:
            assert url == server.url


def test_an_embedding_at_one_address_waits_for_its_turn_no_longer_than_the_client_does() -> None:
    with embedding_server() as server:
        client = services._client([server.url], at_once=1)
        with TURNS.turn([server.url], 1), pytest.raises(httpx.PoolTimeout, match=r"busy for 0\.1 s"):
            post(client, server.url, 0.1)
        assert server.paths == []
        assert post(client, server.url) == 200
