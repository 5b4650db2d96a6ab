"""Single cells, a page at a time: what every mark of a figure leads to, and what exports write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine, Select, and_, func, select, true

from workbench.storage import study_tables as t
from workbench.studies.filters import Filter, answer_conditions, failed_or_not
from workbench.studies.results import RunRow, runs

PAGE = 50
Scored = dict[str, tuple[float | None, str]]


@dataclass(frozen=True, slots=True)
class Instance:
    """One cell with all that is stored of it. `passages`: id, language and score, best first."""

    answer: int
    run: RunRow
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


def count(engine: Engine, chosen: Filter, *, failed: bool | None = None) -> int:
    """How many cells a filter lets through, failed ones or not where said."""
    asked = select(func.count()).select_from(t.answers).where(*answer_conditions(chosen), *failed_or_not(failed))
    with engine.connect() as connection:
        return int(connection.execute(asked).scalar_one())


def instances(
    engine: Engine, chosen: Filter, *, start: int = 0, limit: int = PAGE, failed: bool | None = None, after: int = 0
) -> list[Instance]:
    """A page of cells in the order in which they were written. `after` (an answer's number) pages through millions
    without counting from the start."""
    a, q = t.answers.c, t.questions.c
    asked = (
        select(a.id, a.run, a.question, q.name, a.language, q.text, q.answers, q.gold, q.found_in, a.text.label("output"),
               a.answer_language, a.passages, a.seconds, a.prompt_tokens, a.completion_tokens, a.error)
        .join(t.questions, q.id == a.question)
        .where(*answer_conditions(chosen), *failed_or_not(failed), a.id > after)
        .order_by(a.id)
        .offset(start)
        .limit(limit)
    )  # fmt: skip
    with engine.connect() as connection:
        rows = connection.execute(asked).mappings().all()
        found = _scores_of(connection.execute(_page_scores([row["id"] for row in rows])).tuples()) if rows else {}
    held = {run.id: run for run in runs(engine, Filter(runs=tuple({row["run"] for row in rows})))} if rows else {}
    return [_instance(row, held[row["run"]], found.get(row["id"], {})) for row in rows]


def _instance(row: Any, run: RunRow, scored: Scored) -> Instance:
    return Instance(
        answer=row["id"],
        run=run,
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


def _page_scores(answers: Sequence[int]) -> Select[Any]:
    a, s = t.answers.c, t.scores.c
    # From the few answers to the scores by their whole key; said in any other way, SQLite looks through all scores.
    place = and_(s.metric == t.metrics.c.id, s.run == a.run, s.language == a.language, s.question == a.question)
    return (
        select(a.id, t.metrics.c.name, s.value, s.reason)
        .select_from(t.answers.join(t.metrics, true()).join(t.scores, place))
        .where(a.id.in_(answers))
        .order_by(s.metric)
    )


def _scores_of(rows: Iterable[tuple[int, str, float | None, str | None]]) -> dict[int, Scored]:
    found: dict[int, Scored] = {}
    for answer, name, value, reason in rows:
        found.setdefault(answer, {})[name] = (value, reason or "")
    return found
