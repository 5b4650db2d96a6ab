"""Packages that a component needs are located, never imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from workbench.components import adapter as adapters
from workbench.components.references import missing_packages
from workbench.core.errors import UsageError
from workbench.core.protocols import Role
from workbench.models.known import Model, known_models


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "find_spec", lambda module: None)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("name", "role", "expected"),
    [
        ("cohere-embed-multilingual-v3", "encoder", "llama-index-embeddings-cohere"),
        ("gpt-4o", "generator", "llama-index-llms-openai-like"),
        ("openai-like:m@ollama", "encoder", "llama-index-embeddings-openai"),
        ("llm:openai-like:m@ollama", "translator", "llama-index-llms-openai-like"),
        ("llama-index:llama_index.llms.google_genai:GoogleGenAI", "generator", "llama-index-llms-google-genai"),
        ("llama-index:llama_index.postprocessor.cohere_rerank:CohereRerank", "reranker",
         "llama-index-postprocessor-cohere-rerank"),
        ("llama-index:llama_index.core.llms:MockLLM", "generator", "llama-index-core"),
        ("google", "translator", "deep-translator"),
        ("bge-m3", "reranker", "FlagEmbedding"),
    ],
)  # fmt: skip
def test_the_package_is_named_as_pip_calls_it(name: str, role: Role, expected: str) -> None:
    assert missing_packages(name, role) == (expected,)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("name", "role"), [("builtin", "encoder"), ("pass", "reranker"), ("extractive", "generator")])
def test_built_in_parts_need_nothing(name: str, role: Role) -> None:
    assert missing_packages(name, role) == ()


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_every_known_model_needs_a_package(model: Model) -> None:
    assert missing_packages(model.name, model.role)


def test_a_package_that_exists_nowhere_is_missing_and_an_installed_one_is_not() -> None:
    assert missing_packages("llama-index:llama_index.llms.no_such:X", "generator") == ("llama-index-llms-no-such",)
    assert missing_packages("gpt-4o", "generator") == ()


def test_a_name_that_could_hold_a_command_names_no_package() -> None:
    with pytest.raises(UsageError, match="names no LlamaIndex LLM"):
        missing_packages("llama-index:llama_index.llms.a; rm -rf ~:X", "generator")


def test_the_search_imports_no_package() -> None:
    program = (
        "import sys\nfrom workbench.models.known import known_models\n"
        "from workbench.components.references import missing_packages\n"
        "[missing_packages(item.name, item.role) for item in known_models()]\n"
        "missing_packages('llama-index:llama_index.core.llms:MockLLM', 'generator')\n"
        "heavy = {'torch', 'transformers', 'FlagEmbedding', 'sentence_transformers', 'llama_index.core', 'fasttext'}\n"
        "print(*heavy & set(sys.modules), end='')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ""
