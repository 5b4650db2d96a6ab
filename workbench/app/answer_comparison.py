"""One question under several modes: what the answers share, and the comparison as a table and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.app.answer_json import answer_to_json
from workbench.core import Answer, Passage
from workbench.pipeline import Recipe
from workbench.workspace import safe_cell

HEAD = (
    "mode", "scope", "answer", "answer_language", "question_language", "in_question_language", "seconds",
    "steps_from_cache", "documents", "shared_documents", "documents_only_here", "document_ids",
)  # fmt: skip
"""The columns of the table."""


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One mode's answer: its recipe, and how its documents relate to those of the other answers.

    `shared` counts the documents that at least one other answer has too, `only_here` the rest; together they are all.
    """

    answer: Answer
    recipe: Recipe
    shared: int
    only_here: int

    @property
    def seconds(self) -> float:
        """The wall-clock time of all steps, in seconds; next to none for steps that came from the cache."""
        return sum(step.seconds for step in self.answer.steps)

    @property
    def steps_from_cache(self) -> int:
        """How many of the steps came from the cache."""
        return sum(step.cached for step in self.answer.steps)

    @property
    def in_question_language(self) -> bool:
        """Whether the answer's detected language is the question's; False where none was detected."""
        return bool(self.answer.answer_language) and self.answer.answer_language == self.answer.language


@dataclass(frozen=True, slots=True)
class DocumentUse:
    """A document with its rank (from 1) in each answer, in their order; None where an answer does not have it."""

    passage: Passage
    ranks: tuple[int | None, ...]

    @property
    def uses(self) -> int:
        """The number of answers that have the document, 1 or more."""
        return sum(rank is not None for rank in self.ranks)


def compare(answers: Sequence[tuple[Answer, Recipe]]) -> tuple[ComparedAnswer, ...]:
    """The answers to one question, in order, each with the number of documents that it shares with others."""
    counts = {use.passage.id: use.uses for use in document_uses([answer for answer, _ in answers])}
    compared = []
    for answer, recipe in answers:
        shared = sum(counts[item.passage.id] > 1 for item in answer.evidence)
        compared.append(ComparedAnswer(answer, recipe, shared, len(answer.evidence) - shared))
    return tuple(compared)


def document_uses(answers: Sequence[Answer]) -> tuple[DocumentUse, ...]:
    """Every document of the answers: those that most answers have first, then by best rank, then by id."""
    ranks = [{item.passage.id: item.rank for item in answer.evidence} for answer in answers]
    passages = {item.passage.id: item.passage for answer in answers for item in answer.evidence}
    uses = [DocumentUse(passage, tuple(by_id.get(name) for by_id in ranks)) for name, passage in passages.items()]
    return tuple(sorted(uses, key=lambda use: (-use.uses, _best(use), use.passage.id)))


def _best(use: DocumentUse) -> int:
    return min(rank for rank in use.ranks if rank is not None)


def comparison_to_json(answers: Sequence[tuple[Answer, Recipe]]) -> dict[str, Any]:
    """The comparison in plain values: each answer as `ask --json` gives it, and the documents with their ranks.

    Raises ValueError for no answer.
    """
    if not answers:
        raise ValueError("a comparison needs at least one answer")
    modes = [recipe.mode for _, recipe in answers]
    return {
        "question": answers[0][0].question,
        "language": answers[0][0].language,
        "answers": [
            {
                **answer_to_json(item.answer, item.recipe),
                "seconds": round(item.seconds, 6),
                "shared_documents": item.shared,
                "documents_only_here": item.only_here,
            }
            for item in compare(answers)
        ],
        "documents": [
            {
                "id": use.passage.id,
                "title": use.passage.title,
                "language": use.passage.language,
                "ranks": dict(zip(modes, use.ranks, strict=True)),
            }
            for use in document_uses([answer for answer, _ in answers])
        ],
    }


def comparison_csv(answers: Sequence[tuple[Answer, Recipe]]) -> str:
    """One row per answer, with the columns of HEAD; ids of documents are separated by spaces."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(HEAD)
    for item in compare(answers):
        answer, recipe = item.answer, item.recipe
        ids = " ".join(evidence.passage.id for evidence in answer.evidence)
        writer.writerow(
            [
                recipe.mode,
                "" if recipe.mode == "baseline" else recipe.scope,
                safe_cell(answer.text),
                answer.answer_language,
                answer.language,
                "yes" if item.in_question_language else "no",
                f"{item.seconds:.3f}",
                item.steps_from_cache,
                len(answer.evidence),
                item.shared,
                item.only_here,
                safe_cell(ids),
            ]
        )
    return out.getvalue()
