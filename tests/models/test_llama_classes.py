"""LlamaIndex classes by name: only LlamaIndex's own packages, only the requested kind, one sentence for the rest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.retrieval import llama_packages
from workbench.core.errors import MissingError, UsageError
from workbench.models.llama_classes import EMBEDDING, POSTPROCESSOR, Kind, LlamaClass

CORE = "llama_index.core.postprocessor"


def sentence(error: pytest.ExceptionInfo[Exception]) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_class_is_loaded_from_its_module() -> None:
    from llama_index.core.postprocessor import LongContextReorder

    assert LlamaClass(f"{CORE}:LongContextReorder", POSTPROCESSOR).load() is LongContextReorder


def test_an_embedding_is_loaded_in_the_same_way() -> None:
    from llama_index.core.embeddings import MockEmbedding

    assert LlamaClass("llama_index.core.embeddings:MockEmbedding", EMBEDDING).load() is MockEmbedding


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "builtins:eval",
        "llama_index:x",
        "llama_index.postprocessor:Class",
        "llama_index.core:Class",
        "llama_index.core.postprocessors.evil:Class",
        "llama_index.postprocessor_evil.x:Class",
        "llama_index.embeddings.openai:OpenAIEmbedding",
        "llama_index.postprocessor..ours:Class",
        "llama_index.postprocessor.ours",
        "llama_index.postprocessor.ours:",
        "llama_index.postprocessor.ours:a.b",
        "llama_index.postprocessor./etc/x:Class",
        "<b>:x",
        ":",
    ],
)
def test_any_other_name_is_refused_before_anything_is_imported(name: str) -> None:
    before = set(sys.modules)
    with pytest.raises(UsageError) as error:
        LlamaClass(name, POSTPROCESSOR)
    assert "names no LlamaIndex post-processor" in sentence(error)
    assert "llama-index:llama_index.core.postprocessor:LongContextReorder" in sentence(error)
    assert set(sys.modules) == before


def test_a_package_that_is_not_installed_names_the_command() -> None:
    missing = LlamaClass("llama_index.postprocessor.no_such_service:Rerank", POSTPROCESSOR)
    with pytest.raises(MissingError) as error:
        missing.require()
    assert sentence(error).endswith("is not installed. Type: pip install llama-index-postprocessor-no-such-service")


def test_a_package_without_its_dependencies_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llama_packages.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    broken = LlamaClass("llama_index.postprocessor.broken:Rerank", POSTPROCESSOR)
    with pytest.raises(MissingError) as error:
        broken.load()
    assert "pip install llama-index-postprocessor-broken" in sentence(error)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{CORE}:Nonesuch", "is not in that module"),
        (f"{CORE}.types:Field", "is not an instantiable post-processor"),
        (f"{CORE}.types:QueryBundle", "is not an instantiable post-processor"),
        (f"{CORE}.types:BaseNodePostprocessor", "is not an instantiable post-processor"),
    ],
)
def test_another_object_is_refused(name: str, message: str) -> None:
    other = LlamaClass(name, POSTPROCESSOR)
    with pytest.raises(UsageError) as error:
        other.load()
    assert message in sentence(error)
    assert "BaseNodePostprocessor" in sentence(error)


def test_an_abstract_class_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llama_packages.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="is not an instantiable post-processor"):
        LlamaClass("llama_index.postprocessor.ours:Unfinished", POSTPROCESSOR).load()


@pytest.mark.parametrize(
    ("name", "kind", "package"),
    [
        (f"{CORE}:LongContextReorder", POSTPROCESSOR, "llama-index-core"),
        (f"{CORE}.node:SimilarityPostprocessor", POSTPROCESSOR, "llama-index-core"),
        ("llama_index.embeddings.openai:OpenAIEmbedding", EMBEDDING, "llama-index-embeddings-openai"),
        ("llama_index.embeddings.openai.base:OpenAIEmbedding", EMBEDDING, "llama-index-embeddings-openai"),
    ],
)
def test_the_package_follows_from_the_module(name: str, kind: Kind, package: str) -> None:
    item = LlamaClass(name, kind)
    assert item.package == package
    assert package in item.version and "llama-index-core" in item.version
