"""Servers of models on this machine, and the workspace's default generator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.model_servers import ModelServer, model_server
from workbench.components import endpoint_file, model_servers
from workbench.components.endpoint_file import NamedEndpoint, save_endpoint
from workbench.components.identifiers import choose, identifier_choice
from workbench.components.inventory import entries
from workbench.components.model_servers import (
    choose_generator,
    default_generator,
    default_problem,
    find_models,
    model_title,
    refusal,
    with_default_generator,
)
from workbench.core.errors import UsageError
from workbench.models import key_policy
from workbench.pipeline.recipe import EXTRACTIVE, Recipe, make_recipe
from workbench.workspace.permissions import Actor, NotAllowed, Role, acting_as

LLAMA = "openai-like:llama3:8b@ollama"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_servers, "MOMENT", 10.0)


def known(monkeypatch: pytest.MonkeyPatch, **servers: ModelServer) -> None:
    """Has the known programs listen where these servers do, and nowhere else."""
    places = {name.replace("_", "-"): NamedEndpoint(url=server.url) for name, server in servers.items()}
    monkeypatch.setattr(endpoint_file, "KNOWN", {"openai": endpoint_file.KNOWN["openai"], **places})


def test_a_look_shows_what_each_server_on_this_machine_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("ollama", "llama3:8b", "nomic-embed-text") as ollama, model_server("crashes") as studio:
        known(monkeypatch, ollama=ollama, lm_studio=studio)
        there, broken = find_models(tmp_path)
    assert (there.title, [model.reference for model in there.models if model.writes]) == (
        "Ollama, this machine",
        [LLAMA],
    )
    assert there.models[0].title == "llama3:8b on Ollama, this machine"
    assert (broken.title, broken.problem) == ("LM Studio, this machine", "it answered with HTTP 500")
    assert [entry.name for entry in entries(tmp_path, ["generator"])][:2] == [LLAMA, EXTRACTIVE]


def test_another_program_at_a_ports_address_is_not_taken_for_the_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("Qwen", "Qwen/Qwen3-0.6B") as transformers, model_server("llama-cpp", "q.gguf") as llama:
        known(monkeypatch, vllm=transformers, llama_cpp=llama)
        first, second = find_models(tmp_path)
    assert first.models[0].reference == f"openai-like:Qwen/Qwen3-0.6B@{transformers.url}"
    assert first.title == f"{transformers.url.removeprefix('http://').removesuffix('/v1')}, this machine"
    assert second.models[0].reference == "openai-like:q.gguf@llama-cpp"


def test_a_service_of_this_workbench_is_no_server_of_models(tmp_path: Path) -> None:
    with model_server("mrag", "chirkova-best") as service:
        (server,) = find_models(tmp_path, service.url)
    assert (server.models, server.problem) == ((), "it is a service of this workbench, which answers by a recipe")


@pytest.mark.parametrize("form", ["{0}", "http://{0}", "http://{0}/v1", "http://{0}/v1/"])
def test_an_address_may_be_typed_with_or_without_its_scheme_and_version(tmp_path: Path, form: str) -> None:
    with model_server("vllm", "m") as server:
        (there,) = find_models(tmp_path, form.format(server.url.split("/")[2]))
    assert there.models[0].reference == f"openai-like:m@{server.url}"


def test_an_endpoint_is_asked_by_its_name(tmp_path: Path) -> None:
    with model_server("vllm", "m") as server:
        save_endpoint(tmp_path, "lab", NamedEndpoint(url=server.url))
        (lab,) = find_models(tmp_path, "lab")
    assert lab.models[0].reference == "openai-like:m@lab"


def test_endpoints_on_other_machines_are_asked_only_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_file, "KNOWN", {"openai": endpoint_file.KNOWN["openai"]})
    save_endpoint(tmp_path, "far", NamedEndpoint(url="http://192.0.2.1:8000/v1"))
    assert find_models(tmp_path) == ()


@pytest.mark.parametrize("address", ["ftp://x", "http://user:key@127.0.0.1:9/v1", "http://"])
def test_what_is_not_an_address_is_one_sentence(tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError, match="must be http:// or https://"):
        find_models(tmp_path, address)


def test_a_shared_server_says_what_its_admin_may_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("ollama", "m") as server:
        known(monkeypatch, ollama=server)
        assert refusal(tmp_path) == ""
        monkeypatch.setenv(key_policy.SHARED, "1")
        assert find_models(tmp_path) == ()
        assert "export WORKBENCH_ENDPOINT_HOSTS=127.0.0.1" in refusal(tmp_path)
        with pytest.raises(UsageError, match="served to others"):
            find_models(tmp_path, server.url)
        with pytest.raises(UsageError, match="served to others"):
            choose_generator(tmp_path, "openai-like:m@ollama")
        assert not server.requests


def test_only_admins_look_and_choose(tmp_path: Path) -> None:
    with acting_as(Actor("Rita", Role.ANALYST)):
        with pytest.raises(NotAllowed, match="role admin"):
            find_models(tmp_path)
        with pytest.raises(NotAllowed, match="role admin"):
            choose_generator(tmp_path, LLAMA)


def test_the_default_is_used_where_no_generator_was_chosen_and_stored_recipes_keep_theirs(tmp_path: Path) -> None:
    stored = make_recipe(Recipe().model_dump())
    choose_generator(tmp_path, LLAMA)
    assert with_default_generator(make_recipe({"mode": "drag"}), tmp_path).generator == LLAMA
    assert with_default_generator(make_recipe({"generator": EXTRACTIVE}), tmp_path).generator == EXTRACTIVE
    assert with_default_generator(stored, tmp_path).fingerprint == Recipe().fingerprint
    assert [entry.name for entry in entries(tmp_path, ["generator"])][:2] == [LLAMA, EXTRACTIVE]
    choose_generator(tmp_path, EXTRACTIVE)
    assert default_generator(tmp_path) == EXTRACTIVE


def test_generator_and_identifier_are_settings_beside_each_other(tmp_path: Path) -> None:
    choose_generator(tmp_path, LLAMA)
    assert identifier_choice(tmp_path).source == "default"
    choose(tmp_path, "builtin")
    assert (identifier_choice(tmp_path).source, default_generator(tmp_path)) == ("workspace", LLAMA)


@pytest.mark.parametrize("name", ["magic", "openai-like:m@nowhere", "openai-like:", "cross-encoder:x"])
def test_what_is_no_generator_is_not_chosen(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        choose_generator(tmp_path, name)
    assert default_generator(tmp_path) == EXTRACTIVE


def test_models_have_human_names(tmp_path: Path) -> None:
    assert model_title(LLAMA, tmp_path) == "llama3:8b on Ollama, this machine"
    assert model_title("openai-like:m@http://127.0.0.1:9/v1", tmp_path) == "m on 127.0.0.1:9, this machine"
    assert model_title("openai-like:gpt-4o-mini", tmp_path) == "gpt-4o-mini on OpenAI"
    assert model_title("openai-like:m@removed", tmp_path) == "m@removed"
    assert model_title(EXTRACTIVE, tmp_path) == EXTRACTIVE


def test_whether_the_default_can_answer_is_known_by_asking_its_server(tmp_path: Path) -> None:
    assert default_problem(tmp_path) == ""
    with model_server("vllm", "m") as server:
        choose_generator(tmp_path, f"openai-like:m@{server.url}")
        assert default_problem(tmp_path) == ""
        choose_generator(tmp_path, f"openai-like:gone@{server.url}")
        assert default_problem(tmp_path) == "its server does not hold this model"
    assert default_problem(tmp_path) == "nothing answers"
