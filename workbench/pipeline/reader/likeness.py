"""How near each sentence of the evidence is in meaning to the question, by the vectors of an encoder.

The texts are those that an index by sentences encodes (`retrieval/sentence_index.py`), so that an encoder that keeps
vectors has them already. A sentence counts with its passage: what a passage is about tells sentences apart that say the
same of different things.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files

import yaml

from workbench.core import Encoder, Evidence, FloatArray, Passage, Query, Task
from workbench.languages import ENGLISH, sentences
from workbench.pipeline.reader.evidence_sentences import EvidenceSentence

MOST_SENTENCES = 32
"""Sentences that are encoded for a question, in order of rank: some 0.7 s of work where no vector is known."""
PASSAGE_SHARE = 0.5
"""What a passage counts against the sentence itself."""
UNRELATED, ANSWERING = 0.72, 0.88
"""Likeness of an unrelated sentence, and of one that answers: nine in ten on XQuAD are between them."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Cosines with the question, in [-1, 1]: of a sentence, of its passage as it was indexed, and of any text."""

    sentence: float
    passage: float
    background: float

    @property
    def strength(self) -> float:
        """0 for a sentence that has nothing to do with the question to 1 for one that answers it; not clipped."""
        mixed = (self.sentence + PASSAGE_SHARE * self.passage) / (1 + PASSAGE_SHARE)
        return (mixed - UNRELATED) / (ANSWERING - UNRELATED)


class Meaning:
    """The likeness of texts by the vectors of `encoder`, in which translations lie near each other."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def identity(self) -> str:
        """The encoder's."""
        return self._encoder.identity

    def likenesses(self, task: Task, parts: Sequence[EvidenceSentence]) -> list[Likeness]:
        """The likeness of each of `parts` to the question; a clause has that of the sentence it belongs to.

        Beyond MOST_SENTENCES a sentence has the likeness of its passage.
        """
        evidence = {part.evidence.rank: part.evidence for part in parts}
        spans = [(rank, span) for rank in sorted(evidence) for span in sentences(evidence[rank].text)][:MOST_SENTENCES]
        (question,) = self._encoder.encode_queries([Query(task.question, task.language, ())])
        background = float(self._background @ question)
        of_passages = self.vectors([item.passage for item in evidence.values()]) @ question
        passages = dict(zip(evidence, of_passages.tolist(), strict=True))
        of_sentences = self.vectors([_sentence_passage(evidence[rank], span) for rank, span in spans]) @ question
        cosines: dict[int, list[tuple[Span, float]]] = {}
        for (rank, span), cosine in zip(spans, of_sentences.tolist(), strict=True):
            cosines.setdefault(rank, []).append((span, cosine))
        return [
            Likeness(_of_part(part, cosines.get(part.evidence.rank, ()), rest), rest, background)
            for part, rest in ((part, passages[part.evidence.rank]) for part in parts)
        ]

    def sentences(self, parts: Sequence[EvidenceSentence]) -> list[FloatArray]:
        """The vector of each of `parts`."""
        return list(self.vectors([_sentence_passage(part.evidence, (part.start, part.end)) for part in parts]))

    def vectors(self, passages: Sequence[Passage]) -> FloatArray:
        """One unit row per passage."""
        return self._encoder.encode_passages(passages)

    @cached_property
    def _background(self) -> FloatArray:
        texts = yaml.safe_load(
            files("workbench.pipeline.reader").joinpath("background.yaml").read_text(encoding="utf-8")
        )
        mean: FloatArray = self.vectors([Passage("", "", "", ENGLISH, str(text)) for text in texts]).mean(axis=0)
        return mean


def _sentence_passage(evidence: Evidence, span: Span) -> Passage:
    text = evidence.text[slice(*span)]
    return replace(evidence.passage, title="", language=evidence.language, text=text)


def _of_part(part: EvidenceSentence, of_passage: Sequence[tuple[Span, float]], otherwise: float) -> float:
    """The cosine of the sentence that has most characters in common with `part`, `otherwise` where none has any."""
    common, cosine = max(
        ((min(end, part.end) - max(start, part.start), cosine) for (start, end), cosine in of_passage),
        default=(0, otherwise),
    )
    return cosine if common > 0 else otherwise
