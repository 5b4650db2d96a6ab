"""Answers as JSON, and one question under several modes: what the answers share, as a table and as JSON.

The JSON is what the command line prints and the screens offer for download.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core import Answer, Evidence, Passage, Translation, Usage
from workbench.models import PricedUsage
from workbench.pipeline import Recipe, format_failure
from workbench.workspace import safe_cell


def answer_to_json(answer: Answer, recipe: Recipe) -> dict[str, Any]:
    """Everything about an answer in plain values; the keys are part of the command line's contract."""
    sections = answer.sections
    return {
        "question": answer.question,
        "language": answer.language,
        "answer": answer.text,
        "answer_language": answer.answer_language,
        "note": answer.generation.note,
        "finish": answer.generation.finish,
        "usage": _usage(answer.generation.usage),
        "corpus": recipe.corpus,
        "scope": recipe.scope,
        "mode": recipe.mode,
        "prompt": recipe.prompt,
        "passages": [_passage(item) for item in answer.evidence],
        "prompt_text": {"system": answer.prompt.system, "user": answer.prompt.user},
        "sections": None
        if sections is None
        else {
            "extraction": sections.extraction,
            "explanation": sections.explanation,
            "argumentation": sections.argumentation,
            "answer": sections.answer,
            "found": list(sections.present),
            "format_failure": format_failure(sections),
        },
        "question_translation": _translation(answer.question_translation),
        "answer_translation": _translation(answer.answer_translation),
        **_rewriting(answer),
        "steps": [
            {
                "name": step.name,
                "component": step.component,
                "seconds": round(step.seconds, 6),
                "cached": step.cached,
                "facts": dict(step.facts),
            }
            for step in answer.steps
        ],
        "recipe": recipe.model_dump(mode="json"),
        "fingerprint": recipe.fingerprint,
    }


def _passage(item: Evidence) -> dict[str, Any]:
    passage = item.passage
    return {
        "rank": item.rank,
        "id": passage.id,
        "title": passage.title,
        "language": passage.language,
        "text": passage.text,
        "translation": _translation(item.translation),
        "title_translation": _translation(item.title_translation),
        "scores": dict(item.scores),
        "previous": passage.previous,
        "next": passage.next,
    }


def _rewriting(answer: Answer) -> dict[str, Any]:
    """What was searched with and read in place of question and documents, only where there is such a thing."""
    values: dict[str, Any] = {}
    if answer.expansion is not None:
        item = answer.expansion
        values["expansion"] = {"queries": list(item.queries), "note": item.note, "usage": _usage(item.usage)}
    if answer.compression is not None:
        notes = answer.compression
        values["compression"] = {
            "text": notes.text,
            "language": notes.language,
            "ranks": list(notes.ranks),
            "abstains": notes.abstains,
            "note": notes.note,
            "usage": _usage(notes.usage),
        }
    return values


def _usage(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    counts = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "estimated": usage.estimated,
        "seconds": round(usage.seconds, 6),
    }
    if not isinstance(usage, PricedUsage):
        return {**counts, "estimated_cost": None}
    cost = {"amount": usage.cost, "currency": usage.currency, "source": usage.source, "date": usage.date}
    return {**counts, "estimated_cost": cost}


def _translation(translation: Translation | None) -> dict[str, Any] | None:
    if translation is None:
        return None
    return {
        "text": translation.text,
        "source": translation.source,
        "target": translation.target,
        "kind": translation.kind,
        "match": translation.match,
    }


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
