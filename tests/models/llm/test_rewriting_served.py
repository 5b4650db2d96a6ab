"""Expanding and compressing by a tiny model behind `transformers serve`, with nothing in between."""

from __future__ import annotations

import pytest

from tests.models.llm.conftest import Served
from workbench.core.records import Compression, Evidence, Expansion, Passage, Query, Task
from workbench.models.llm.conversation import TokenLimits
from workbench.models.llm.endpoint import Endpoint
from workbench.models.llm.llm_generator import LLMGenerator
from workbench.models.llm.sources import OpenAILikeSource
from workbench.pipeline.rewriting import CompressorKind, ExpansionKind, PassageCompressor, QueryExpander

QUESTION = "Who invented the radio?"
EVIDENCE = tuple(Evidence(Passage(f"p{rank}", "p", "Radio", "en", "Marconi sent signals."), rank) for rank in (1, 2))


@pytest.fixture
def generator(served: Served) -> LLMGenerator:
    return LLMGenerator(OpenAILikeSource(served.model, Endpoint(served.url, "")), limits=TokenLimits(short=12))


@pytest.mark.parametrize("kind", ["decompose", "hyde", "multi-query"])
def test_a_question_is_expanded_with_tokens_counted_and_the_same_again(
    generator: LLMGenerator, kind: ExpansionKind
) -> None:
    first, second = (QueryExpander(generator, kind).expand([Query(QUESTION, "en", ("en",))])[0] for _ in range(2))
    assert isinstance(first, Expansion)
    assert isinstance(second, Expansion)
    assert all(query.strip() for query in first.queries)
    assert first.queries == second.queries
    assert first.usage is not None
    assert (first.usage.completion_tokens, first.usage.estimated) == (12, False)


@pytest.mark.parametrize(("kind", "calls"), [("tree-summarize", 1), ("refine", 2)])
def test_documents_are_compressed_with_the_tokens_of_every_call(
    generator: LLMGenerator, kind: CompressorKind, calls: int
) -> None:
    (notes,) = PassageCompressor(generator, kind).compress([Task(QUESTION, "en", EVIDENCE)])
    assert isinstance(notes, Compression)
    assert notes.text.strip()
    assert notes.usage is not None
    assert (notes.usage.completion_tokens, notes.usage.estimated) == (12 * calls, False)
