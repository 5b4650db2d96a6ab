"""Any LlamaIndex embedding as an encoder; a service's failure in one sentence, without its secrets."""

from typing import Any

import numpy as np
import pytest
from llama_index.core.embeddings import BaseEmbedding, MockEmbedding

from workbench.core.errors import WorkbenchError
from workbench.core.protocols import Encoder
from workbench.core.records import Passage, Query
from workbench.retrieval.encoders.services import LlamaIndexEncoder


class Letters(BaseEmbedding):
    """How many a, b and c a text has; refuses blank texts, as services do."""

    secret: str = "sk-planted"
    answer: Any = None

    def _get_text_embedding(self, text: str) -> list[float]:
        if not text.strip():
            raise ValueError(f"blank input; key {self.secret}")
        return self.answer or [float(text.count(letter)) for letter in "abc"]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class Broken(Letters):
    def _get_text_embedding(self, text: str) -> list[float]:
        raise ValueError(f"wrong key {self.secret} at https://user:pw@example.org")


def passages(*texts: str) -> list[Passage]:
    return [Passage(str(i), "d", "", "en", text) for i, text in enumerate(texts)]


def test_it_is_an_encoder_of_the_services_dimensions() -> None:
    encoder = LlamaIndexEncoder(MockEmbedding(embed_dim=7))
    assert isinstance(encoder, Encoder)
    assert encoder.dimensions == 7


def test_vectors_are_scaled_to_length_one() -> None:
    assert LlamaIndexEncoder(Letters()).encode_passages(passages("aaabbbb")).tolist() == pytest.approx(
        np.array([[0.6, 0.8, 0.0]])
    )


def test_blank_texts_are_not_sent_and_get_zero_rows() -> None:
    vectors = LlamaIndexEncoder(Letters()).encode_passages(passages("a", " ", "b"))
    assert vectors.tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]


def test_questions_are_encoded_as_questions() -> None:
    queries = [Query(text, "en", ("en",)) for text in ("c", "")]
    assert LlamaIndexEncoder(Letters()).encode_queries(queries).tolist() == [[0, 0, 1], [0, 0, 0]]


def test_a_failure_is_one_sentence_without_key_or_address() -> None:
    with pytest.raises(WorkbenchError) as caught:
        LlamaIndexEncoder(Broken(model_name="embed-1"), dimensions=3).encode_passages(passages("a"))
    message = str(caught.value)
    assert message == (
        "The embedding “embed-1” gave an error (ValueError) in place of vectors; check its address, key and model name."
    )
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("answer", [[1.0, 2.0], [1.0, 2.0, float("nan")]])
def test_vectors_of_the_wrong_size_or_without_numbers_are_refused(answer: list[float]) -> None:
    with pytest.raises(WorkbenchError, match="embed-1"):
        LlamaIndexEncoder(Letters(model_name="embed-1", answer=answer), dimensions=3).encode_passages(passages("a"))


def test_the_identity_holds_the_model_and_no_key() -> None:
    identity = LlamaIndexEncoder(Letters(model_name="embed-1"), revision="2024-05").identity
    assert "embed-1" in identity
    assert "2024-05" in identity
    assert "sk-planted" not in identity
