"""Single cells, a page at a time: what every mark of a figure leads to, and what exports write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, func, select, tuple_

from workbench.experiments.results.filters import Filter, answer_conditions, failed_or_not
from workbench.experiments.results.queries.run_list import StoredRun, runs
from workbench.workspace import result_tables as t

PAGE = 50
"""Cells of a page where no other number is given."""
Scored = dict[str, tuple[float | None, str]]
"""A cell's values with the reasons of the missing ones, by metric."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One cell with all that is stored of it. `question` is its id within the dataset, `question_id` the stored one.

    `passages`: id, language and score, best first.
    """

    answer: int
    run: StoredRun
    question_id: int
    question: str
    language: str
    text: str
    golds: tuple[str, ...]
    gold_passages: tuple[str, ...]
    evidence_in: str
    output: str
    answer_language: str
    passages: tuple[tuple[str, str, float], ...]
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    error: str
    scores: dict[str, float | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def count(
    connection: Connection,
    filter_: Filter,
    *,
    failed: bool | None = None,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> int:
    """How many cells a filter lets through, only failed ones or only others where `failed` is given.

    `conditions` are further ones on answers.
    """
    every = (*answer_conditions(filter_), *failed_or_not(failed), *conditions)
    return int(connection.execute(select(func.count()).select_from(t.answers).where(*every)).scalar_one())


def instances(
    connection: Connection,
    filter_: Filter,
    *,
    start: int = 0,
    limit: int = PAGE,
    failed: bool | None = None,
    after: int = 0,
    conditions: Sequence[ColumnElement[bool]] = (),
    order: Sequence[ColumnElement[Any]] = (),
) -> list[Instance]:
    """A page of cells by `order`, then in the order in which they were written.

    `after` (an answer's number) pages through millions without counting from the start; only without `order`.
    """
    # The numbers first, from an index: to order a million cells by number is little, to order complete rows is much.
    page = (
        select(t.answers.c.id)
        .where(*answer_conditions(filter_), *failed_or_not(failed), *conditions, t.answers.c.id > after)
        .order_by(*order, t.answers.c.id)
        .offset(start)
        .limit(limit)
    )
    if not order:
        return _read(connection, t.answers.c.id.in_(page))
    place = {answer: number for number, answer in enumerate(connection.execute(page).scalars())}
    return sorted(_read(connection, t.answers.c.id.in_(place)), key=lambda item: place[item.answer])


def instances_of(connection: Connection, cells: Sequence[tuple[int, int]]) -> list[Instance]:
    """The cells with these runs and questions (stored ids), in this order; those that are gone are left out."""
    rows = _read(connection, tuple_(t.answers.c.run, t.answers.c.question).in_(cells)) if cells else []
    place = {cell: number for number, cell in enumerate(cells)}
    return sorted(rows, key=lambda item: place[item.run.id, item.question_id])


def _read(connection: Connection, condition: ColumnElement[bool]) -> list[Instance]:
    a, q, m = t.answers.c, t.questions.c, t.mapped_golds.c
    columns = (a.id, a.run, a.question, a.language, a.answer_language, a.passages, a.seconds, a.prompt_tokens)
    statement = (
        select(*columns, a.completion_tokens, a.error, a.text.label("output"))
        .add_columns(q.name, q.text, q.answers, func.coalesce(m.gold, q.gold).label("gold"), q.evidence_in)
        .join(t.questions, q.id == a.question)
        .outerjoin(t.mapped_golds, and_(m.run == a.run, m.question == a.question))
        .where(condition)
        .order_by(a.id)
    )
    rows = connection.execute(statement).mappings().all()
    if not rows:
        return []
    scores = _scores(connection, rows)
    by_id = {run.id: run for run in runs(connection, Filter(runs=tuple({row["run"] for row in rows})))}
    return [_instance(row, by_id[row["run"]], scores.get((row["run"], row["question"]), {})) for row in rows]


def _instance(row: RowMapping, run: StoredRun, scored: Scored) -> Instance:
    return Instance(
        answer=row["id"],
        run=run,
        question_id=row["question"],
        question=row["name"],
        language=row["language"],
        text=row["text"],
        golds=tuple(json.loads(row["answers"])),
        gold_passages=tuple(json.loads(row["gold"])),
        evidence_in=row["evidence_in"],
        output=row["output"],
        answer_language=row["answer_language"],
        passages=tuple((item[0], item[1], item[2]) for item in json.loads(row["passages"])),
        seconds=row["seconds"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        error=row["error"],
        scores={name: value for name, (value, _) in scored.items()},
        reasons={name: reason for name, (_, reason) in scored.items() if reason},
    )


def _scores(connection: Connection, rows: Sequence[RowMapping]) -> dict[tuple[int, int], Scored]:
    """By run and question. Each column of the table's key is named, so that every row is looked up directly."""
    s = t.scores.c
    names = {row.id: row.name for row in connection.execute(select(t.metrics))}
    statement = select(s.run, s.question, s.metric, s.value, s.reason).where(
        s.metric.in_(sorted(names)),
        s.run.in_({row["run"] for row in rows}),
        s.language.in_({row["language"] for row in rows}),
        s.question.in_({row["question"] for row in rows}),
    )
    scores: dict[tuple[int, int], Scored] = {}
    for run, question, metric, value, reason in connection.execute(statement.order_by(s.metric)):
        scores.setdefault((run, question), {})[names[metric]] = (value, reason or "")
    return scores
