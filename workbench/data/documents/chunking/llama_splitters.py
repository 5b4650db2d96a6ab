"""LlamaIndex's splitters over texts in any language: their passages as spans of the text.

Sentences are those of the workbench's one segmenter, since LlamaIndex's default knows English. Tokens are those of its
default tokenizer, tiktoken's for GPT models, whose vocabulary llama-index-core carries.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from workbench.data.documents.chunking.chunk_method import ChunkMethod, Span
from workbench.languages import sentences

if TYPE_CHECKING:
    from llama_index.core.embeddings import BaseEmbedding

PARAGRAPH = "\n\n"
BREAKPOINT = 95
"""The percentile of distances from which the meaning changes: LlamaIndex's default."""
SEMANTIC_LIMIT = 4_000
"""Characters of a passage by meaning; a longer one is cut at sentences."""


def split(text: str, method: ChunkMethod) -> list[Span]:
    """The passages of `text` by a method of LlamaIndex."""
    if method.unit == "semantic":
        return _semantic(text)
    return _spans(text, _splitter(method).split_text(text))


@cache
def _splitter(method: ChunkMethod) -> Any:
    from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter

    sizes: dict[str, Any] = {"chunk_size": method.size, "chunk_overlap": method.overlap}
    if method.unit == "characters":
        return TokenTextSplitter(**sizes, tokenizer=list, separator=PARAGRAPH, backup_separators=["\n", " "])
    if method.unit == "tokens":
        return TokenTextSplitter(**sizes)
    return SentenceSplitter(**sizes, chunking_tokenizer_fn=complete_sentences, paragraph_separator=PARAGRAPH)


def complete_sentences(text: str) -> list[str]:
    """The sentences of `text`, each with the white space after it, so that together they are the text."""
    starts = [0, *(start for start, _ in sentences(text)[1:]), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts) if end > start]


def _spans(text: str, pieces: Sequence[str]) -> list[Span]:
    """Where the pieces are. One that the splitter changed takes the place between its neighbours."""
    spans: list[Span] = []
    after = 0
    for piece in pieces:
        place = text.find(piece, after)
        if place < 0:
            place, piece = spans[-1][1] if spans else 0, piece[: len(text)]
        spans.append((place, min(place + len(piece), len(text))))
        after = place + 1
    return [span for span in spans if text[slice(*span)].strip()]


def _semantic(text: str) -> list[Span]:
    from llama_index.core import Document
    from llama_index.core.node_parser import SemanticSplitterNodeParser
    from llama_index.core.schema import MetadataMode

    parts = complete_sentences(text)
    if len(parts) < 3:
        return [(0, len(text))] if text.strip() else []
    parser = SemanticSplitterNodeParser(
        embed_model=_meaning(), breakpoint_percentile_threshold=BREAKPOINT, sentence_splitter=complete_sentences
    )
    nodes = parser.build_semantic_nodes_from_documents([Document(text=text)])
    return list(_cut(text, _spans(text, [node.get_content(MetadataMode.NONE) for node in nodes])))


def _cut(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """The spans; those over the limit as several, each of complete sentences where none is longer."""
    for start, end in spans:
        begin, last = start, start
        for part in complete_sentences(text[start:end]) if end - start > SEMANTIC_LIMIT else ():
            if last + len(part) - begin > SEMANTIC_LIMIT and last > begin:
                yield begin, last
                begin = last
            last += len(part)
        yield begin, end


@cache
def _meaning() -> BaseEmbedding:
    """The built-in multilingual encoder as LlamaIndex's embedding."""
    from llama_index.core.base.embeddings.base import BaseEmbedding as Base

    from workbench.core import Passage
    from workbench.retrieval import E5SmallEncoder

    encoder = E5SmallEncoder()

    class MeaningEmbedding(Base):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            vectors = encoder.encode_passages([Passage("", "", "", "", text) for text in texts])
            rows: list[list[float]] = vectors.tolist()
            return rows

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return MeaningEmbedding(model_name=encoder.identity, embed_batch_size=32)
