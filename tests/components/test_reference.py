"""What a recipe's word for a component means."""

import pytest

from workbench.components.references import known_models, nested, reference, runs_here
from workbench.core.errors import UsageError


@pytest.mark.parametrize(
    ("name", "adapter", "model", "revision"),
    [
        ("bge-m3", "bge-m3", "BAAI/bge-m3", None),
        (" BGE-M3 ", "bge-m3", "BAAI/bge-m3", None),
        ("cross-encoder:/models/x", "cross-encoder", "/models/x", None),
        (
            "sentence-transformers:intfloat/multilingual-e5-base",
            "sentence-transformers",
            "intfloat/multilingual-e5-base",
            None,
        ),
        ("openai-like:llama3:8b", "openai-like", "llama3:8b", None),
        ("huggingface:maker/model@v1.2", "huggingface", "maker/model", "v1.2"),
        ("cross-encoder:/models/x@home", "cross-encoder", "/models/x@home", None),
        ("fasttext:/models/lid.176.bin", "fasttext", "/models/lid.176.bin", None),
    ],
)
def test_names_and_adapters_are_read(name: str, adapter: str, model: str, revision: str | None) -> None:
    target = reference(name)
    assert (target.adapter, target.model, target.revision) == (adapter, model, revision)


def test_a_known_name_provides_its_defaults_and_facts() -> None:
    target = reference("multilingual-e5-base")
    assert target.parameters == {"question_prefix": "query: ", "passage_prefix": "passage: "}
    assert target.facts == "1.1 GB, licence MIT"


def test_a_known_hub_id_under_its_adapter_provides_them_too() -> None:
    named = reference("sentence-transformers:intfloat/multilingual-e5-base")
    assert named.parameters == reference("multilingual-e5-base").parameters


def test_a_known_hub_id_under_another_adapter_provides_none() -> None:
    target = reference("sentence-transformers:BAAI/bge-m3")
    assert (target.parameters, target.facts) == ({}, "")


def test_a_model_behind_a_nested_adapter_is_resolved_in_turn() -> None:
    inner = nested(reference("llm:openai-like:gpt-4o", "translator"))
    assert (inner.adapter, inner.model) == ("openai-like", "gpt-4o")
    assert nested(reference("llm:command-r-35b", "translator")).adapter == "huggingface"


@pytest.mark.parametrize("name", [model.name for model in known_models()])
def test_every_known_model_is_usable_in_its_role(name: str) -> None:
    model = next(model for model in known_models() if model.name == name)
    assert reference(name, model.role).known == model


@pytest.mark.parametrize(
    ("name", "role", "expected"),
    [
        ("bge-m4", None, "Unknown model “bge-m4”. Allowed: baidu, bge-m3, "),
        ("bge-m4", "encoder", "Unknown encoder “bge-m4”. Allowed: bge-m3, builtin, cohere-"),
        ("", "reranker", "Unknown reranker “”"),
        ("magic:model", None, "Unknown model adapter “magic”"),
        ("huggingface:", None, "names no model after the colon"),
        ("gpt-4o", "encoder", "“gpt-4o” is known as generator, not as encoder."),
        ("nllb:maker/x", "generator", "cannot be used as generator"),
        ("llm:nllb:maker/x", "translator", "cannot be used as generator"),
        ("llm:nonsense", "translator", "Unknown generator “nonsense”"),
    ],
)
def test_what_is_not_allowed_is_reported_in_one_sentence(name: str, role: str | None, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        reference(name, role)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_nested_adapters_call_another_model() -> None:
    with pytest.raises(UsageError, match="calls no other model"):
        nested(reference("bge-m3"))


@pytest.mark.parametrize(
    ("name", "here"),
    [("", True), ("bge-m3", True), ("gpt-4o", False), ("llm:command-r-35b", True), ("llm:openai-like:gpt-4o", False)],
)
def test_a_component_computes_here_where_its_files_or_those_behind_it_do(name: str, here: bool) -> None:
    assert runs_here(name) is here
