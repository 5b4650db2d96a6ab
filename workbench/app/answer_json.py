"""An answer as the JSON that the command line prints and the screens offer for download."""

from __future__ import annotations

from typing import Any

from workbench.core import Answer, Evidence, Translation, Usage
from workbench.models import PricedUsage
from workbench.pipeline import Recipe, format_failure


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
