"""Passages in the order of the chance that they answer the question: the reader's likeness of sentences, calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import TYPE_CHECKING

from workbench.core import Evidence, Hit, Passage, Query, Ranking, Task, component, with_score
from workbench.languages import sentences
from workbench.pipeline.reader.sentence_ranking import CONSTANT, WEIGHTS, confidence, sentence_features

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

CONFIDENCE = "confidence"
"""The name of the score: the chance, in [0, 1], that a passage answers the question."""
LAST_RANK = 5
"""Ranks beyond count as this one: the chances were learnt from five documents."""


class LikenessReranker:
    """Implements `Reranker`: the score of a passage is the confidence in its best sentence."""

    def __init__(self, meaning: LateInteraction) -> None:
        """`meaning` compares the question with sentences."""
        self._meaning = meaning

    @property
    def identity(self) -> str:
        """The version, and the encoder's identity."""
        return component("likeness", version=1, meaning=self._meaning.identity)

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """The surest first; equals keep their order."""
        evidence = tuple(Evidence(item, min(rank, LAST_RANK)) for rank, item in enumerate(passages, start=1))
        likenesses = likenesses_of(Task(query.text, query.language, evidence), self._meaning)
        scored = [
            with_score(hit, confidence(likeness), CONFIDENCE) for hit, likeness in zip(hits, likenesses, strict=True)
        ]
        return tuple(sorted(scored, key=lambda hit: -hit.score))


def likenesses_of(task: Task, meaning: LateInteraction) -> list[float]:
    """That of each document's best sentence to the question, as log-odds before they are calibrated."""
    of_documents = sentence_features(task, [sentences(item.text) for item in task.evidence], meaning)
    weights = tuple(WEIGHTS.values())
    return [
        CONSTANT + max((sum(map(mul, weights, features)) for features, _ in of_sentences), default=0.0)
        for of_sentences in of_documents
    ]
