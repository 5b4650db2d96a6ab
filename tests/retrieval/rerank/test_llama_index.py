"""Post-processors and language models of LlamaIndex as rerankers."""

from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from workbench.core.errors import UsageError, WorkbenchError
from workbench.core.protocols import Reranker
from workbench.core.records import Hit, Passage, Query
from workbench.retrieval.rerank.llama_index import LlamaIndexReranker, RankGptReranker, window_starts

QUERY = Query("which number?", "en", ("en",))


def candidates(count: int) -> tuple[list[Hit], list[Passage]]:
    passages = [Passage(f"p{i}", "d", "Title", "en", f"number {i}") for i in range(count)]
    return [Hit(p.id, i, "en", 1 - i / 100, {"dense": 1 - i / 100}) for i, p in enumerate(passages)], passages


class Longest(BaseNodePostprocessor):
    """Scores by a number that it reads in the text."""

    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        return [NodeWithScore(node=n.node, score=float(n.node.get_content().split()[-1])) for n in nodes]


class Adding(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        return [*nodes, NodeWithScore(node=TextNode(text="new"), score=1.0)]


class Failing(BaseNodePostprocessor):
    def _postprocess_nodes(self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None) -> Any:
        raise ValueError("wrong key sk-planted")


def test_scores_of_the_post_processor_order_the_passages() -> None:
    ranking = LlamaIndexReranker(Longest()).rerank(QUERY, *candidates(3))
    assert [(hit.id, hit.score) for hit in ranking] == [("p2", 2.0), ("p1", 1.0), ("p0", 0.0)]


def test_an_order_without_new_scores_is_kept() -> None:
    ranking = LlamaIndexReranker(LongContextReorder()).rerank(QUERY, *candidates(4))
    # LlamaIndex puts the best at both ends.
    assert {ranking[0].id, ranking[-1].id} == {"p0", "p1"}
    assert [hit.score for hit in ranking] == [1, 1 / 2, 1 / 3, 1 / 4]


def test_dropped_passages_stay_out() -> None:
    ranking = LlamaIndexReranker(SimilarityPostprocessor(similarity_cutoff=0.985)).rerank(QUERY, *candidates(4))
    assert [hit.id for hit in ranking] == ["p0", "p1"]


def test_other_stages_scores_are_kept() -> None:
    best, *_ = LlamaIndexReranker(Longest()).rerank(QUERY, *candidates(3))
    assert dict(best.scores) == {"dense": 0.98, "rerank": 2.0}


def test_a_post_processor_that_adds_passages_is_refused() -> None:
    with pytest.raises(UsageError, match="added passages"):
        LlamaIndexReranker(Adding()).rerank(QUERY, *candidates(2))


def test_a_failure_is_one_sentence_without_the_key() -> None:
    with pytest.raises(WorkbenchError) as caught:
        LlamaIndexReranker(Failing()).rerank(QUERY, *candidates(2))
    assert "sk-planted" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_no_candidates_need_no_post_processor() -> None:
    assert LlamaIndexReranker(Failing()).rerank(QUERY, [], []) == ()


def test_the_identity_distinguishes_post_processors() -> None:
    rerankers = [
        LlamaIndexReranker(Longest()),
        LlamaIndexReranker(Adding()),
        LlamaIndexReranker(Adding(), parameters="x"),
    ]
    assert all(isinstance(reranker, Reranker) for reranker in rerankers)
    assert len({reranker.identity for reranker in rerankers}) == 3


class Ordering(MockLLM):
    """Answers with the passages in descending order of the number in them."""

    _prompts: list[list[str]] = PrivateAttr(default_factory=list)

    def chat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        self._prompts.append([str(message.content) for message in messages])
        return ChatResponse(message=ChatMessage(role="assistant", content=self._answer()))

    def _answer(self) -> str | None:
        shown = [(int(text.split()[-1]), text.split()[0]) for text in self._prompts[-1] if text.startswith("[")]
        return " > ".join(label for _, label in sorted(shown, reverse=True))


def answering(answer: str | None) -> Ordering:
    """A model that always gives `answer`."""

    class Answering(Ordering):
        def _answer(self) -> str | None:
            return answer

    return Answering(max_tokens=None)


def test_rankgpt_puts_passages_in_the_models_order() -> None:
    ranking = RankGptReranker(Ordering(max_tokens=None)).rerank(QUERY, *candidates(4))
    assert [(hit.id, hit.score) for hit in ranking] == [("p3", 1), ("p2", 1 / 2), ("p1", 1 / 3), ("p0", 1 / 4)]


def test_the_best_of_many_climbs_from_the_last_window_to_the_first() -> None:
    ranking = RankGptReranker(Ordering(max_tokens=None)).rerank(QUERY, *candidates(45))
    assert [hit.id for hit in ranking[:10]] == [f"p{i}" for i in range(44, 34, -1)]
    assert len({hit.id for hit in ranking}) == 45


@pytest.mark.parametrize(("count", "starts"), [(0, []), (1, []), (2, [0]), (20, [0]), (21, [1, 0]), (30, [10, 0])])
def test_windows_end_with_the_first_candidates(count: int, starts: list[int]) -> None:
    assert window_starts(count, 20, 10) == starts


def test_the_model_reads_title_and_text_cut_by_characters() -> None:
    llm = answering("[1]")
    hits, _ = candidates(2)
    long = [Passage("p0", "d", "北京", "zh", "首" * 5000), Passage("p1", "d", "", "en", "x")]
    RankGptReranker(llm).rerank(QUERY, hits, long)
    (shown,) = [text for text in llm._prompts[0] if text.startswith("[1] ")]
    assert shown.startswith("[1] 北京 首")
    assert len(shown) == len("[1] ") + 1500


def test_a_partial_answer_leaves_the_rest_in_their_order() -> None:
    ranking = RankGptReranker(answering("I think [3] is best")).rerank(QUERY, *candidates(4))
    assert [hit.id for hit in ranking] == ["p2", "p0", "p1", "p3"]


@pytest.mark.parametrize("answer", ["", None, "I cannot rank these.", "[0] > [99]", "²"])
def test_an_answer_that_names_no_passage_is_an_error_not_the_old_order(answer: str | None) -> None:
    with pytest.raises(WorkbenchError, match="named no passage"):
        RankGptReranker(answering(answer)).rerank(QUERY, *candidates(4))


def test_a_step_larger_than_the_window_is_refused() -> None:
    with pytest.raises(UsageError, match="step"):
        RankGptReranker(Ordering(max_tokens=None), window=5, step=6)


def test_a_question_with_braces_is_text() -> None:
    query = Query("what is {query} in {0}?", "en", ("en",))
    assert len(RankGptReranker(Ordering(max_tokens=None)).rerank(query, *candidates(3))) == 3
