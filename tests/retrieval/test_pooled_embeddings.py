"""Embeddings of one model at several addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import httpx
import numpy as np
import pytest

from tests.servers.loopback import loopback
from workbench.models.host_turns import TURNS
from workbench.records import Passage
from workbench.retrieval.encoders import services
from workbench.retrieval.encoders.services import openai_like_encoder

GONE = "http://127.0.0.1:9/v1"
"""Where nothing listens."""


@contextmanager
def embedding_server() -> Iterator[tuple[str, list[str]]]:
    """A server of embeddings: its address, and the paths that were called."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return None

        def do_POST(self) -> None:
            paths.append(self.path)
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            data = [
                {"object": "embedding", "index": n, "embedding": [float(len(text)), 1.0]}
                for n, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            content = json.dumps({"object": "list", "data": data, "model": "m", "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with loopback(Handler) as url:
        yield f"{url}/v1", paths


def test_an_embedding_behind_several_addresses_is_called_at_those_that_answer() -> None:
    passages = [Passage(name, name, "", "en", text) for name, text in (("a", "tea"), ("b", "coffee"))]
    with embedding_server() as (first, paths), embedding_server() as (second, others):
        alone = openai_like_encoder("text-embedding-m", [first], "").encode_passages(passages)
        encoder = openai_like_encoder("text-embedding-m", [GONE, first, second], "")
        assert all(np.array_equal(encoder.encode_passages(passages), alone) for _ in range(6))
        assert len(paths) > 2 and len(others) > 2 and set(paths + others) == {"/v1/embeddings"}
        assert encoder.identity == openai_like_encoder("text-embedding-m", [GONE], "").identity


def test_an_embedding_at_one_address_waits_for_its_turn_no_longer_than_the_client_does() -> None:
    with embedding_server() as (url, paths):
        client = services._client([url], at_once=1)
        with TURNS.turn([url], 1), pytest.raises(httpx.PoolTimeout, match=r"busy for 0\.1 s"):
            client.post(f"{url}/embeddings", json={"input": ["tea"]}, timeout=0.1)
        assert paths == []
        assert client.post(f"{url}/embeddings", json={"input": ["tea"]}, timeout=10).status_code == 200
