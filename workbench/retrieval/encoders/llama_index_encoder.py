"""Any LlamaIndex embedding as an encoder: OpenAI-compatible endpoints, Cohere and others.

Most are services: texts leave the machine, and the screen states this before the first call. Keys belong to the
embedding object; neither identity nor error holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import FloatArray, Passage, Query, WorkbenchError, component, package_versions, shorten
from workbench.retrieval.encoders.builtin.latent_space import unit_dense

if TYPE_CHECKING:
    from llama_index.core.embeddings import BaseEmbedding


def embedding_identity(embedding: str, model: str, revision: str = "") -> str:
    """The identity of vectors by a class of LlamaIndex and a model, which needs neither the class nor a key."""
    return component(
        "llama-index",
        embedding=embedding,
        model=model,
        revision=revision,
        library=package_versions("llama-index-core"),
    )


class LlamaIndexEncoder:
    """Implements `Encoder` over a LlamaIndex embedding.

    `dimensions` is the length of the service's vectors, 0 to determine it with one small call when first needed.
    `revision` distinguishes versions of a model where its name does not.
    """

    def __init__(self, embedding: BaseEmbedding, *, dimensions: int = 0, revision: str = "") -> None:
        """Calls nothing."""
        self._embedding = embedding
        self._dimensions = dimensions
        self._revision = revision

    @property
    def identity(self) -> str:
        """Names the embedding's class, its model, the revision and the library; no key."""
        return embedding_identity(self._embedding.class_name(), self._embedding.model_name, self._revision)

    @property
    def dimensions(self) -> int:
        """The length of a vector; may call the service once. Raises WorkbenchError where it fails."""
        if not self._dimensions:
            self._dimensions = len(self._call("get_query_embedding", "dimensions"))
        return self._dimensions

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """Unit vectors, in the embedding's own batches. Raises WorkbenchError where the service gave no usable ones."""
        texts = [passage.searchable for passage in passages]
        # Services refuse blank texts, and with them the whole batch.
        places = [place for place, text in enumerate(texts) if text.strip()]
        rows = self._call("get_text_embedding_batch", [texts[place] for place in places]) if places else []
        return self._vectors(len(texts), places, rows)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """Unit vectors, one call per question: LlamaIndex has no batch for them. Raises as `encode_passages`."""
        places = [place for place, query in enumerate(queries) if query.text.strip()]
        return self._vectors(
            len(queries), places, [self._call("get_query_embedding", queries[place].text) for place in places]
        )

    def _vectors(self, count: int, places: Sequence[int], rows: Sequence[Sequence[float]]) -> FloatArray:
        vectors = np.zeros((count, self.dimensions), dtype=np.float32)
        try:
            usable = np.array(rows, dtype=np.float32).reshape(len(places), self.dimensions)
        except (ValueError, TypeError) as error:
            raise self._failed(f"vectors that are not all of {self.dimensions} numbers") from error
        if not np.isfinite(usable).all():
            raise self._failed("numbers that are not finite")
        vectors[places] = usable
        return unit_dense(vectors)

    def _call(self, method: str, argument: object) -> Any:
        try:
            return getattr(self._embedding, method)(argument)
        except Exception as error:  # whatever a service's client raises
            # Not chained: a client's message may repeat the address or part of the key.
            raise self._failed(f"an error ({type(error).__name__}) in place of vectors") from None

    def _failed(self, what: str) -> WorkbenchError:
        return WorkbenchError(
            f"The embedding “{shorten(self._embedding.model_name)}” gave {what}; check its address, key and model name."
        )
