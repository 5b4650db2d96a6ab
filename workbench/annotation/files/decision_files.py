"""Decisions on disagreements as files: CSV or JSON lines, one row for every decision that was ever made.

`current` marks those that count now; a disagreement that nobody has settled has a row without a decision, so that the
file also says what is left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.annotation.files.label_files import to_time
from workbench.annotation.label_store import Adjudication, AdjudicationStore, Disagreement
from workbench.annotation.queue import AnnotationQueue
from workbench.core import unknown_name
from workbench.experiments import ResultStore
from workbench.workspace import csv_text, verb

DECISION_FORMATS: Mapping[str, str] = {"csv": ".csv", "jsonl": ".jsonl"}
EMPTY: Mapping[str, Any] = {
    "labels": None, "reason": "", "note": "", "adjudicator": "", "taxonomy_version": None, "saved": "",
    "current": False,
}  # fmt: skip
"""The columns of a decision, where there is none."""


@verb("labels.export", "decisions of {queue.name}, {kind}")
def decision_file(store: ResultStore, queue: AnnotationQueue, kind: str) -> bytes:
    """The file's content. Raises UsageError for an unknown format, NotAllowed for a role that may not export."""
    if kind not in DECISION_FORMATS:
        raise unknown_name("format of decisions", kind, DECISION_FORMATS)
    rows = decision_rows(store, queue)
    return _csv(rows) if kind == "csv" else "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def decision_rows(store: ResultStore, queue: AnnotationQueue) -> list[dict[str, Any]]:
    """The rows: by item and part, the decisions on it in order."""
    decisions = AdjudicationStore(store)
    history = decisions.history(queue.id)
    rows = []
    for case in decisions.disagreements(queue.id):
        past = [item for item in history if (item.number, item.on) == (case.item.number, case.on)]
        about = _about(queue, case)
        rows += [{**about, **_decided(item, is_current=item == case.decision)} for item in past] or [{**about, **EMPTY}]
    return rows


def _about(queue: AnnotationQueue, case: Disagreement) -> dict[str, Any]:
    return {
        "queue": queue.name,
        "taxonomy": queue.taxonomy,
        "item": case.item.number,
        "instance_key": case.item.instance_key,
        "recipe_fingerprint": case.item.fingerprint,
        "language": case.item.language,
        "question": case.item.question,
        "answer": case.item.answer,
        "on": case.on,
        "labels_by_person": {person: list(labels) for person, labels in case.labels.items()},
    }


def _decided(decision: Adjudication, *, is_current: bool) -> dict[str, Any]:
    return {
        "labels": list(decision.labels),
        "reason": decision.reason,
        "note": decision.note,
        "adjudicator": decision.adjudicator,
        "taxonomy_version": decision.version,
        "saved": to_time(decision.saved),
        "current": is_current,
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return csv_text([*rows[:1], *(map(_cell, row.values()) for row in rows)]).encode("utf-8-sig")


def _cell(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
