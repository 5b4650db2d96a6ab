"""RankGPT: a language model puts numbered passages in order (Sun et al. (2023), arXiv 2304.09542).

LlamaIndex's RankGPTRerank formulates the prompt and parses the answer. As in the paper, a window slides over the
candidates from the last to the first, so that a good passage can climb all the way. There are no scores: 1 / rank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core import (
    Hit,
    Passage,
    Query,
    Ranking,
    UsageError,
    WorkbenchError,
    component,
    package_versions,
    shorten,
    without_thinking,
)
from workbench.retrieval.llama_nodes import to_node
from workbench.retrieval.rerank.ordering import order_by_rank

if TYPE_CHECKING:
    from llama_index.core.llms import LLM, ChatMessage, ChatResponse
    from llama_index.core.postprocessor.rankGPT_rerank import RankGPTRerank

WINDOW, STEP = 20, 10
"""As in the paper."""
CHARACTERS = 1_500
"""Of a passage, as read by the model. RankGPTRerank cuts at 300 white-space words, so not in Chinese or Thai."""


class RankGptReranker:
    """Implements `Reranker` over a LlamaIndex language model. `revision` distinguishes versions of it."""

    def __init__(self, llm: LLM, *, window: int = WINDOW, step: int = STEP, revision: str = "") -> None:
        """`window` and `step` in passages. Raises UsageError unless 0 < step <= window."""
        if not 0 < step <= window:
            raise UsageError(f"A window of {window} cannot move by {step}; the step is from 1 to the window's size.")
        self._llm = llm
        self._window = window
        self._step = step
        self._revision = revision

    @property
    def identity(self) -> str:
        """Names the model, the window and the library; no address and no key."""
        return component(
            "rankgpt",
            llm=self._llm.class_name(),
            model=self._llm.metadata.model_name,
            revision=self._revision,
            window=self._window,
            step=self._step,
            characters=CHARACTERS,
            library=package_versions("llama-index-core"),
        )

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """All `hits` in the model's order. Raises WorkbenchError where the model failed or named no passage."""
        order = list(range(len(hits)))
        for start in window_starts(len(hits), self._window, self._step):
            window = slice(start, start + self._window)
            order[window] = self._ordered(query.text, order[window], passages)
        return order_by_rank([hits[place] for place in order])

    def _ordered(self, question: str, places: Sequence[int], passages: Sequence[Passage]) -> list[int]:
        from llama_index.core.schema import NodeWithScore

        cut = [replace(passages[place], title="", text=passages[place].searchable[:CHARACTERS]) for place in places]
        # Numbered by place: two candidates may have nothing else to distinguish them.
        nodes = [NodeWithScore(node=to_node(replace(text, id=str(i))), score=0.0) for i, text in enumerate(cut)]
        try:
            ranked_nodes = _strict(self._llm, len(nodes)).postprocess_nodes(nodes, query_str=question)
        except WorkbenchError:
            raise
        except Exception as error:  # whatever a service's client raises
            # Not chained: a client's message may repeat the address or part of the key.
            raise WorkbenchError(
                f"The reranking model “{shorten(self._llm.metadata.model_name)}” failed ({type(error).__name__}); "
                "check its address, key and model name."
            ) from None
        return [places[int(node.node.node_id)] for node in ranked_nodes]


def window_starts(candidates: int, window: int, step: int) -> list[int]:
    """Where each window begins, the last candidates first.

    >>> window_starts(45, 20, 10)
    [25, 15, 5, 0]
    """
    if candidates < 2:
        return []
    starts = list(range(max(candidates - window, 0), 0, -step))
    return [*starts, 0]


def named_places(answer: str, candidates: int) -> list[int]:
    """The places (from 0) that an answer names, in its order; numbers in brackets where it has any.

    What a model wrote while thinking does not count.

    >>> named_places("<think>[1]?</think>Of 3 passages: [2] > [3] > [2] > [9]", 3)
    [1, 2]
    """
    text = without_thinking(answer)
    numbers = re.findall(r"\[([0-9]{1,6})\]", text) or re.findall(r"[0-9]{1,6}", text)
    return [place for place in dict.fromkeys(int(number) - 1 for number in numbers) if 0 <= place < candidates]


def _no_passage_named(llm: LLM) -> WorkbenchError:
    return WorkbenchError(
        f"The reranking model “{shorten(llm.metadata.model_name)}” named no passage in its answer; "
        "choose a model that follows instructions."
    )


def _strict(llm: LLM, top_n: int) -> RankGPTRerank:
    """RankGPTRerank that fails where an answer names no passage; the original would return the old order as new."""
    from llama_index.core.postprocessor.rankGPT_rerank import RankGPTRerank
    from llama_index.core.prompts.default_prompts import RANKGPT_RERANK_PROMPT

    class Strict(RankGPTRerank):
        def run_llm(self, messages: Sequence[ChatMessage]) -> ChatResponse:
            response = super().run_llm(messages)
            if response.message.content is None:
                raise _no_passage_named(llm)
            return response

        def _receive_permutation(self, item: dict[str, Any], permutation: str) -> list[int]:
            order = named_places(permutation, len(item["hits"]))
            if not order:
                raise _no_passage_named(llm)
            return order + [place for place in range(len(item["hits"])) if place not in order]

    return Strict(top_n=top_n, llm=llm, rankgpt_rerank_prompt=RANKGPT_RERANK_PROMPT)
