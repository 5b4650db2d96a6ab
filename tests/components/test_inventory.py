"""What can be named in a recipe, and its state."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from workbench.app.doctor import essentials, examine
from workbench.app.workbench import Workbench
from workbench.components import adapter as adapters, factory, inventory as inventories
from workbench.components.factory import dense_encoder
from workbench.components.inventory import ROLES, Entry, adapter_words, index_command, is_here
from workbench.components.registry import Registry
from workbench.core.errors import UsageError
from workbench.core.records import Passage, Query
from workbench.models import llama_classes
from workbench.models.known import Model
from workbench.pipeline.published_recipes import shipped_recipes
from workbench.pipeline.recipe import make_recipe
from workbench.workspace import settings

REORDER = "llama_index.core.postprocessor:LongContextReorder"


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model was downloaded and no key is set."""
    monkeypatch.setattr(inventories, "is_here", lambda model, home: False)
    monkeypatch.setattr(settings, "secret", lambda name: None)


def entry(home: Path, role: str, name: str) -> Entry:
    return next(item for item in Registry(home).inventory() if (item.role, item.name) == (role, name))


def test_each_role_begins_with_what_is_built_in(tmp_path: Path) -> None:
    entries = Registry(tmp_path).inventory()
    for role in ROLES:
        first = next(item for item in entries if item.role == role)
        assert (first.ready, first.state, first.sends_to) == (True, "built in", "")


def test_everything_is_ready_or_names_the_command_that_provides_it(tmp_path: Path) -> None:
    assert all(item.ready != bool(item.remedy) for item in Registry(tmp_path).inventory())


def test_a_missing_model_states_size_licence_memory_and_command(tmp_path: Path) -> None:
    model = entry(tmp_path, "encoder", "bge-m3")
    assert (model.size, model.licence, model.memory) == ("2.3 GB", "MIT", "2.3 GB (32 bits)")
    assert (model.remedy, model.downloadable) == ("python -m workbench models download bge-m3", True)


def test_a_quantised_model_states_the_memory_for_both(tmp_path: Path) -> None:
    # 35 billion weights: half a byte each, or two.
    assert entry(tmp_path, "generator", "command-r-35b").memory == "17.5 GB (int4), 70.0 GB (16 bits)"


def test_a_gated_model_states_that_its_licence_must_be_accepted(tmp_path: Path) -> None:
    assert "accepted first" in entry(tmp_path, "generator", "llama-2-7b-chat").state


def test_a_model_outside_the_hub_is_fetched_from_its_address(tmp_path: Path) -> None:
    model = entry(tmp_path, "identifier", "lid.176")
    file = tmp_path / "identifiers" / "lid.176.bin"
    assert model.remedy.startswith(f"curl -fL --create-dirs -o {file} https://")
    assert not model.downloadable


def test_a_service_names_its_key_and_its_host(tmp_path: Path) -> None:
    service = entry(tmp_path, "generator", "gpt-4o")
    assert (service.remedy, service.sends_to) == ("export OPENAI_API_KEY=…", "api.openai.com")
    assert entry(tmp_path, "encoder", "cohere-embed-multilingual-v3").sends_to == "api.cohere.com"
    assert entry(tmp_path, "translator", "papago").remedy == "export PAPAGO_CLIENT_ID=… PAPAGO_CLIENT_SECRET=…"


def test_a_missing_package_is_reported_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "find_spec", lambda module: None if "cohere" in module else object())
    service = entry(tmp_path, "encoder", "cohere-embed-multilingual-v3")
    assert service.state == "package not installed: llama-index-embeddings-cohere; not set: COHERE_API_KEY"
    assert service.remedy == "pip install llama-index-embeddings-cohere\nexport COHERE_API_KEY=…"


def test_a_model_on_this_machine_is_not_ready_without_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inventories, "is_here", lambda model, home: True)
    monkeypatch.setattr(adapters, "find_spec", lambda module: None)
    model = entry(tmp_path, "generator", "command-r-35b")
    assert (model.ready, model.downloadable) == (False, False)
    assert model.remedy == "pip install transformers bitsandbytes"


def test_doctor_gives_several_commands_on_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "find_spec", lambda module: None)
    remedies = {item.name: item.remedy for item in examine(Workbench(settings.load(tmp_path)))}
    assert remedies["encoder splade-v3"] == (
        "pip install sentence-transformers && python -m workbench models download splade-v3"
    )


def test_a_service_is_ready_once_its_key_is_set_and_never_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "secret", lambda name: "sk-planted" if name == "OPENAI_API_KEY" else None)
    service = entry(tmp_path, "generator", "gpt-4o")
    assert (service.ready, service.state) == (True, "service; set: OPENAI_API_KEY")
    assert {key.name for key in Registry(tmp_path).secrets() if key.is_set} == {"OPENAI_API_KEY"}
    assert "sk-planted" not in f"{Registry(tmp_path).inventory()}{Registry(tmp_path).secrets()}"


def test_the_keys_of_the_workspaces_endpoints_are_listed(tmp_path: Path) -> None:
    (tmp_path / "endpoints.yaml").write_text("mine: {url: 'http://a.example/v1', key: MY_API_KEY}")
    assert {key.name: key.wanted_by for key in Registry(tmp_path).secrets()}["MY_API_KEY"] == "endpoint mine"


def test_what_is_ready_stands_first_in_every_role(tmp_path: Path) -> None:
    entries = Registry(tmp_path).inventory()
    for role in ROLES:
        states = [item.ready for item in entries if item.role == role]
        assert states == sorted(states, reverse=True) and False in states


def test_adapters_are_offered_by_the_roles_they_serve() -> None:
    assert "nllb:MODEL" in adapter_words("translator")
    assert "nllb:MODEL" not in adapter_words("encoder")


@pytest.mark.parametrize("name", [item.name for item in shipped_recipes()])
def test_every_component_of_a_shipped_recipe_means_something(name: str, tmp_path: Path) -> None:
    Registry(tmp_path).check(next(item.recipe for item in shipped_recipes() if item.name == name))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"encoder": "gpt-4o"}, "not as encoder|cannot be used as encoder"),
        ({"reranker": "nllb:x"}, "cannot be used as reranker"),
        ({"translator": "gogle"}, "Unknown translator"),
        ({"generator": "openai-like:m@nowhere"}, "Unknown endpoint"),
        ({"generator": "magic:x"}, "Unknown model adapter"),
    ],
)
def test_a_component_that_means_nothing_is_one_sentence(choice: dict[str, str], expected: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=expected):
        Registry(tmp_path).check(make_recipe(choice))


def test_where_texts_go_comes_with_the_check(tmp_path: Path) -> None:
    recipe = make_recipe({"generator": "gpt-4o", "translator": "google"})
    assert Registry(tmp_path).check(recipe) == ("api.openai.com", "translate.google.com")


def test_splade_is_indexed_as_sparse() -> None:
    assert index_command("mine", "splade-v3") == "python -m workbench corpora index mine --encoder splade-v3 --sparse"
    assert index_command("mine", "bge-m3").endswith("--encoder bge-m3")


def test_doctor_lists_models_and_keys_beside_the_essentials(tmp_path: Path) -> None:
    bench = Workbench(settings.load(tmp_path))
    extra = {item.name for item in examine(bench)} - {item.name for item in essentials(bench)}
    assert {"encoder builtin", "encoder bge-m3", "translator google", "key OPENAI_API_KEY"} <= extra


def test_doctor_survives_endpoints_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "endpoints.yaml").write_text("[")
    broken = next(item for item in examine(Workbench(settings.load(tmp_path))) if item.name == "endpoints")
    assert not broken.ready
    assert "endpoints.yaml" in broken.remedy


def test_the_built_in_identifier_is_tried_by_a_real_call(tmp_path: Path) -> None:
    trial = Registry(tmp_path).test("identifier", "builtin")
    assert trial.ok
    assert "is in the language “en”" in trial.sentence


@pytest.mark.parametrize(
    ("role", "name", "words"),
    [
        ("encoder", "builtin", "The built-in encoder needs no model."),
        ("generator", "extractive", "The built-in reader needs no model."),
        ("reranker", "pass", "Ranked two passages (a is relevant, b is not): a 0.000, b 0.000."),
        ("reranker", f"llama-index:{REORDER}", "Ranked two passages (a is relevant, b is not): a 1.000, b 0.500."),
        ("generator", "llama-index:llama_index.core.llms.mock:MockLLM", "answered “text text"),
    ],
)
def test_a_trial_says_what_the_component_did(role: str, name: str, words: str, tmp_path: Path) -> None:
    trial = Registry(tmp_path).test(role, name)
    assert trial.ok and words in trial.sentence


@pytest.mark.parametrize(
    ("role", "name", "words"),
    [
        ("encoder", "cohere-embed-multilingual-v3", "pip install llama-index-embeddings-cohere"),
        ("encoder", "llama-index:llama_index.core.embeddings:MockEmbedding", "cannot be made by its name alone"),
        ("encoder", "llama-index:llama_index.embeddings.nowhere:None", "pip install llama-index-embeddings-nowhere"),
        ("generator", "llama-index:llama_index.llms.nowhere:Nowhere", "pip install llama-index-llms-nowhere"),
        ("reranker", "flag-llm-reranker:/models/none", "no model folder"),
    ],
)
def test_a_trial_that_fails_says_what_is_missing(
    role: str, name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_classes, "find_spec", lambda module: None if "cohere" in module else find_spec(module))
    trial = Registry(tmp_path).test(role, name)
    assert not trial.ok and words in trial.sentence


def test_a_trial_of_an_encoder_compares_a_question_with_two_passages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Known:
        dimensions = 2

        def encode_passages(self, passages: Sequence[Passage]) -> np.ndarray:
            return np.eye(2)[: len(passages)]

        def encode_queries(self, queries: Sequence[Query]) -> np.ndarray:
            return np.array([[0.75, 0.25]] * len(queries))

    monkeypatch.setattr(factory, "dense_encoder", lambda name, home: Known())
    trial = Registry(tmp_path).test("encoder", "bge-m3")
    assert trial.sentence == "2 dimensions; similarity 0.750 to a relevant passage, 0.250 to an irrelevant one."


def test_another_role_is_answered_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Unknown role “dancer”\. Allowed: encoder, generator, identifier, "):
        Registry(tmp_path).test("dancer", "bge-m3")


def test_a_model_is_here_once_its_files_are(tmp_path: Path) -> None:
    facts = {"name": "mine", "title": "Mine", "role": "encoder", "adapter": "sentence-transformers", "source": "us"}
    model = Model.model_validate({**facts, "model": str(tmp_path / "mine")})
    assert not is_here(model, tmp_path)
    (tmp_path / "mine").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "mine" / name).write_text("{}")
    assert is_here(model, tmp_path)


def test_an_encoder_that_is_fitted_to_a_corpus_encodes_nothing_else(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is fitted to a corpus and encodes no other texts: choose another encoder"):
        dense_encoder("builtin", tmp_path)


def test_all_that_a_recipe_lacks_is_listed_at_once(tmp_path: Path) -> None:
    recipe = make_recipe({"encoder": "bge-m3", "reranker": "bge-reranker-v2-m3", "generator": "gpt-4o"})
    lacking = Registry(tmp_path).unready(recipe)
    assert [(item.role, item.name) for item in lacking] == [
        ("encoder", "bge-m3"),
        ("reranker", "bge-reranker-v2-m3"),
        ("generator", "gpt-4o"),
    ]
    assert all(item.remedy for item in lacking)


def test_a_recipe_of_what_is_built_in_lacks_nothing(tmp_path: Path) -> None:
    assert Registry(tmp_path).unready(make_recipe({"mode": "drag"})) == ()


def test_an_encoder_that_a_lexical_search_does_not_use_is_not_missed(tmp_path: Path) -> None:
    assert Registry(tmp_path).unready(make_recipe({"retriever": "lexical", "encoder": "bge-m3"})) == ()
