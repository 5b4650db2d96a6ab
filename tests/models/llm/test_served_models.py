"""What servers of models hold: as each of the known servers lists it, and where one goes wrong."""

from __future__ import annotations

import time

import pytest

from tests.models.llm.conftest import Served
from tests.servers.model_servers import SIZE, model_server
from workbench.core.errors import MissingError, UsageError
from workbench.models import key_policy
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.served_models import BYTES_LIMIT, MODELS_LIMIT, ServedModel, served_models

PATIENCE = 10.0
"""Seconds that a busy machine may take."""


def test_ollama_gives_names_and_sizes() -> None:
    with model_server("ollama", "llama3:8b", "qwen3:4b") as server:
        models = served_models(Endpoint(server.url, ""), PATIENCE)
    assert models == (ServedModel("llama3:8b", SIZE, "library"), ServedModel("qwen3:4b", SIZE, "library"))
    assert server.requests == [("/v1/models", ""), ("/api/tags", "")]


@pytest.mark.parametrize(("kind", "size"), [("lm-studio", 0), ("vllm", 0), ("llama-cpp", SIZE), ("Qwen", 0)])
def test_other_servers_are_asked_once(kind: str, size: int) -> None:
    with model_server(kind, "a/b-7b.gguf") as server:
        (model,) = served_models(Endpoint(server.url, ""), PATIENCE)
    assert (model.name, model.size) == ("a/b-7b.gguf", size)
    assert server.paths == ["/v1/models"]


def test_a_server_may_hold_nothing_or_a_thousand_models() -> None:
    with model_server("vllm") as server:
        assert served_models(Endpoint(server.url, ""), PATIENCE) == ()
    with model_server("vllm", *(f"model-{number}" for number in range(MODELS_LIMIT + 5))) as server:
        assert len(served_models(Endpoint(server.url, ""), PATIENCE)) == MODELS_LIMIT


def test_only_names_that_can_be_shown_and_typed_are_models() -> None:
    with model_server("odd-entries") as server:
        assert served_models(Endpoint(server.url, ""), PATIENCE) == (ServedModel("fine"),)


@pytest.mark.parametrize("kind", ["hangs", "trickles"])
def test_a_server_that_hangs_is_left_after_a_moment_however_it_hangs(kind: str) -> None:
    with model_server(kind) as server:
        began = time.monotonic()
        with pytest.raises(MissingError, match=r"no answer within 0\.3 s"):
            served_models(Endpoint(server.url, ""))
        assert time.monotonic() - began < 5


@pytest.mark.parametrize("kind", ["web-page", "binary", "deep", "other-json"])
def test_what_is_not_a_list_of_models_is_said_to_be_none(kind: str) -> None:
    with model_server(kind) as server, pytest.raises(MissingError, match="did not answer with a list of models"):
        served_models(Endpoint(server.url, ""), PATIENCE)


@pytest.mark.parametrize(("kind", "words"), [("crashes", "HTTP 500"), ("wants-a-key", "only with a key")])
def test_a_refusal_is_told(kind: str, words: str) -> None:
    with model_server(kind) as server, pytest.raises(MissingError, match=words):
        served_models(Endpoint(server.url, ""), PATIENCE)


def test_reading_ends_long_before_a_flood_does() -> None:
    with model_server("floods") as server:
        with pytest.raises(MissingError, match="longer than 4 MB"):
            served_models(Endpoint(server.url, ""), PATIENCE)
        assert server.released.wait(PATIENCE)
        assert server.sent < 5 * BYTES_LIMIT


def test_a_redirect_to_another_host_is_not_followed() -> None:
    with model_server("vllm", "secret") as other, model_server("redirects", elsewhere=f"{other.url}/models") as server:
        with pytest.raises(MissingError, match="not followed"):
            served_models(Endpoint(server.url, ""), PATIENCE)
        assert not other.requests


def test_where_nothing_listens_nothing_answers() -> None:
    with model_server("vllm") as server:
        pass
    with pytest.raises(MissingError, match="nothing answers"):
        served_models(Endpoint(server.url, ""), PATIENCE)


def test_a_key_goes_to_the_endpoint_that_names_it_and_to_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("MY_API_KEY", "sk-mine")
    with model_server("vllm", "m") as server:
        served_models(Endpoint(server.url, ""), PATIENCE)
        served_models(Endpoint(server.url, "MY_API_KEY"), PATIENCE)
    assert [key for _, key in server.requests] == ["", "Bearer sk-mine"]


def test_a_shared_server_asks_nobody_until_its_admin_allows_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(key_policy.SHARED, "1")
    with model_server("vllm", "m") as server:
        with pytest.raises(UsageError, match="served to others"):
            served_models(Endpoint(server.url, ""), PATIENCE)
        assert not server.requests
        monkeypatch.setenv(key_policy.ENDPOINT_HOSTS, "127.0.0.1")
        assert [model.name for model in served_models(Endpoint(server.url, ""), PATIENCE)] == ["m"]


@pytest.mark.slow
def test_transformers_serve_lists_its_models(served_smollm2: Served) -> None:
    assert isinstance(served_models(Endpoint(served_smollm2.url, ""), PATIENCE), tuple)
