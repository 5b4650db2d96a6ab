"""LlamaIndex embeddings by the name of their class, as encoders."""

from __future__ import annotations

import pytest

from workbench.core.errors import MissingError, UsageError
from workbench.retrieval.encoders.services import named_encoder


def test_a_name_of_another_kind_or_place_is_refused() -> None:
    for name in ("os:system", "llama_index.embeddings:X", "llama_index.core.postprocessor:LongContextReorder"):
        with pytest.raises(UsageError, match="names no LlamaIndex embedding"):
            named_encoder(name)


def test_a_package_that_is_not_installed_names_the_command() -> None:
    with pytest.raises(MissingError, match="Type: pip install llama-index-embeddings-nobody-has"):
        named_encoder("llama_index.embeddings.nobody_has:Embedding")


def test_an_embedding_that_needs_arguments_is_refused_in_one_sentence() -> None:
    with pytest.raises(UsageError, match="The embedding MockEmbedding cannot be made by its name alone") as caught:
        named_encoder("llama_index.core.embeddings:MockEmbedding")
    assert "\n" not in str(caught.value)


def test_an_embedding_of_an_installed_package_is_an_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    identity = named_encoder("llama_index.embeddings.openai:OpenAIEmbedding").identity
    assert "OpenAIEmbedding" in identity and "sk-planted" not in identity
