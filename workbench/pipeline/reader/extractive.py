"""The built-in reader: answers by quoting the evidence.  It is not a language model, and its notes say so.

It scores the sentences of the evidence, chooses the language to quote from, selects sentences up to a budget of
characters, and renders them as the prompt asks, as far as the translator allows: the answer's language, and names in
its alphabet.  With a dialectic prompt it builds the four sections of Dialectic-RAG from the documents instead
(`dialectic_reader`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

import yaml

from workbench.core import Encoder, Generation, Prompt, Task, Translator, component
from workbench.languages import ENGLISH
from workbench.pipeline.reader.bearing import content_coverage, silence
from workbench.pipeline.reader.dialectic_reader import dialectic_answer
from workbench.pipeline.reader.evidence_sentences import answer_budget
from workbench.pipeline.reader.likeness import Meaning
from workbench.pipeline.reader.quoting import compose_answer, in_best_language
from workbench.pipeline.reader.sentence_scoring import Candidate, rank_candidates

VERSION = 3
JOINED = 1
"""The version of how meaning joins words."""
NO_MODEL = "The built-in reader quotes its evidence; it is not a language model."
MOST_CANDIDATES = 6
"""Candidates from which the sentences are selected."""
LEAST_RELATIVE_SCORE = 0.45
"""Another sentence must have this share of the best one's score."""


class ExtractiveReader:
    """Implements `protocols.Generator`: the same prompt always gives the same answer."""

    def __init__(self, translator: Translator, meaning: Encoder | None = None) -> None:
        """`meaning` encodes sentences and questions of all languages in one space; without it words alone decide."""
        self._translator = translator
        self._meaning = None if meaning is None else Meaning(meaning)

    @property
    def identity(self) -> str:
        """The reader's version, and the identities of the translator and of the encoder, if there is one."""
        more = {} if self._meaning is None else {"meaning": self._meaning.identity, "joined": JOINED}
        return component("extractive", version=VERSION, translator=self._translator.identity, **more)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One answer per prompt; its text is "" where there is nothing to quote, and the note says why.

        It `abstains` where there is evidence, but none that bears on the question.
        """
        return [self._answer(prompt.task) for prompt in prompts]

    def _answer(self, task: Task) -> Generation:
        ranked = rank_candidates(task, self._translator, self._meaning)
        if not ranked:
            notes = _no_documents()
            return Generation("", note=notes.get(task.language, notes[ENGLISH]))
        sentences = [item.sentence for item in ranked]
        coverage = content_coverage(task, sentences, self._translator, by_gloss=self._meaning is None)
        if nothing_bears := silence(task, ranked, coverage):
            return Generation("", note=f"{NO_MODEL} {nothing_bears}", abstains=True)
        if coverage is not None:
            ranked = [replace(item, content=share) for item, share in zip(ranked, coverage.sentences, strict=True)]
        if task.dialectic:
            generation = dialectic_answer(task, ranked, self._translator, self._meaning)
            note = f"{NO_MODEL} {generation.note}".strip()
            return Generation(generation.text, generation.spans, note, generation.translation)
        candidates = in_best_language(ranked, task.answer_language, self._translator)
        best = candidates[0]
        # A sentence that was not compared by words may be next to the one that answers: two are quoted if they fit.
        is_several = best.is_by_meaning or task.answer_language in ("", best.evidence.language)
        quoted = select_sentences(candidates) if is_several else (best,)
        answer = compose_answer(quoted, task, self._translator)
        note = f"{NO_MODEL} {answer.note}".strip()
        return Generation(answer.text, tuple(item.span for item in quoted), note, answer.translation)


def select_sentences(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate and, while they fit the budget, the next in its language; in reading order.

    `ranked` is best first and not empty.
    """
    best = ranked[0]
    room = answer_budget(best.evidence.language) - (best.end - best.start)
    selected = [best]
    for item in ranked[1:MOST_CANDIDATES]:
        same_language = item.evidence.language == best.evidence.language
        if same_language and item.end - item.start <= room and item.score >= LEAST_RELATIVE_SCORE * best.score:
            selected.append(item)
            room -= item.end - item.start
    return tuple(sorted(selected, key=lambda item: (item.evidence.rank, item.start)))


@cache
def _no_documents() -> dict[str, str]:
    """The note for a prompt without documents, by language."""
    notes = files("workbench.pipeline.reader").joinpath("no_documents.yaml").read_text(encoding="utf-8")
    return {str(language): str(note) for language, note in yaml.safe_load(notes).items()}
