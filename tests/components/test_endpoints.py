"""Endpoints have names; keys have only the names of their variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from workbench.components.endpoint_file import (
    FILE,
    KNOWN,
    NamedEndpoint,
    endpoints,
    remove_endpoint,
    save_endpoint,
    split_model,
)
from workbench.components.registry import Registry
from workbench.core.errors import DataError, UsageError
from workbench.pipeline.recipe import Recipe


def test_a_model_without_an_endpoint_is_openais(tmp_path: Path) -> None:
    model, place = split_model("gpt-4o-mini", tmp_path)
    assert (model, place.url, place.key) == ("gpt-4o-mini", "https://api.openai.com/v1", "OPENAI_API_KEY")


def test_an_endpoint_is_a_name_or_an_address(tmp_path: Path) -> None:
    assert split_model("llama3:8b@ollama", tmp_path)[1].url == "http://localhost:11434/v1"
    assert split_model("m@http://127.0.0.1:9/v1", tmp_path) == ("m", NamedEndpoint(url="http://127.0.0.1:9/v1"))


def test_an_unknown_endpoint_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Unknown endpoint “nowhere”.*ollama"):
        split_model("m@nowhere", tmp_path)


def test_an_endpoint_is_stored_in_the_workspace(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://10.0.0.5:8000/v1", key="LAB_API_KEY"))
    assert endpoints(tmp_path)["lab"].key == "LAB_API_KEY"
    assert split_model("m@lab", tmp_path)[1].url == "http://10.0.0.5:8000/v1"


def test_a_key_cannot_replace_its_variables_name() -> None:
    with pytest.raises(ValidationError, match="never the key itself"):
        NamedEndpoint(url="http://127.0.0.1:9/v1", key="sk-abc123")


@pytest.mark.parametrize("name", ["", "Lab", "a b", "../x", "x" * 40])
def test_a_bad_name_changes_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name an endpoint"):
        save_endpoint(tmp_path, name, NamedEndpoint(url="http://127.0.0.1:9/v1"))
    assert not (tmp_path / FILE).exists()


def test_an_address_with_a_key_in_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="without user name, key or"):
        save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://user:key@127.0.0.1/v1"))
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("text", ["lab: [", "lab: !!timestamp 1-1-1", f"lab: 1{':1' * 3_000}"])
def test_a_damaged_file_is_reported_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="Fix it or delete it"):
        endpoints(tmp_path)


def test_a_removed_endpoint_is_unknown_and_the_others_stay(tmp_path: Path) -> None:
    for name in ("lab", "desk"):
        save_endpoint(tmp_path, name, NamedEndpoint(url="http://10.0.0.5:8000/v1"))
    remove_endpoint(tmp_path, "lab")
    assert set(endpoints(tmp_path)) == {*KNOWN, "desk"}
    with pytest.raises(UsageError, match=r"Unknown endpoint “lab”.*desk"):
        split_model("m@lab", tmp_path)


def test_removing_a_replacement_restores_the_shipped_endpoint(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "ollama", NamedEndpoint(url="http://10.0.0.5:11434/v1"))
    remove_endpoint(tmp_path, "ollama")
    assert endpoints(tmp_path)["ollama"] == KNOWN["ollama"]


@pytest.mark.parametrize("name", ["ollama", "lab"])
def test_what_the_workspace_did_not_add_cannot_be_removed(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"Unknown endpoint of this workspace “{name}”"):
        remove_endpoint(tmp_path, name)
    assert not (tmp_path / FILE).exists()


def test_a_generator_that_was_used_before_is_not_called_at_a_removed_endpoint(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://127.0.0.1:9/v1"))
    Registry(tmp_path).generator("openai-like:m@lab")
    remove_endpoint(tmp_path, "lab")
    with pytest.raises(UsageError, match="Unknown endpoint “lab”"):
        Registry(tmp_path).generator("openai-like:m@lab")


def test_a_generator_is_called_at_its_current_endpoint(tmp_path: Path) -> None:
    identities = []
    for port in (9, 10):
        save_endpoint(tmp_path, "lab", NamedEndpoint(url=f"http://127.0.0.1:{port}/v1"))
        identities.append(Registry(tmp_path).translator("llm:OpenAI-like:m@lab").identity)
    assert "127.0.0.1:9/" in identities[0]
    assert "127.0.0.1:10/" in identities[1]


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "a: " + "{b: " * 5_000, f"a: {'9' * 6_000}", "a: &x [*x]", "a: 2024-99-99"]
)
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"cannot be used: expected names with"):
        endpoints(tmp_path)


def test_an_endless_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/dev/zero")
    with pytest.raises(DataError, match="cannot be used"):
        endpoints(tmp_path)


SEVERAL = "http://10.0.0.5:8000/v1 https://models.example.org/v1 | http://127.0.0.1:8000/v1"


def test_several_addresses_are_one_endpoint_and_all_their_hosts_are_shown(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "lab", NamedEndpoint(url=SEVERAL))
    registry = Registry(tmp_path)
    assert registry.host("openai-like:m@lab") == "10.0.0.5, models.example.org"
    recipe = Recipe(generator="openai-like:m@lab", translator="llm:openai-like:n@http://10.0.0.5:8000/v1")
    assert registry.hosts(recipe) == ("10.0.0.5", "models.example.org")


def test_several_addresses_can_stand_in_a_name(tmp_path: Path) -> None:
    name = "openai-like:m@http://127.0.0.1:8/v1|http://127.0.0.1:9/v1"
    assert [item.url for item in split_model(name.removeprefix("openai-like:"), tmp_path)[1].endpoints] == [
        "http://127.0.0.1:8/v1",
        "http://127.0.0.1:9/v1",
    ]
    assert Registry(tmp_path).host(name) == ""
    alone = Registry(tmp_path).generator("openai-like:m@http://127.0.0.1:8/v1")
    assert Registry(tmp_path).generator(name).identity == alone.identity


def test_one_bad_address_among_several_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="without user name, key or"):
        save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://127.0.0.1:9/v1 http://user:key@127.0.0.1/v1"))
    assert not (tmp_path / FILE).exists()


def test_every_address_of_an_endpoint_must_be_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_SHARED", "1")
    monkeypatch.setenv("WORKBENCH_ENDPOINT_HOSTS", "127.0.0.1")
    with pytest.raises(UsageError, match=r"The host “models\.example” is not allowed"):
        save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://127.0.0.1:9/v1 http://models.example/v1"))
    assert not (tmp_path / FILE).exists()


def test_a_limit_of_calls_is_stored_where_there_is_one_and_must_be_a_number(tmp_path: Path) -> None:
    save_endpoint(tmp_path, "lab", NamedEndpoint(url="http://127.0.0.1:9/v1", at_once=32))
    save_endpoint(tmp_path, "desk", NamedEndpoint(url="http://127.0.0.1:9/v1"))
    assert endpoints(tmp_path)["lab"].at_once == 32
    assert "at_once: 32" in (tmp_path / FILE).read_text(encoding="utf-8")
    (tmp_path / FILE).write_text("lab: {url: http://127.0.0.1:9/v1, at_once: -1}", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be used"):
        endpoints(tmp_path)
