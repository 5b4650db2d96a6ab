"""A replay as JSON in plain values: the question, the change, the answer before and after, and what differs."""

from __future__ import annotations

from typing import Any

from workbench.core import Evidence, Step
from workbench.experiments.replays.change import Change
from workbench.experiments.replays.difference import difference
from workbench.experiments.replays.replay import Replay
from workbench.experiments.results.queries.instances import Instance
from workbench.metrics import Score

VERSION = 1
"""Of the form; it grows when a key changes its meaning."""


def replay_to_json(item: Instance, change: Change, before: Replay, after: Replay) -> dict[str, Any]:
    """Everything about a replay in plain values."""
    delta = difference(before, after)
    return {
        "replay": VERSION,
        "experiment": item.run.experiment_id,
        "run": item.run.title,
        "question": {"id": item.question, "text": item.text, "language": item.language, "golds": list(item.golds)},
        "change": {
            "fields": dict(change.fields),
            "documents": None if change.evidence is None else [document.passage.id for document in change.evidence],
            "question": change.question,
        },
        "recipe": None if after.recipe is None else after.recipe.model_dump(mode="json"),
        "before": _side(before),
        "after": _side(after),
        "difference": {
            "left": [document.passage.id for document in delta.left],
            "came": [document.passage.id for document in delta.came],
            "moved": [
                {"id": moved.document.passage.id, "before": moved.before, "after": moved.after} for moved in delta.moved
            ],
            "edited": [document.passage.id for document in delta.edited],
            "answer": [{"kind": piece.kind, "text": piece.text} for piece in delta.answer],
            "scores": [
                {"metric": score.metric, "before": _score(score.before), "after": _score(score.after)}
                for score in delta.scores
            ],
        },
    }


def _side(item: Replay) -> dict[str, Any]:
    return {
        "answer": item.answer,
        "answer_language": item.answer_language,
        "failure": item.failure,
        "note": item.note,
        "documents": [_document(document) for document in item.evidence],
        "prompt": None if item.prompt is None else {"system": item.prompt.system, "user": item.prompt.user},
        "steps": [{"status": step.status, **_step(step.step)} for step in item.steps],
    }


def _document(item: Evidence) -> dict[str, Any]:
    passage = item.passage
    return {
        "rank": item.rank,
        "id": passage.id,
        "title": passage.title,
        "language": passage.language,
        "text": passage.text,
        "read_as": item.text,
        "read_in": item.language,
    }


def _step(item: Step) -> dict[str, Any]:
    return {
        "name": item.name,
        "component": item.component,
        "seconds": round(item.seconds, 6),
        "from_cache": item.cached,
        "facts": dict(item.facts),
    }


def _score(score: Score) -> dict[str, Any]:
    return {"value": score.value, "reason": score.reason}
