"""Single cells, a page at a time: what every mark of a figure leads to, and what exports write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, func, select, tuple_

from workbench.results.filters import Filter, answer_conditions, failed_or_not
from workbench.results.result_store import StoredRun, runs
from workbench.storage import result_tables as t

PAGE = 50
Scored = dict[str, tuple[float | None, str]]


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
    found_in: str
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
    engine: Engine, chosen: Filter, *, failed: bool | None = None, also: Sequence[ColumnElement[bool]] = ()
) -> int:
    """How many cells a filter lets through, failed ones or not where said. `also`: further conditions on answers."""
    conditions = (*answer_conditions(chosen), *failed_or_not(failed), *also)
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(t.answers).where(*conditions)).scalar_one())


def instances(
    engine: Engine,
    chosen: Filter,
    *,
    start: int = 0,
    limit: int = PAGE,
    failed: bool | None = None,
    after: int = 0,
    also: Sequence[ColumnElement[bool]] = (),
) -> list[Instance]:
    """A page of cells in the order in which they were written. `after` (an answer's number) pages through millions
    without counting from the start.
    """
    # The numbers first, from an index: to order a million cells by number is little, to order them whole is much.
    page = (
        select(t.answers.c.id)
        .where(*answer_conditions(chosen), *failed_or_not(failed), *also, t.answers.c.id > after)
        .order_by(t.answers.c.id)
        .offset(start)
        .limit(limit)
    )
    return _read(engine, t.answers.c.id.in_(page))


def instances_of(engine: Engine, cells: Sequence[tuple[int, int]]) -> list[Instance]:
    """The cells with these runs and questions (stored ids), in this order; those that are gone are left out."""
    read = _read(engine, tuple_(t.answers.c.run, t.answers.c.question).in_(cells)) if cells else []
    place = {cell: number for number, cell in enumerate(cells)}
    return sorted(read, key=lambda item: place[item.run.id, item.question_id])


def _read(engine: Engine, which: ColumnElement[bool]) -> list[Instance]:
    a, q = t.answers.c, t.questions.c
    whole = (a.id, a.run, a.question, a.language, a.answer_language, a.passages, a.seconds, a.prompt_tokens)
    asked = (
        select(*whole, a.completion_tokens, a.error, a.text.label("output"))
        .add_columns(q.name, q.text, q.answers, q.gold, q.found_in)
        .join(t.questions, q.id == a.question)
        .where(which)
        .order_by(a.id)
    )
    with engine.connect() as connection:
        rows = connection.execute(asked).mappings().all()
        found = _page_scores(connection, rows)
    held = {run.id: run for run in runs(engine, Filter(runs=tuple({row["run"] for row in rows})))} if rows else {}
    return [_instance(row, held[row["run"]], found.get((row["run"], row["question"]), {})) for row in rows]


def _instance(row: Any, run: StoredRun, scored: Scored) -> Instance:
    return Instance(
        answer=row["id"],
        run=run,
        question_id=row["question"],
        question=row["name"],
        language=row["language"],
        text=row["text"],
        golds=tuple(json.loads(row["answers"])),
        gold_passages=tuple(json.loads(row["gold"])),
        found_in=row["found_in"],
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


def _page_scores(connection: Connection, rows: Sequence[Any]) -> dict[tuple[int, int], Scored]:
    """By run and question. Each column of the table's key is named, so that every row is gone to directly."""
    s = t.scores.c
    names = {row.id: row.name for row in connection.execute(select(t.metrics))}
    asked = select(s.run, s.question, s.metric, s.value, s.reason).where(
        s.metric.in_(sorted(names)),
        s.run.in_({row["run"] for row in rows}),
        s.language.in_({row["language"] for row in rows}),
        s.question.in_({row["question"] for row in rows}),
    )
    found: dict[tuple[int, int], Scored] = {}
    for run, question, metric, value, reason in connection.execute(asked.order_by(s.metric)):
        found.setdefault((run, question), {})[names[metric]] = (value, reason or "")
    return found
