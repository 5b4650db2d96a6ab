"""The built-in reader: answers by quoting the evidence. It is not a language model, and its notes say so.

It ranks the sentences of the evidence, quotes the best or the two best, or nothing where none bears on the question,
and renders them as the prompt asks, as far as the translator allows: the answer's language, and names in its alphabet.
With a dialectic prompt it builds the sections of Dialectic-RAG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.core import Generation, Prompt, Task, Translator, component, package_yaml
from workbench.languages import ENGLISH
from workbench.pipeline.reader.dialectic import dialectic_answer
from workbench.pipeline.reader.quoting import choose, compose_answer
from workbench.pipeline.reader.sentence_ranking import Candidate, confidence, in_percent, rank_sentences, silence

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

VERSION = 9
NO_MODEL = "The built-in reader quotes its evidence; it is not a language model."
UNSURE, DOUBTFUL = "It is unsure", 0.25
"""What a note says, and the chance below which it does: it quotes nothing below .08."""


class ExtractiveReader:
    """Implements `protocols.Generator`: the same prompt always gives the same answer."""

    def __init__(self, translator: Translator, meaning: LateInteraction | None = None) -> None:
        """`meaning` compares question and sentences of all languages in one space; without it words decide."""
        self._translator = translator
        self._meaning = meaning

    @cached_property
    def identity(self) -> str:
        """The reader's version, and the identities of the translator and of the encoder, if there is one."""
        more = {} if self._meaning is None else {"meaning": self._meaning.identity}
        return component("extractive", version=VERSION, translator=self._translator.identity, **more)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt; its text is "" where there is nothing to quote, and the note says why.

        It `abstains` where there is evidence, but none that bears on the question.
        """
        return [self._answer(prompt.task) for prompt in prompts]

    def _answer(self, task: Task) -> Generation:
        ranked = rank_sentences(task, self._translator, self._meaning)
        if not ranked:
            notes = package_yaml("workbench.pipeline.reader", "no_documents.yaml")
            return Generation("", note=str(notes.get(task.language, notes[ENGLISH])))
        if nothing_bears := silence(task, ranked[0], self._meaning):
            return Generation("", note=f"{NO_MODEL} {nothing_bears}", abstains=True)
        if task.dialectic:
            generation = dialectic_answer(task, ranked, self._translator, self._meaning)
            note = f"{NO_MODEL} {generation.note}".strip()
            return replace(generation, note=note)
        quoted = choose(ranked, task.answer_language, self._translator)
        answer = compose_answer(quoted, task, self._translator, self._meaning)
        note = " ".join(filter(None, (NO_MODEL, answer.note, _confidence(ranked, quoted))))
        spans = tuple(item.span for item in quoted)
        return Generation(answer.text, spans, note, answer.translation, claims=answer.claims)


def _confidence(ranked: Sequence[Candidate], quoted: Sequence[Candidate]) -> str:
    """How sure it is that the surest document that it quotes answers the question, "" where it cannot be said."""
    ranks = {item.evidence.rank for item in quoted}
    sure = [(item.likeness, item.evidence.rank) for item in ranked if item.evidence.rank in ranks and item.likeness]
    if not sure:
        return ""
    likeness, rank = max(sure)
    chance = confidence(likeness)
    if chance < DOUBTFUL:
        return f"{UNSURE}: it gives document [{rank}] a chance of {in_percent(chance)} of answering the question."
    return f"It estimates the chance that document [{rank}] answers the question at {in_percent(chance)}."
