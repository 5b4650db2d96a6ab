"""Which answers a queue holds: as many of each language as were asked for, drawn by a seed.

The lot of an answer is a digest of the seed and of what the answer is: the run's recipe, the dataset, the question and
its language. So the same seed draws the same answers again, in another workspace too, and drawing more adds to them.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, select

from workbench.annotation.text_spans import nfc
from workbench.workspace import batched, result_tables as t

ROWS_AT_ONCE = 500
"""Answers that are read at once; SQLite allows some 32,000 in a statement."""


def lot(*parts: object) -> str:
    """A digest of `parts` that orders things as if at random, and the same way each time."""
    return sha256("\x1f".join(map(str, parts)).encode("utf-8", "backslashreplace")).hexdigest()


def sample(connection: Connection, runs: Sequence[int], per_language: int, seed: int) -> list[dict[str, Any]]:
    """Rows of items, without queue and number: up to `per_language` answers of each language, in order of their lots.

    `runs` are stored ids. Failed and empty answers are left out.
    """
    a, r, q = t.answers.c, t.runs.c, t.questions.c
    statement = (
        select(a.id, a.language, r.number, r.fingerprint, r.dataset, q.name)
        .join(t.runs, r.id == a.run)
        .join(t.questions, q.id == a.question)
        .where(a.run.in_(runs), a.failed.is_(False), a.text != "")
    )
    lots: dict[str, list[tuple[str, int]]] = {}
    for row in connection.execute(statement):
        value = lot(seed, row.number, row.fingerprint, row.dataset, row.name, row.language)
        lots.setdefault(row.language, []).append((value, row.id))
    drawn = sorted(pair for pairs in lots.values() for pair in heapq.nsmallest(per_language, pairs))
    rows = _items(connection, [answer for _, answer in drawn])
    return [rows[answer] for _, answer in drawn]


def _items(connection: Connection, answers: Sequence[int]) -> Mapping[int, dict[str, Any]]:
    a, r, q = t.answers.c, t.runs.c, t.questions.c
    statement = (
        select(a.id, a.language, a.text.label("answer"), r.experiment_id, r.number, r.dataset, r.fingerprint)
        .add_columns(q.name, q.text.label("question"))
        .join(t.runs, r.id == a.run)
        .join(t.questions, q.id == a.question)
    )
    parts = batched(answers, ROWS_AT_ONCE)
    return {row.id: _item(row) for part in parts for row in connection.execute(statement.where(a.id.in_(part)))}


def _item(row: Row[Any]) -> dict[str, Any]:
    return {
        "instance_key": f"{row.experiment_id}/{row.number}/{row.name}/{row.language}",
        "language": row.language,
        "experiment_id": row.experiment_id,
        "run_number": row.number,
        "dataset": row.dataset,
        "question_name": row.name,
        "fingerprint": row.fingerprint,
        "question": nfc(row.question),
        "answer": nfc(row.answer),
    }
